"""The messages of envoy.service.ratelimit.v3, written and read by hand: a second opinion on the
wire format, and no generated code to keep."""

import struct

SERVICE = "envoy.service.ratelimit.v3.RateLimitService"
METHOD = f"/{SERVICE}/ShouldRateLimit"
OK, OVER_LIMIT = 1, 2


def varint(n):
    out = b""
    while True:
        out += bytes([n & 127 | (128 if n > 127 else 0)])
        n >>= 7
        if not n:
            return out


def field(number, value):
    """One field: bytes and str length-delimited, int as varint."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def descriptor(*entries, hits_addend=None):
    """A RateLimitDescriptor of (key, value) pairs; hits_addend is a UInt64Value, so 0 is not absence."""
    out = b"".join(field(1, field(1, key) + field(2, value)) for key, value in entries)
    if hits_addend is not None:
        out += field(3, field(1, hits_addend) if hits_addend else b"")
    return out


def request(domain, *descriptors, hits_addend=0):
    out = field(1, domain) + b"".join(field(2, d) for d in descriptors)
    return out + (field(3, hits_addend) if hits_addend else b"")


def fields(data):
    """The (number, value) pairs of a message, in order."""
    i = 0

    def read_varint():
        nonlocal i
        n = shift = 0
        while True:
            byte = data[i]
            i += 1
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n

    while i < len(data):
        tag = read_varint()
        kind = tag & 7
        if kind == 0:
            value = read_varint()
        elif kind == 2:
            length = read_varint()
            value = data[i:i + length]
            i += length
        elif kind == 5:
            value = struct.unpack_from("<I", data, i)[0]
            i += 4
        else:
            assert kind == 1, f"wire type {kind}"
            value = struct.unpack_from("<Q", data, i)[0]
            i += 8
        yield tag >> 3, value


class Status:
    """RateLimitResponse.DescriptorStatus; `limit` is None where no rule matched."""

    def __init__(self, data):
        values = dict(fields(data))
        self.code = values.get(1, 0)
        limit = dict(fields(values[2])) if 2 in values else None
        self.limit = limit and limit.get(1, 0)
        self.unit = limit and limit.get(2, 0)
        self.remaining = values.get(3, 0)
        self.reset = dict(fields(values[4])).get(1, 0) if 4 in values else None


class Response:
    """RateLimitResponse."""

    def __init__(self, data):
        self.code = 0
        self.statuses = []
        self.headers = {}
        for number, value in fields(data):
            if number == 1:
                self.code = value
            elif number == 2:
                self.statuses.append(Status(value))
            elif number == 3:
                header = dict(fields(value))
                self.headers[header[1].decode().lower()] = header.get(2, header.get(3, b"")).decode()
