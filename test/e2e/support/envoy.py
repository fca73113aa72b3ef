"""A real Envoy whose rate limit filter asks Weir."""

import http.client
import json
import pathlib
import string
import textwrap

from support.process import Process, free_port

TEMPLATE = pathlib.Path(__file__).parent.parent / "envoy.yaml.template"

# Each /NAME of these is a route with the one descriptor path=NAME; `/free` asks nobody.
PLAIN = ("limited", "shadow", "steady", "reload", "unmatched", "shop.Orders")

HEALTH_CHECKS = {
    "health_checks": [{
        "timeout": "5s", "interval": "0.1s", "no_traffic_interval": "0.1s",
        "unhealthy_threshold": 1, "healthy_threshold": 1, "grpc_health_check": {},
    }],
}


def tls_to_weir(certificates, client=None):
    """The cluster's transport socket: checks Weir's certificate, and shows `client`'s if given."""
    common = {
        "validation_context": {"trusted_ca": {"filename": certificates.path("ca.crt")}},
    }
    if client:
        common["tls_certificates"] = [{
            "certificate_chain": {"filename": certificates.path(f"{client}.crt")},
            "private_key": {"filename": certificates.path(f"{client}.key")},
        }]
    return {
        "transport_socket": {
            "name": "envoy.transport_sockets.tls",
            "typed_config": {
                "@type": "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
                "sni": "localhost",
                "common_tls_context": common,
            },
        },
    }


def _plain_route(name):
    action = {"generic_key": {"descriptor_key": "path", "descriptor_value": name}}
    return {"match": {"prefix": f"/{name}"},
            "route": {"cluster": "upstream", "rate_limits": [{"actions": [action]}]}}


def _items(values, indent):
    """A YAML list, each item in JSON, which is YAML too."""
    return "\n".join(f"{' ' * indent}- {json.dumps(v)}" for v in values)


class Envoy:
    def __init__(self, binary, folder, *, weir_ports, upstream_port, cluster=None, manager="", routes=(),
                 name="envoy"):
        """`cluster` holds further fields of the cluster that reaches Weir, `manager` (YAML) those of the
        connection manager, `routes` further names for PLAIN."""
        self.port, self._admin_port = free_port(), free_port()
        endpoints = [
            {"endpoint": {"address": {"socket_address": {"address": "127.0.0.1", "port_value": port}}}}
            for port in weir_ports
        ]
        routes = [_plain_route(name) for name in (*PLAIN, *routes)]
        routes.append({"match": {"prefix": "/free"}, "route": {"cluster": "upstream"}})
        config = folder / f"{name}.yaml"
        config.write_text(string.Template(TEMPLATE.read_text()).substitute(
            port=self.port, admin_port=self._admin_port, upstream_port=upstream_port,
            manager_extras=textwrap.indent(manager, " " * 10),
            plain_routes=_items(routes, 14), endpoints=_items(endpoints, 8),
            cluster_extras="\n".join(f"    {k}: {json.dumps(v)}" for k, v in (cluster or {}).items())))
        self.process = Process(name, [
            binary, "--config-path", config, "--concurrency", 1, "--disable-hot-restart",
            "--log-level", "warning",
        ], folder / f"{name}.log")

    def start(self):
        self.process.start([self.port, self._admin_port])
        return self

    def get(self, path, **headers):
        """(status, headers, body) of a GET on a connection of its own; x_cost becomes x-cost."""
        return self._get(self.port, path, {k.replace("_", "-"): str(v) for k, v in headers.items()})

    def statuses(self, path, count, **headers):
        return [self.get(path, **headers)[0] for _ in range(count)]

    def stat(self, name):
        """What the rate limit filter counted: ok, over_limit, error, failure_mode_allowed."""
        return self.counter(f"cluster.upstream.ratelimit.{name}")

    def counter(self, full_name):
        """A counter by its full name; one that never moved is 0."""
        text = self._get(self._admin_port, f"/stats?filter=^{full_name}$", {})[2]
        return int(text.rsplit(":", 1)[1]) if ":" in text else 0

    @staticmethod
    def _get(port, path, headers):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            body = answer.read().decode()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, body
        finally:
            connection.close()
