"""A frozen Redis behind Weir behind a real Envoy: each route of one listener fails as its rule chose.

The mapper that Envoy needs for it is the one that docs/envoy.md tells people to copy.
"""

import concurrent.futures
import json

import pytest

from support.docs import closed_mapper
from support.process import wait_until

MODES = {"closed": "closed", "open": "open", "share": "local_share"}
LIMIT = 3
POLICY = "domain: shop\ndescriptors:\n" + "".join(
    f"  - key: path\n    value: {path}\n    rate_limit: {{unit: year, requests_per_unit: {LIMIT}}}\n"
    f"    weir: {{on_store_failure: {mode}}}\n"
    for path, mode in [*MODES.items(), ("spent-closed", "closed"), ("spent-share", "local_share")])
ROUTES = (*MODES, "spent-closed", "spent-share")


class Bench:
    def __init__(self, bench):
        self.redis = bench.redis()
        settings = bench.folder / "weir.yaml"
        settings.write_text("fleet: {source: static, count: 1}\nstore: {timeout: 200ms}\n")
        self.weir = bench.weir({"shop.yaml": POLICY}, args=["-c", settings, "--store", self.redis.url])
        self.envoy = bench.envoy(self.weir, manager=closed_mapper(), routes=ROUTES)

    def together(self, *paths):
        """(status, headers, body) of each path, asked at the same time."""
        with concurrent.futures.ThreadPoolExecutor(len(paths)) as pool:
            return list(pool.map(self.envoy.get, paths))


@pytest.fixture(scope="module")
def outage(shared_bench):
    """Redis frozen after `spent-closed` and `spent-share` were used up."""
    bench = Bench(shared_bench)
    for path in ("/spent-closed", "/spent-share"):
        assert bench.envoy.statuses(path, LIMIT + 1) == [200] * LIMIT + [429]
    assert bench.envoy.get("/closed")[0] == 200
    bench.redis.freeze()
    yield bench
    bench.redis.thaw()


def test_a_closed_route_answers_503_while_an_open_one_passes_at_the_same_time(outage):
    closed, opened = outage.together("/closed", "/open")
    assert (closed[0], opened[0]) == (503, 200)


def test_the_503_says_what_it_is_and_when_to_come_back(outage):
    status, headers, body = outage.envoy.get("/closed")
    assert status == 503
    assert headers["content-type"] == "application/problem+json"
    assert 1 <= int(headers["retry-after"]) <= 30
    problem = json.loads(body)
    assert problem["type"].endswith("temporary-reduced-capacity")
    assert problem["status"] == 503


def test_who_is_over_a_limit_still_gets_429(outage):
    closed, share = outage.together("/spent-closed", "/spent-share")
    for status, headers, body in (closed, share):
        assert status == 429
        assert headers["content-type"] == "application/problem+json"
        assert json.loads(body)["type"].endswith("quota-exceeded")


def test_a_share_admits_its_limit_and_then_answers_429(outage):
    assert outage.envoy.statuses("/share", LIMIT + 1) == [200] * LIMIT + [429]


def test_an_open_route_has_no_limit_meanwhile(outage):
    assert outage.envoy.statuses("/open", LIMIT * 3) == [200] * (LIMIT * 3)


def test_local_replies_about_something_else_stay_what_they_are(outage):
    assert outage.envoy.get("/nowhere")[0] == 404


def test_envoy_counts_no_error_so_its_switch_for_all_routes_decided_nothing(outage):
    assert outage.envoy.stat("error") == 0
    assert outage.envoy.stat("failure_mode_allowed") == 0


def test_once_the_store_is_back_the_closed_route_passes_again(bench):
    own = Bench(bench)
    own.redis.freeze()
    assert own.envoy.get("/closed")[0] == 503
    own.redis.thaw()
    wait_until(lambda: own.envoy.get("/closed")[0] == 200, 10, "the closed route passes")
