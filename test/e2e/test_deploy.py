"""The examples of deploy/ are what they say."""

import subprocess
import textwrap

from conftest import ROOT
from support.docs import closed_mapper


def test_envoy_accepts_the_example(bench):
    done = subprocess.run(
        [ROOT / ".venv" / "bin" / "envoy", "--mode", "validate", "-c", ROOT / "deploy/envoy/envoy.yaml"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_the_example_has_the_mapper_of_the_docs():
    assert textwrap.indent(closed_mapper(), " " * 10) in (ROOT / "deploy/envoy/envoy.yaml").read_text()


def test_weir_serves_the_example_policy(bench):
    weir = bench.weir({"shop.yaml": (ROOT / "deploy/envoy/policy/shop.yaml").read_text()})
    assert weir.process.running()
