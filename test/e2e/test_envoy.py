"""A real Envoy enforces limits that Weir decides."""

import re

import grpc
import pytest


@pytest.fixture(scope="module")
def envoy(shared_bench):
    return shared_bench.envoy(shared_bench.weir())


def test_under_the_limit_requests_pass_and_over_it_they_get_429(envoy):
    ok, over = envoy.stat("ok"), envoy.stat("over_limit")
    assert envoy.statuses("/limited", 3) == [200, 200, 200]

    status, headers, body = envoy.get("/limited")

    assert status == 429
    assert headers["x-envoy-ratelimited"] == "true"
    assert (envoy.stat("ok") - ok, envoy.stat("over_limit") - over) == (3, 1)
    assert envoy.stat("error") == 0


def test_what_passes_reaches_the_upstream(envoy):
    status, headers, body = envoy.get("/steady", x_tenant="acme")
    assert status == 200
    assert "x-tenant: acme\n" in body
    assert "x-envoy-ratelimited" not in headers


def test_a_route_without_rate_limits_does_not_ask(envoy):
    asked = envoy.stat("ok")
    assert envoy.statuses("/free", 5) == [200] * 5
    assert envoy.stat("ok") == asked


def test_a_descriptor_that_no_rule_matches_passes(envoy):
    status, headers, _ = envoy.get("/unmatched")
    assert status == 200
    assert "x-ratelimit-limit" not in headers


def test_nested_descriptors_from_route_actions_count_each_tenant_alone(envoy):
    assert envoy.statuses("/tenant", 3, x_tenant="acme") == [200, 200, 429]
    assert envoy.statuses("/tenant", 3, x_tenant="globex") == [200, 200, 429]


def test_an_exact_value_wins_over_the_key_alone(envoy):
    assert envoy.statuses("/tenant", 5, x_tenant="vip") == [200, 200, 200, 200, 429]


def test_a_request_without_the_header_makes_no_descriptor(envoy):
    assert envoy.statuses("/tenant", 4) == [200] * 4


def test_of_two_descriptors_the_narrower_one_binds(envoy):
    status, headers, _ = envoy.get("/two")
    assert status == 200
    assert headers["x-ratelimit-remaining"] == "1"
    assert envoy.statuses("/two", 2) == [200, 429]


def test_a_route_hits_addend_spends_as_many(envoy):
    assert envoy.statuses("/heavy", 2) == [200, 200]
    status, headers, _ = envoy.get("/heavy")
    assert status == 429


def test_a_hits_addend_from_a_header_is_all_or_nothing(envoy):
    assert envoy.get("/cost", x_cost=6)[0] == 200
    assert envoy.get("/cost", x_cost=5)[0] == 429
    # The refused five spent nothing, so four are left.
    assert envoy.get("/cost", x_cost=4)[0] == 200
    assert envoy.get("/cost", x_cost=1)[0] == 429


def test_a_rule_in_shadow_mode_refuses_nobody(envoy):
    for _ in range(4):
        status, headers, _ = envoy.get("/shadow")
        assert status == 200
        assert "x-envoy-ratelimited" not in headers


def test_headers_for_the_client_come_through(shared_bench, envoy):
    tenant = {"x_tenant": "initech"}
    status, headers, _ = envoy.get("/tenant", **tenant)
    assert status == 200
    assert re.search(r";q=2\b", headers["ratelimit-policy"])
    assert re.search(r";w=31\d{6}\b", headers["ratelimit-policy"])
    assert re.search(r";r=1\b", headers["ratelimit"])
    # Envoy's own headers, made from the statuses.
    assert headers["x-ratelimit-limit"].startswith("2, 2;w=31536000")
    assert headers["x-ratelimit-remaining"] == "1"

    envoy.get("/tenant", **tenant)
    status, headers, _ = envoy.get("/tenant", **tenant)
    assert status == 429
    assert re.search(r";r=0\b", headers["ratelimit"])
    assert int(headers["retry-after"]) > 0
    assert headers["x-ratelimit-remaining"] == "0"


def test_a_grpc_call_over_http2_is_refused_in_grpc_terms(envoy):
    """Over the limit, a gRPC client sees UNAVAILABLE in trailers, not an HTTP 429."""
    with grpc.insecure_channel(f"127.0.0.1:{envoy.port}") as channel:
        call = channel.unary_unary("/shop.Orders/Place")
        with pytest.raises(grpc.RpcError) as first:
            call(b"", timeout=20)  # Passes the limit; the upstream speaks no gRPC.
        assert ("x-envoy-ratelimited", "true") not in tuple(first.value.initial_metadata() or ())
        with pytest.raises(grpc.RpcError) as second:
            call(b"", timeout=20)
    assert second.value.code() == grpc.StatusCode.UNAVAILABLE
    metadata = tuple(second.value.initial_metadata() or ()) + tuple(second.value.trailing_metadata() or ())
    assert ("x-envoy-ratelimited", "true") in metadata
