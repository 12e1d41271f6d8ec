"""The catalogue, the document that explains it, and the alerts that rest on it."""

import re

import yaml

from streaming.metrics.catalogue import Metrics
from streaming.metrics.families import Histogram
from tests.builders.checkout import ROOT

ALERTS = ROOT / "deploy/prometheus/alerts.yaml"
DOCUMENT = ROOT / "docs/operate.md"


def test_every_metric_is_explained() -> None:
    """The table has the names and the labels of the code, and no others."""
    rows = re.findall(r"^\| `(trimtab_\w+)` \| ([\w, ]*) ?\|", DOCUMENT.read_text(), re.MULTILINE)
    told = {
        name: tuple(labels.strip().split(", ")) if labels.strip() else () for name, labels in rows
    }

    assert {it.name: it.labels for it in Metrics().families()} == told


def test_names_say_what_they_count() -> None:
    """By Prometheus' rules: ``_total`` for what only grows, and for nothing else."""
    for family in Metrics().families():
        assert (family.kind == "counter") == family.name.endswith("_total"), family.name
        assert not isinstance(family, Histogram) or family.name.endswith("_seconds")


def test_alerts_rest_on_metrics_that_exist() -> None:
    """And each is explained."""
    (group,) = yaml.safe_load(ALERTS.read_text())["groups"]
    names = {it.name for it in Metrics().families()}

    for rule in group["rules"]:
        asked = set(re.findall(r"trimtab_\w+", rule["expr"]))
        assert asked
        assert asked <= names, rule["alert"]
        assert f"| `{rule['alert']}` |" in DOCUMENT.read_text()
        assert {"severity"} == rule["labels"].keys()
