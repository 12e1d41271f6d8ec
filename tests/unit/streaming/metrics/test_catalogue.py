"""The catalogue, the document that explains it, and the alerts that rest on it."""

import json
import re
from typing import Any, get_args

import yaml

from rebalance.groups.model.policy import Policy
from streaming.metrics.catalogue import Metrics
from streaming.metrics.families import Histogram
from streaming.metrics.group_gauges import GroupGauges
from streaming.metrics.tally import OTHER
from streaming.process.horizon import Horizon
from streaming.topics import ROUTINE, URGENT
from tests.builders.checkout import ROOT
from tests.unit.streaming.metrics.test_group_gauges import group
from trimtab.protocol.reasons import Reason

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
    names = {it.name for it in Metrics().families()}

    for rule in rules():
        asked = set(re.findall(r"trimtab_\w+", rule["expr"]))
        assert asked
        assert asked <= names, rule["alert"]
        assert f"| `{rule['alert']}` |" in DOCUMENT.read_text()
        assert {"severity"} == rule["labels"].keys()


def test_no_alert_waits_for_longer_than_evictions_are_held() -> None:
    """By default so many silent members are evicted after half a minute, and then none is held."""
    (rule,) = [it for it in rules() if it["alert"] == "TrimtabEvictionsHeld"]

    assert "for" not in rule
    assert "max_over_time" in rule["expr"]
    assert f"`policy.blast_hold` ({Policy().blast_hold_ms // 1_000} s)" in DOCUMENT.read_text()


def test_members_that_have_gone_meanwhile_excuse_their_rebalances() -> None:
    """A job that is done, or a group that was scaled in, has few members now and had many."""
    (rule,) = [it for it in rules() if it["alert"] == "TrimtabFlapping"]

    assert {"15m"} == {*re.findall(r"\[(\w+)", rule["expr"])}
    assert "max_over_time(sum by (group) (trimtab_group_members)[" in rule["expr"]


def test_a_controller_that_starts_and_starts_hides_behind_no_gap() -> None:
    """It answers for some seconds of each start: neither that nor the gap begins a wait anew."""
    told = {it["alert"]: it["expr"] for it in rules()}

    assert "max_over_time(trimtab_build_info[" in told["TrimtabNobodyDecides"]
    assert "avg_over_time((sum(trimtab_standby) or on () vector(0))[" in told["TrimtabNoStandby"]
    assert "changes(trimtab_start_timestamp_seconds[1h])" in told["TrimtabStartsAgain"]


def test_what_is_alerted_on_once_is_counted_from_the_start() -> None:
    """`increase` sees no first event of a series that begins with it.

    Nor does `offset`, by what was there before: a scrape that failed would be an event as well.
    """
    shown = Metrics().text().splitlines()
    for rule in rules():
        assert "offset" not in rule["expr"], rule["alert"]
        for counted in re.findall(r"increase\(([^[]+)\[\w+\]\)+ > 0", rule["expr"]):
            assert any(it.startswith(counted) for it in shown), counted
    for topic in (*URGENT, *ROUTINE):
        for reason in get_args(Reason):
            begun = f'trimtab_dead_letters_total{{topic="{topic.name}",reason="{reason}"}} 0'
            assert begun in shown


def test_a_partition_without_ticks_is_missed() -> None:
    """By its clock alone: all that stands in it is read, so it is not behind."""
    horizon = Horizon("heartbeats")
    horizon.begin("s")
    for number, partitions in enumerate(({0: 1, 1: 1}, {0: 2})):
        for partition, offset in partitions.items():
            horizon.ticked("s", partition, offset, number, at_ms=300_000 * number)
        ends = json.dumps({"heartbeats": {"0": offset + 1, "1": 2}})
        horizon.committed([(ends, ends)])
    told = {it["alert"]: it["expr"] for it in rules()}

    assert (0, {0: 300_000, 1: 0}) == (horizon.lag_ms(), horizon.clocks())
    assert told["TrimtabNoTicks"].startswith(
        "changes(trimtab_log_clock_timestamp_seconds[2m]) == 0"
    )


def test_rules_that_put_installations_together_are_named() -> None:
    """Whoever has several in one Prometheus would be told of the wrong one, or not at all."""
    (told,) = re.findall(r"With several installations.*?\n\n", DOCUMENT.read_text(), re.DOTALL)
    joined = re.compile(r"\b(?:by|on) \(|\b(?:absent|sum|count)\(")
    wanted = {it["alert"] for it in rules() if joined.search(it["expr"])}

    assert wanted == {*re.findall(r"`(Trimtab\w+)`", told)}


def test_alerts_ask_for_labels_and_values_that_exist() -> None:
    """A name that nothing has would never fire, and nobody would notice.

    So of what a controller shows each condition takes some series, and leaves some.
    """
    metrics = Metrics()
    GroupGauges(metrics).note(group("billing", {}))
    for name in ("billing", OTHER):
        metrics.brain.rebalances.add(1, name, "join")
    shown = {
        it.name: [dict(zip(it.labels, one, strict=True)) for one in it.values()]
        for it in metrics.families()
    }
    kinds = re.findall(r'trimtab_notes_total{kind="(\w+)"}', "".join(it["expr"] for it in rules()))
    assert {"ailment", "conflict", "doubled", "hold"} == {*kinds}
    for rule in rules():
        for name, asked in re.findall(r"(trimtab_\w+){([^}]*)}", rule["expr"]):
            for label, sign, value in re.findall(r'(\w+)([!=~]+)"([^"]*)"', asked):
                taken = [takes(sign, it.get(label, ""), value) for it in shown[name]]
                assert {True, False} == {*taken}, (rule["alert"], label, value)


def test_alerts_put_series_together_by_labels_that_exist() -> None:
    """By one that nothing has, all would be one."""
    labels = {label for it in Metrics().families() for label in it.labels}
    for rule in rules():
        named = re.findall(r"\b(?:by|without|on|ignoring|group_left) \(([\w, ]*)\)", rule["expr"])
        assert labels >= {it for one in named for it in one.split(", ") if it}, rule["alert"]


def takes(sign: str, had: str, asked: str) -> bool:
    """Tell whether a condition of Prometheus' takes what a series has."""
    found = re.fullmatch(asked, had) if "~" in sign else had == asked
    return bool(found) != sign.startswith("!")


def rules() -> list[dict[str, Any]]:
    """All alerts."""
    (group,) = yaml.safe_load(ALERTS.read_text())["groups"]
    found: list[dict[str, Any]] = group["rules"]
    return found
