"""The standard services beside the rate limit service: grpc.health.v1 and server reflection."""

import signal

import grpc
import pytest
from google.protobuf import descriptor_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2

from support import rls, wire

Status = health_pb2.HealthCheckResponse
REFLECTION = ["grpc.reflection.v1", "grpc.reflection.v1alpha"]


@pytest.fixture(scope="module")
def weir(shared_bench):
    return shared_bench.weir()


@pytest.fixture
def chan(weir):
    with rls.channel(weir) as chan:
        yield chan


def health(chan):
    return health_pb2_grpc.HealthStub(chan)


@pytest.mark.parametrize("service", ["", wire.SERVICE, "ratelimit"])
def test_check_says_serving(chan, service):
    answer = health(chan).Check(health_pb2.HealthCheckRequest(service=service), timeout=20)
    assert answer.status == Status.SERVING


def test_check_of_an_unknown_service_is_not_found(chan):
    with pytest.raises(grpc.RpcError) as failed:
        health(chan).Check(health_pb2.HealthCheckRequest(service="no.such.Service"), timeout=20)
    assert failed.value.code() == grpc.StatusCode.NOT_FOUND


def test_list_names_every_service_with_its_status(chan):
    answer = health(chan).List(health_pb2.HealthListRequest(), timeout=20)
    assert {"", wire.SERVICE} <= set(answer.statuses)
    assert {s.status for s in answer.statuses.values()} == {Status.SERVING}


def test_watch_answers_at_once_and_stays_open(chan):
    watch = health(chan).Watch(health_pb2.HealthCheckRequest(service=wire.SERVICE), timeout=60)
    assert next(watch).status == Status.SERVING
    assert watch.is_active()
    watch.cancel()


def test_watch_of_an_unknown_service_says_so_and_stays_open(chan):
    watch = health(chan).Watch(health_pb2.HealthCheckRequest(service="no.such.Service"), timeout=60)
    assert next(watch).status == Status.SERVICE_UNKNOWN
    assert watch.is_active()
    watch.cancel()


def test_watch_tells_of_the_drain_before_the_connection_ends(bench):
    weir = bench.weir()
    with rls.channel(weir) as chan:
        watch = health(chan).Watch(health_pb2.HealthCheckRequest(service=""), timeout=60)
        assert next(watch).status == Status.SERVING
        weir.process.signal(signal.SIGTERM)
        assert next(watch).status == Status.NOT_SERVING
        watch.cancel()
    assert weir.process.wait(30) == 0


def reflect(chan, package, **request):
    """The one answer to one reflection request; both packages share their messages' bytes."""
    call = chan.stream_stream(
        f"/{package}.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString)
    answers = list(call(iter([reflection_pb2.ServerReflectionRequest(**request)]), timeout=20))
    assert len(answers) == 1
    return answers[0]


def files(answer):
    return [descriptor_pb2.FileDescriptorProto.FromString(f)
            for f in answer.file_descriptor_response.file_descriptor_proto]


@pytest.mark.parametrize("package", REFLECTION)
def test_reflection_lists_the_services(chan, package):
    answer = reflect(chan, package, list_services="*")
    names = {s.name for s in answer.list_services_response.service}
    assert {wire.SERVICE, "grpc.health.v1.Health", *(f"{p}.ServerReflection" for p in REFLECTION)} <= names


@pytest.mark.parametrize("package", REFLECTION)
@pytest.mark.parametrize("symbol", [
    wire.SERVICE, f"{wire.SERVICE}.ShouldRateLimit", "envoy.service.ratelimit.v3.RateLimitRequest",
])
def test_reflection_finds_the_file_that_holds_a_symbol(chan, package, symbol):
    found = files(reflect(chan, package, file_containing_symbol=symbol))
    (file,) = [f for f in found if f.package == "envoy.service.ratelimit.v3"]
    (service,) = file.service
    assert [m.name for m in service.method] == ["ShouldRateLimit"]
    request = next(m for m in file.message_type if m.name == "RateLimitRequest")
    assert [(f.name, f.number) for f in request.field] == [
        ("domain", 1), ("descriptors", 2), ("hits_addend", 3)]


def test_reflection_gives_every_file_that_another_imports(chan):
    """What a tool such as grpcurl does: ask for each import by name until none is missing."""
    have = {}
    pending = files(reflect(chan, REFLECTION[0], file_containing_symbol=wire.SERVICE))
    while pending:
        file = pending.pop()
        if file.name not in have:
            have[file.name] = file
            for name in file.dependency:
                if name not in have:
                    pending += files(reflect(chan, REFLECTION[0], file_by_filename=name))
    assert any(m.name == "RateLimitDescriptor" for f in have.values() for m in f.message_type)


@pytest.mark.parametrize("package", REFLECTION)
def test_reflection_of_an_unknown_symbol_is_not_found(chan, package):
    answer = reflect(chan, package, file_containing_symbol="no.such.Symbol")
    assert answer.error_response.error_code == grpc.StatusCode.NOT_FOUND.value[0]
