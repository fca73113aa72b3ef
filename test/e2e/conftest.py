"""Fixtures of the end-to-end tests; docs/testing.md says how to run one of them by hand.

What a test started is always ended.  Logs and generated files lie in build/e2e/TEST/, and a
failed test shows the end of each log.
"""

import os
import pathlib
import re
import shutil
import signal

import pytest

from support.certs import Certificates
from support.envoy import Envoy
from support.redis import Redis, Sentinel
from support.upstream import Upstream
from support.weir import Weir

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Years, so that no test stands astride a window's end.  `steady` is never used up.
SHOP = """\
domain: shop
descriptors:
  - {key: path, value: limited, rate_limit: {unit: year, requests_per_unit: 3}}
  - {key: path, value: heavy, rate_limit: {unit: year, requests_per_unit: 10}}
  - {key: path, value: cost, rate_limit: {unit: year, requests_per_unit: 10}}
  - {key: path, value: two-wide, rate_limit: {unit: year, requests_per_unit: 100}}
  - {key: path, value: two-narrow, rate_limit: {unit: year, requests_per_unit: 2}}
  - {key: path, value: shadow, shadow_mode: true, rate_limit: {unit: year, requests_per_unit: 1}}
  - {key: path, value: steady, rate_limit: {unit: second, requests_per_unit: 1000000}}
  - {key: path, value: reload, rate_limit: {unit: year, requests_per_unit: 2}}
  - {key: path, value: shop.Orders, rate_limit: {unit: year, requests_per_unit: 1}}
  - key: route
    value: orders
    descriptors:
      - {key: tenant, rate_limit: {unit: year, requests_per_unit: 2}}
      - {key: tenant, value: vip, rate_limit: {unit: year, requests_per_unit: 4}}
"""


def pytest_addoption(parser):
    parser.addoption("--preset", default="dev", help="test the program of build/PRESET")
    parser.addoption("--weir", default=None, help="the program to test, instead of a preset's")


def pytest_configure(config):
    # A run that is stopped still ends what it started.
    signal.signal(signal.SIGTERM, lambda *_: pytest.exit("stopped by SIGTERM", 143))


class Workbench:
    """Starts programs for one test (or one module) and ends them after it."""

    def __init__(self, config, folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder = folder
        self._weir_binary = pathlib.Path(
            config.getoption("--weir") or ROOT / "build" / config.getoption("--preset") / "weir")
        assert self._weir_binary.exists(), f"{self._weir_binary} is missing: run make test"
        self._owned = []
        self._upstream = None

    def weir(self, policies=None, **options):
        weir = Weir(self._weir_binary, self.folder, policies or {"shop.yaml": SHOP}, **options)
        self._owned.append(weir.process)
        return weir.start()

    @property
    def binary(self):
        return self._weir_binary

    def redis(self, *, started=True, **options):
        redis = Redis(self.folder, **options)
        self._owned.append(redis.process)
        return redis.start() if started else redis

    def sentinel(self, primary):
        sentinel = Sentinel(self.folder, primary)
        self._owned.append(sentinel.process)
        return sentinel.start()

    def envoy(self, *weirs, **options):
        """An Envoy whose rate limit service is `weirs`, in front of the one upstream."""
        self._upstream = self._upstream or Upstream()
        envoy = Envoy(ROOT / ".venv" / "bin" / "envoy", self.folder,
                      weir_ports=[w.grpc_port for w in weirs], upstream_port=self._upstream.port, **options)
        self._owned.append(envoy.process)
        return envoy.start()

    def certificates(self):
        return Certificates(self.folder / "certs")

    def logs(self):
        for log in sorted(self.folder.glob("*.log")):
            yield log.name, log.read_text(errors="replace")[-4000:]

    def close(self):
        for process in reversed(self._owned):
            process.kill()
        if self._upstream:
            self._upstream.close()


def _folder(name):
    return ROOT / "build" / "e2e" / re.sub(r"[^\w.-]+", "_", name)


@pytest.fixture
def bench(request):
    """Programs for this test alone."""
    bench = Workbench(request.config, _folder(f"{request.node.module.__name__}.{request.node.name}"))
    yield bench
    bench.close()


@pytest.fixture(scope="module")
def shared_bench(request):
    """Programs that the tests of one file share: each test uses rules of its own."""
    bench = Workbench(request.config, _folder(request.node.module.__name__))
    yield bench
    bench.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed:
        for name in ("bench", "shared_bench"):
            workbench = item.funcargs.get(name) if hasattr(item, "funcargs") else None
            if workbench:
                report.sections.extend(workbench.logs())
    return report


@pytest.fixture(scope="session")
def h2spec():
    """The conformance suite, or a skipped test; with CI=true it is required."""
    path = ROOT / ".tools" / "bin" / "h2spec"
    if not path.exists():
        message = "h2spec is missing: the Go module proxy could not be reached"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(message)
    return path
