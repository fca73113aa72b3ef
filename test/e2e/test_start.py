"""What `weir serve` does when it cannot start as it was told, and when only its store is not there."""

import subprocess

import pytest

from support.process import free_port, wait_until
from test_store_outage import check, policy

LIMITED = "domain: shop\ndescriptors:\n  - key: tenant\n    rate_limit: {unit: second, requests_per_unit: 50}\n"


def serve(bench, text, *args):
    """Runs `weir serve` until it gives up; its exit status and what it said."""
    file = bench.folder / "shop.yaml"
    file.write_text(text)
    command = [bench.binary, "serve", "--policy", file, "--listen-grpc", f"127.0.0.1:{free_port()}",
               "--listen-http", f"127.0.0.1:{free_port()}", "--admin", f"127.0.0.1:{free_port()}", *args]
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=20,
                         stdin=subprocess.DEVNULL)
    return run.returncode, run.stderr


def test_a_rule_that_does_not_say_how_it_fails_stops_the_start_and_learns_the_four_words(bench):
    status, said = serve(bench, LIMITED, "--store", "redis://127.0.0.1:1")
    assert status == 2
    assert "shop.yaml:4:" in said or "shop.yaml:3:" in said
    for word in ("open", "closed", "local_share", "static", "--on-store-failure"):
        assert word in said


def test_a_broken_policy_stops_the_start_and_is_shown(bench):
    status, said = serve(bench, "domain: shop\ndescriptors:\n  - key: tenant\n    ratelimit: {unit: second}\n"
                                "    weir: {owner: a}\n")
    assert status == 2
    assert "shop.yaml:4:5" in said
    assert "ratelimit" in said


@pytest.mark.parametrize("url", ["redis://user:secret@127.0.0.1:70000", "redis://:secret@", "http://u:secret@h"])
def test_a_wrong_store_address_is_named_without_its_password(bench, url):
    status, said = serve(bench, policy("open"), "--store", url)
    assert status == 2
    assert "secret" not in said


def test_it_serves_with_its_store_dead_and_counts_when_it_comes(bench):
    redis = bench.redis(started=False)
    weir = bench.weir({"closed.yaml": policy("closed"), "open.yaml": policy("open")}, args=["--store", redis.url])
    assert check(weir, "closed", "acme")[0] == 503
    assert check(weir, "open", "acme")[:1] == (200,)
    redis.start()
    wait_until(lambda: check(weir, "closed", "acme")[1]["basis"] == "store", 10, "the store counts")
