"""Python's grpcio as a foreign client: what gRPC promises beyond the happy path."""

import grpc
import pytest

from support import rls, wire

PATH = "path"


@pytest.fixture(scope="module")
def weir(shared_bench):
    return shared_bench.weir()


@pytest.fixture
def chan(weir):
    with rls.channel(weir) as chan:
        yield chan


def code_of(call):
    """The status that `call` fails with."""
    with pytest.raises(grpc.RpcError) as failed:
        call()
    return failed.value.code()


def steady():
    return wire.descriptor((PATH, "steady"))


def still_serves(chan):
    return rls.ask(chan, "shop", steady()).code == wire.OK


def test_counts_down_and_refuses(chan):
    limited = wire.descriptor((PATH, "limited"))
    answers = [rls.ask(chan, "shop", limited) for _ in range(4)]
    assert [a.code for a in answers] == [wire.OK] * 3 + [wire.OVER_LIMIT]
    assert [a.statuses[0].remaining for a in answers] == [2, 1, 0, 0]
    assert {a.statuses[0].limit for a in answers} == {3}
    assert all(a.statuses[0].reset > 0 for a in answers)


def test_statuses_stand_one_to_one_with_descriptors(chan):
    answer = rls.ask(chan, "shop", wire.descriptor((PATH, "nobody")), steady(),
                     wire.descriptor(("stranger", "x")), steady())
    assert answer.code == wire.OK
    assert [s.limit for s in answer.statuses] == [None, 1000000, None, 1000000]


def test_an_unknown_domain_passes(chan):
    answer = rls.ask(chan, "nowhere", steady())
    assert answer.code == wire.OK
    assert answer.statuses[0].limit is None


def test_hits_addend_of_a_descriptor_wins_and_zero_only_looks(chan):
    def remaining(addend):
        answer = rls.ask(chan, "shop", wire.descriptor((PATH, "heavy"), hits_addend=addend), hits_addend=7)
        return answer.code, answer.statuses[0].remaining

    assert remaining(0) == (wire.OK, 10)
    assert remaining(4) == (wire.OK, 6)
    assert remaining(0) == (wire.OK, 6)


@pytest.mark.parametrize("domain, descriptors", [("", [wire.descriptor((PATH, "steady"))]), ("shop", [])])
def test_a_request_without_domain_or_descriptors_is_an_error(chan, domain, descriptors):
    assert code_of(lambda: rls.ask(chan, domain, *descriptors)) in (
        grpc.StatusCode.UNKNOWN, grpc.StatusCode.INVALID_ARGUMENT)
    assert still_serves(chan)


def test_a_deadline_that_is_met_changes_nothing(chan):
    assert rls.ask(chan, "shop", steady(), timeout=30).code == wire.OK


def test_a_deadline_already_past_harms_nobody_else(chan):
    for _ in range(20):
        try:
            rls.ask(chan, "shop", steady(), timeout=1e-6)
        except grpc.RpcError as e:
            assert e.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    assert still_serves(chan)


def test_a_gzip_request_is_read(chan):
    # Long enough that compressing it pays, so that the client really does.
    answer = rls.ask(chan, "shop", wire.descriptor((PATH, "a" * 20000)), steady(),
                     compression=grpc.Compression.Gzip)
    assert answer.code == wire.OK
    assert [s.limit for s in answer.statuses] == [None, 1000000]


def test_an_encoding_that_is_not_supported_is_named_as_such(chan):
    call = lambda: rls.ask(chan, "shop", wire.descriptor((PATH, "a" * 20000)),  # noqa: E731
                           compression=grpc.Compression.Deflate)
    assert code_of(call) == grpc.StatusCode.UNIMPLEMENTED
    assert still_serves(chan)


def test_a_message_of_a_megabyte_is_answered_whole(chan):
    descriptors = [wire.descriptor((PATH, "v" * 990 + str(i))) for i in range(1000)] + [steady()]
    answer = rls.ask(chan, "shop", *descriptors)
    assert len(answer.statuses) == 1001
    assert answer.statuses[-1].limit == 1000000


def test_a_message_above_four_megabytes_is_refused(chan):
    huge = wire.descriptor((PATH, "v" * (4 << 20)))
    assert code_of(lambda: rls.ask(chan, "shop", huge)) == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert still_serves(chan)


def test_bytes_that_are_no_message_are_refused(chan):
    assert code_of(lambda: rls.method(chan)(b"\xff\xff\xff", timeout=20)) == grpc.StatusCode.INTERNAL
    assert still_serves(chan)


@pytest.mark.parametrize("path", [
    f"/{wire.SERVICE}/ShouldNotExist",
    "/no.such.Service/ShouldRateLimit",
    f"/{wire.SERVICE}/shouldratelimit",
])
def test_an_unknown_method_is_unimplemented(chan, path):
    assert code_of(lambda: rls.method(chan, path)(b"", timeout=20)) == grpc.StatusCode.UNIMPLEMENTED
    assert still_serves(chan)


def test_many_calls_at_once_on_one_connection_are_all_answered(chan):
    calls = [rls.method(chan).future(wire.request("shop", steady()), timeout=30) for _ in range(2000)]
    assert {wire.Response(c.result()).code for c in calls} == {wire.OK}


def test_a_cancelled_call_harms_nobody_else(chan):
    for _ in range(50):
        rls.method(chan).future(wire.request("shop", steady()), timeout=20).cancel()
    assert still_serves(chan)


def test_calls_under_way_when_weir_is_told_to_end_are_answered(bench):
    weir = bench.weir()
    with rls.channel(weir) as chan:
        assert still_serves(chan)
        calls = [rls.method(chan).future(wire.request("shop", steady()), timeout=30) for _ in range(500)]
        assert calls[0].result()  # All are on their way.
        assert weir.stop() == 0
        assert {wire.Response(c.result()).code for c in calls} == {wire.OK}


def test_tls_with_a_client_certificate(bench):
    certificates = bench.certificates()
    weir = bench.weir(args=[
        "--tls-cert", certificates.path("server.crt"), "--tls-key", certificates.path("server.key"),
        "--tls-client-ca", certificates.path("ca.crt"),
    ])

    def credentials(client):
        pair = (certificates.bytes(f"{client}.key"), certificates.bytes(f"{client}.crt")) if client else ()
        return grpc.ssl_channel_credentials(certificates.bytes("ca.crt"), *pair)

    address = f"localhost:{weir.grpc_port}"
    with grpc.secure_channel(address, credentials("client")) as chan:
        assert still_serves(chan)
    for client in ("stranger", None):
        with grpc.secure_channel(address, credentials(client)) as chan:
            assert code_of(lambda: still_serves(chan)) == grpc.StatusCode.UNAVAILABLE
    with rls.channel(weir) as chan:  # No TLS at all.
        assert code_of(lambda: still_serves(chan)) == grpc.StatusCode.UNAVAILABLE
