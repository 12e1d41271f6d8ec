"""The dashboards ask for figures that exist, and for each of these there is a panel."""

import json
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml

from streaming.metrics.catalogue import Metrics
from streaming.metrics.families import Histogram
from tests.builders.checkout import ROOT

GRAFANA = ROOT / "deploy" / "grafana"
FAMILIES = {it.name: it for it in Metrics().families()}
OF_PROMETHEUS = {"job", "instance", "le"}
"""Labels that are on every series, and of a histogram's."""
ELSEWHERE = {
    "trimtab_batch_id",
    "trimtab_expired_members_total",
    "trimtab_notes_total",
    "trimtab_unnamed_starved_groups",
}
"""What nobody would look at: a number, and what other figures say as well."""
MOST_LINES = 10
"""So many names fit below a panel."""
FLOWS = {
    "trimtab_batch_phase_seconds_total",
    "trimtab_batches_total",
    "trimtab_input_records_total",
    "trimtab_output_records_total",
    "trimtab_redis_records_total",
}
"""What is counted all the time: nobody looks for the first of them."""
BOARDS: dict[str, dict[str, Any]] = {
    it.stem: json.loads(it.read_text()) for it in (GRAFANA / "dashboards").glob("*.json")
}

each_board = pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS.keys())


def family(name: str) -> str:
    """The metric that a series is of: histograms have their buckets."""
    return name if name in FAMILIES else name.removesuffix("_bucket")


def questions(board: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What a dashboard asks, and what it calls the answers."""
    for panel in board["panels"]:
        for target in panel["targets"]:
            yield target["expr"], target["legendFormat"]
    for variable in board["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["query"]["query"], ""


@each_board
def test_they_ask_for_figures_that_exist(board: dict[str, Any]) -> None:
    """By their names and labels; else a panel would be empty, and look as if all were well."""
    for asked, legend in questions(board):
        names = {family(it) for it in re.findall(r"trimtab_\w+", asked)}
        assert names, asked
        assert names <= FAMILIES.keys(), asked
        known = OF_PROMETHEUS.union(*(FAMILIES[it].labels for it in names))
        chosen = re.findall(r"(\w+)=~?\"", asked)
        shown = re.findall(r"\w+", " ".join(re.findall(r"by \(([^)]*)\)", asked)))
        of_variable = re.findall(r"label_values\(.*, (\w+)\)", asked)
        assert {*chosen, *shown, *of_variable} <= known, asked
        assert {*re.findall(r"{{(\w+)}}", legend)} <= {*shown}, asked


@each_board
def test_each_question_is_of_the_chosen_installation(board: dict[str, Any]) -> None:
    """Of two in one Prometheus each has its own; a job that is gone is not in the list."""
    for asked, _ in questions(board):
        series = re.findall(r"trimtab_\w+(?!\w)({[^}]*})?", asked)
        assert asked.startswith("label_values(trimtab_build_info, job)") or all(
            'job=~"$job"' in it for it in series
        ), asked


@each_board
def test_the_first_event_of_a_series_is_seen(board: dict[str, Any]) -> None:
    """`increase` and `rate` see no rise in a series that begins with it.

    So all that it has counted is new, if its process is, or answered before without that series. A
    scrape that failed, and a Prometheus that was away, are no events. `increase` is more only if
    there was a restart in between: it knows of what was counted before that.
    """
    asked_of = r"(?:increase|rate)\(((trimtab_\w+){[^}]*})\[([^]]*)\]\)"
    seconds = {"1h": "3600", "$__rate_interval": "$__rate_interval_ms / 1000"}
    start = 'trimtab_start_timestamp_seconds{job=~"$job"}'
    for asked, _ in questions(board):
        for series, name, span in re.findall(asked_of, asked):
            if isinstance(it := FAMILIES[family(name)], Histogram) or it.values() or name in FLOWS:
                continue
            new = f"{series} unless {series} offset {span}"
            process = f"{start} offset {span} or {start} > time() - {seconds[span]}"
            whole = f"(({new}) and on (job, instance) ({process}))"
            rise = f"increase({series}[{span}])"
            assert f"({rise} > {series} or {whole} or {rise})" in asked, asked


@each_board
def test_what_has_never_happened_has_no_line(board: dict[str, Any]) -> None:
    """Of a family that begins at 0 with very many series, only those that rise while one looks."""
    asked_of = r"sum by (\([^)]*\)) \(rate\(((trimtab_\w+){[^}]*})\["
    for asked, _ in questions(board):
        for labels, series, name in re.findall(asked_of, asked):
            of_range = f"and sum by {labels} (increase({series}[$__range] @ end())) > 0"
            assert len(FAMILIES[family(name)].values()) <= MOST_LINES or of_range in asked, asked


@each_board
def test_panels_have_a_place_and_a_name_of_their_own(board: dict[str, Any]) -> None:
    """Grafana moves what overlaps, each time."""
    panels = board["panels"]
    assert len(panels) == len({it["id"] for it in panels}) == len({it["title"] for it in panels})
    for one, other in combinations([it["gridPos"] for it in panels], 2):
        apart = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        assert apart or one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
        assert one["x"] + one["w"] <= 24


@each_board
def test_nobody_changes_them_by_accident(board: dict[str, Any]) -> None:
    """They are files; what a datasource is called is chosen, and not written in them."""
    assert not board["editable"]
    assert board["uid"].startswith("trimtab-")
    assert {"${source}"} == set(re.findall(r'"uid": "(\$[^"]*)"', json.dumps(board)))


def test_every_figure_is_on_one() -> None:
    """But those of which others say more."""
    asked = "".join(expr for board in BOARDS.values() for expr, _ in questions(board))
    shown = {family(it) for it in re.findall(r"trimtab_\w+", asked)}

    assert FAMILIES.keys() - ELSEWHERE == shown
    assert len(BOARDS) == len({it["uid"] for it in BOARDS.values()})


def test_grafana_finds_them_where_compose_puts_them() -> None:
    """And its Prometheus, which has our alerts and asks our controller; it asks nobody else."""
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    mounted = dict(it.split(":")[:2] for it in compose["grafana"]["volumes"])
    (provider,) = read(GRAFANA / "provisioning/dashboards/trimtab.yaml")["providers"]
    (source,) = read(GRAFANA / "provisioning/datasources/prometheus.yaml")["datasources"]
    told = compose["grafana"]["environment"]
    scraped = read(ROOT / "deploy/prometheus/prometheus.yml")
    (job,) = scraped["scrape_configs"]
    (asked,) = job["static_configs"]

    assert provider["options"]["path"] == mounted["./deploy/grafana/dashboards"]
    assert "/etc/grafana/provisioning" == mounted["./deploy/grafana/provisioning"]
    assert told["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"] == (
        f"{provider['options']['path']}/overview.json"
    )
    assert "http://prometheus:9090" == told[source["url"].removeprefix("$")]
    assert (["alerts.yaml"], ["controller:9404"]) == (scraped["rule_files"], asked["targets"])
    assert {"GF_PLUGINS_PREINSTALL_DISABLED": "true"}.items() <= told.items()
    assert {"false"} == {value for name, value in told.items() if "_ANALYTICS_" in name}
    assert {"GF_ANALYTICS_CHECK_FOR_UPDATES", "GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES"} <= {*told}
    assert "127.0.0.1:9404:9404" in compose["controller"]["ports"]


def read(path: Path) -> dict[str, Any]:
    """A file of YAML."""
    found: dict[str, Any] = yaml.safe_load(path.read_text())
    return found
