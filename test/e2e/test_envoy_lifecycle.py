"""Envoy keeps passing the right traffic while Weir reloads, dies, comes back, drains and hides
behind TLS."""

import threading

import pytest

from conftest import SHOP
from support.envoy import HEALTH_CHECKS, tls_to_weir
from support.process import wait_until


class Traffic:
    """Some clients asking for `path` without pause, until the block ends."""

    def __init__(self, envoy, path, clients=4):
        self._envoy, self._path = envoy, path
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self.statuses = []
        self._threads = [threading.Thread(target=self._ask) for _ in range(clients)]

    def _ask(self):
        while not self._ended.is_set():
            status = self._envoy.get(self._path)[0]
            with self._lock:
                self.statuses.append(status)

    def count(self):
        with self._lock:
            return len(self.statuses)

    def wait_for_more(self, requests):
        goal = self.count() + requests
        wait_until(lambda: self.count() >= goal, 60, f"{requests} more requests answered")

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        self.wait_for_more(20)
        return self

    def __exit__(self, *exception):
        self._ended.set()
        for thread in self._threads:
            thread.join()


def test_a_reload_takes_effect_while_traffic_runs(bench):
    weir = bench.weir()
    envoy = bench.envoy(weir)
    assert envoy.statuses("/reload", 3) == [200, 200, 429]
    with Traffic(envoy, "/steady") as traffic:
        weir.write_policy("shop.yaml", SHOP.replace("{key: path, value: reload, rate_limit: "
                                                    "{unit: year, requests_per_unit: 2}}",
                                                    "{key: path, value: reload, rate_limit: {unlimited: true}}"))
        wait_until(lambda: envoy.get("/reload")[0] == 200, 20, "the new policy is in force")
        traffic.wait_for_more(20)
    assert set(traffic.statuses) == {200}
    assert envoy.stat("error") == 0
    # The rule that did not change kept its count.
    assert envoy.statuses("/reload", 3) == [200] * 3


def test_unchanged_rules_keep_their_counters_over_a_reload(bench):
    weir = bench.weir()
    envoy = bench.envoy(weir)
    assert envoy.statuses("/limited", 2) == [200, 200]
    assert envoy.statuses("/reload", 3) == [200, 200, 429]
    weir.write_policy("shop.yaml", SHOP.replace("value: reload, rate_limit: {unit: year, requests_per_unit: 2}",
                                                "value: reload, rate_limit: {unlimited: true}"))
    wait_until(lambda: envoy.get("/reload")[0] == 200, 20, "the new policy is in force")
    assert envoy.statuses("/limited", 2) == [200, 429]


def test_a_bad_reload_keeps_the_old_rules_and_says_so(bench):
    weir = bench.weir()
    envoy = bench.envoy(weir)
    assert weir.metric("weir_config_last_reload_successful") == 1
    weir.write_policy("shop.yaml", "domain: shop\ndescriptors:\n  - {key: path, rate_limit: {unit: fortnight}}\n")
    wait_until(lambda: weir.metric("weir_config_last_reload_successful") == 0, 20,
               "the metric tells of the refused reload")
    assert "shop.yaml:3" in weir.process.log()
    assert envoy.statuses("/limited", 4) == [200, 200, 200, 429]

    weir.write_policy("shop.yaml", SHOP)
    wait_until(lambda: weir.metric("weir_config_last_reload_successful") == 1, 20,
               "the metric tells that the mended policy is in force")


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_with_weir_gone_envoy_fails_open_and_recovers_when_it_is_back(bench, end):
    weir = bench.weir()
    envoy = bench.envoy(weir)
    assert envoy.statuses("/limited", 4) == [200, 200, 200, 429]

    getattr(weir.process, end)()
    assert envoy.statuses("/limited", 4) == [200] * 4
    assert envoy.stat("failure_mode_allowed") == 4

    weir.start()
    wait_until(lambda: envoy.get("/limited")[0] == 429, 30, "the restarted Weir limits again")
    allowed = envoy.stat("failure_mode_allowed")
    assert envoy.statuses("/limited", 3) == [429] * 3
    assert envoy.stat("failure_mode_allowed") == allowed


def test_draining_one_of_two_instances_fails_no_call(bench):
    leaving, staying = bench.weir(name="leaving"), bench.weir(name="staying")
    envoy = bench.envoy(leaving, staying, cluster=HEALTH_CHECKS)
    with Traffic(envoy, "/steady") as traffic:
        assert leaving.stop() == 0
        traffic.wait_for_more(50)
    assert set(traffic.statuses) == {200}
    assert envoy.stat("error") == 0


@pytest.fixture
def tls_weir(bench):
    certificates = bench.certificates()
    weir = bench.weir(args=[
        "--tls-cert", certificates.path("server.crt"), "--tls-key", certificates.path("server.key"),
        "--tls-client-ca", certificates.path("ca.crt"),
    ])
    return weir, certificates


def test_over_tls_with_a_client_certificate_limits_hold(bench, tls_weir):
    weir, certificates = tls_weir
    envoy = bench.envoy(weir, cluster=tls_to_weir(certificates, "client"))
    assert envoy.statuses("/limited", 4) == [200, 200, 200, 429]
    assert envoy.stat("error") == 0


@pytest.mark.parametrize("client", [None, "stranger"])
def test_without_a_certificate_that_weir_trusts_no_call_is_answered(bench, tls_weir, client):
    weir, certificates = tls_weir
    envoy = bench.envoy(weir, cluster=tls_to_weir(certificates, client))
    assert envoy.statuses("/limited", 5) == [200] * 5  # Envoy fails open.
    assert envoy.stat("error") == 5
    assert envoy.stat("ok") == 0
