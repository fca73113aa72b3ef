"""Many clients, several instances, one key: never one request too many, never one too few."""

import asyncio
import os

import grpc
import pytest

from support import wire

LIMIT, CLIENTS, INSTANCES = 1000, 64, 4
REPETITIONS = 100 if os.environ.get("WEIR_LONG") else 25


def policy():
    rules = "".join(f"  - key: {name}\n    rate_limit: {{unit: day, requests_per_unit: {LIMIT}}}\n"
                    f"    weir: {{algorithm: {name}}}\n" for name in ("fixed_window", "token_bucket"))
    return f"domain: race\nweir: {{on_store_failure: closed}}\ndescriptors:\n{rules}"


@pytest.fixture(scope="module")
def fleet(shared_bench):
    redis = shared_bench.redis()
    settings = shared_bench.folder / "weir.yaml"
    settings.write_text("store: {timeout: 5s}\n")
    return [shared_bench.weir({"race.yaml": policy()}, name=f"weir{i}", args=["-c", settings, "--store", redis.url])
            for i in range(INSTANCES)]


async def race(fleet, rule):
    """64 clients ask until nothing is left, and a little longer; returns who was admitted, per repetition."""
    channels = [grpc.aio.insecure_channel(f"127.0.0.1:{w.grpc_port}",
                                          options=[("grpc.use_local_subchannel_pool", 1)])
                for w in fleet for _ in range(4)]
    calls = [c.unary_unary(wire.METHOD) for c in channels]
    admitted = []
    for repetition in range(REPETITIONS):
        request = wire.request("race", wire.descriptor((rule, f"key-{repetition}")))
        left = iter(range(LIMIT + 2 * CLIENTS))
        passed = 0

        async def client(call):
            nonlocal passed
            for _ in left:
                if wire.Response(await call(request, timeout=30)).code == wire.OK:
                    passed += 1

        await asyncio.gather(*(client(calls[i % len(calls)]) for i in range(CLIENTS)))
        admitted.append(passed)
    for c in channels:
        await c.close()
    return admitted


@pytest.mark.parametrize("rule", ["fixed_window", "token_bucket"])
def test_exactly_the_limit_is_admitted(fleet, rule):
    assert asyncio.run(race(fleet, rule)) == [LIMIT] * REPETITIONS
