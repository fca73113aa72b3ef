"""The alert rules of deploy/prometheus work, and speak of metrics that Weir really has."""

import json
import os
import re
import shutil
import subprocess
import urllib.request

import pytest

from conftest import ROOT

RULES = ROOT / "deploy/prometheus/weir-alerts.yaml"
TESTS = ROOT / "deploy/prometheus/weir-alerts_test.yaml"
# Prometheus adds these itself.
SCRAPED = {"job", "instance"}
POLICY = """\
domain: shop
descriptors:
  - key: path
    value: open
    rate_limit: {name: front-page, unit: year, requests_per_unit: 3}
    weir: {on_store_failure: open}
"""


class Page:
    """A metrics page: its families, and the sets of labels that each has."""

    def __init__(self, text):
        self.families = set(re.findall(r"^# TYPE (\w+) ", text, re.M))
        self.labels, self.rules = {}, {}
        for name, labels in re.findall(r"^(\w+)(\{.*\})? \S+$", text, re.M):
            pairs = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels))
            self.labels.setdefault(name, set()).add(frozenset(pairs))
            self.rules.setdefault(name, set()).add(pairs.get("rule"))


@pytest.fixture(scope="module")
def page(shared_bench):
    """Of an instance whose store froze, and whose one rule then answered without it."""
    redis = shared_bench.redis()
    settings = shared_bench.folder / "weir.yaml"
    settings.write_text("fleet: {source: static, count: 1}\n")
    weir = shared_bench.weir({"shop.yaml": POLICY}, args=["-c", settings, "--store", redis.url])
    redis.freeze()
    body = {"domain": "shop", "descriptors": [{"entries": [{"key": "path", "value": "open"}]}]}
    url = f"http://127.0.0.1:{weir.http_port}/v1/check"
    with urllib.request.urlopen(url, json.dumps(body).encode(), timeout=5) as answer:
        assert json.load(answer)["basis"] == "open"
    page = Page(weir.admin_get("/metrics")[1])
    redis.thaw()
    return page


@pytest.fixture(scope="session")
def promtool():
    """Prometheus' checker, or a skipped test; with CI=true it is required."""
    path = ROOT / ".tools" / "bin" / "promtool"
    found = path if path.exists() else shutil.which("promtool")
    if not found:
        message = "promtool is missing: Debian's package could not be fetched"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(message)
    return found


@pytest.mark.parametrize("what, file", [("check", RULES), ("test", TESTS)])
def test_promtool_passes_the_rules_and_their_tests(promtool, what, file):
    done = subprocess.run([promtool, what, "rules", file], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_has_a_unit_test():
    alerts = set(re.findall(r"alert: (\w+)", RULES.read_text()))
    assert len(alerts) >= 8
    assert alerts <= set(re.findall(r"\bWeir\w+", TESTS.read_text()))


def test_every_metric_that_the_rules_name_is_on_the_page(page):
    names = set(re.findall(r"\bweir_[a-z0-9_]+", RULES.read_text()))
    assert len(names) >= 10
    assert names - page.labels.keys() == set()


def test_the_series_of_the_unit_tests_have_the_labels_of_the_page(page):
    series = re.findall(r"series: '(\w+)\{(.*?)\}'", TESTS.read_text())
    assert len(series) >= 20
    for name, labels in series:
        assert set(re.findall(r"(\w+)=", labels)) - SCRAPED in page.labels[name], name


def test_fallbacks_and_decisions_call_a_rule_by_the_same_name(page):
    assert page.rules["weir_fallback_total"] == {"front-page"}
    assert "front-page" in page.rules["weir_decisions_total"]


def test_every_family_of_the_page_is_in_the_docs(page, bench):
    # A process without a shared store has other families.
    memory = Page(bench.weir().admin_get("/metrics")[1])
    documented = set(re.findall(r"`(\w+)`", (ROOT / "docs/metrics.md").read_text()))
    for families in (page.families, memory.families):
        assert {f for f in families if f.startswith("weir_")} - documented == set()
