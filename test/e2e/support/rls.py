"""Python's grpcio as a client of the rate limit service."""

import grpc

from support import wire


def channel(weir, **options):
    return grpc.insecure_channel(f"127.0.0.1:{weir.grpc_port}", options=tuple(options.items()))


def method(chan, path=wire.METHOD):
    """A callable from request bytes to response bytes."""
    return chan.unary_unary(path)


def ask(chan, domain, *descriptors, hits_addend=0, **options):
    """ShouldRateLimit, as a wire.Response."""
    options.setdefault("timeout", 20)
    return wire.Response(method(chan)(wire.request(domain, *descriptors, hits_addend=hits_addend), **options))
