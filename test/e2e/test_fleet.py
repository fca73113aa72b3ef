"""Instances that count each other by heartbeats in a real Redis, and what that count is for: each
one's share of the limits while the store is silent."""

import asyncio
import re

import pytest
import test_store_outage

from support.process import wait_until
from test_start import serve

INSTANCES = 4
BEFORE, OUTAGE, AFTER = 4, 8, 2
POLICY = test_store_outage.policy("local_share")


def live(weir):
    """(source, count, frozen) as this instance believes."""
    page = weir.admin_get("/metrics")[1]
    source, count = re.search(r'^weir_live_instances\{source="(\w+)"\} (\d+)$', page, re.M).groups()
    return source, int(count), int(weir.metric("weir_live_instances_frozen"))


def start(bench, redis, i):
    settings = bench.folder / f"weir{i}.yaml"
    # A timeout that a busy machine does not reach while the store is well.
    settings.write_text("store: {timeout: 200ms}\n")
    return bench.weir({"local_share.yaml": POLICY}, name=f"weir{i}",
                      args=["-c", settings, "--store", redis.url, "--fleet-expected", INSTANCES])


@pytest.fixture(scope="module")
def fleet(shared_bench):
    redis = shared_bench.redis()
    weirs = [start(shared_bench, redis, i) for i in range(INSTANCES)]
    for weir in weirs:
        wait_until(lambda w=weir: live(w) == ("heartbeats", INSTANCES, 0), 15, "all four are counted")
    return redis, weirs


def test_with_a_silent_store_each_instance_holds_its_share_of_the_fleet_it_counted(fleet, monkeypatch):
    redis, weirs = fleet
    for name, value in (("BEFORE", BEFORE), ("OUTAGE", OUTAGE), ("AFTER", AFTER), ("MODES", ("local_share",))):
        monkeypatch.setattr(test_store_outage, name, value)
    traffic = test_store_outage.Traffic(weirs, redis)
    asyncio.run(traffic.run())
    assert {verdict for *_, verdict in traffic.seen} <= {"ok", "over"}, traffic.seen
    allowed = test_store_outage.LIMIT * OUTAGE
    # A divisor that is off by one would be off by 25 % or more; a short run on a busy machine, by some.
    assert abs(traffic.count("outage", "local_share", "acme", "ok") - allowed) <= 0.1 * allowed
    for tenant in ("globex", "initech"):
        assert traffic.count("outage", "local_share", tenant, "over") == 0


def test_the_count_is_frozen_while_the_store_is_silent_and_believed_again_after(fleet):
    redis, weirs = fleet
    redis.freeze()
    try:
        for weir in weirs:
            wait_until(lambda w=weir: live(w) == ("heartbeats", INSTANCES, 1), 15, "frozen, not shrunk")
        assert "heartbeats are not answered" in weirs[0].process.log()
    finally:
        redis.thaw()
    for weir in weirs:
        wait_until(lambda w=weir: live(w) == ("heartbeats", INSTANCES, 0), 20, "counted again")


def test_one_that_stops_is_not_counted_any_more(fleet):
    redis, weirs = fleet
    weirs[-1].process.kill()
    for weir in weirs[:-1]:
        wait_until(lambda w=weir: live(w) == ("heartbeats", INSTANCES - 1, 0), 20, "three are left")
    weirs[-1].start()
    for weir in weirs:
        wait_until(lambda w=weir: live(w) == ("heartbeats", INSTANCES, 0), 20, "four again")


def test_local_share_without_the_fleets_size_does_not_start(bench):
    status, said = serve(bench, POLICY, "--store", "redis://127.0.0.1:1")
    assert status == 2
    assert "WEIR-P044" in said
    assert "shop.yaml:2:" in said
    assert "--fleet-expected N" in said
