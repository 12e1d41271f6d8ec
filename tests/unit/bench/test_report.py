"""The report of the floor bench: a table for people and figures for programs."""

from itertools import product

from bench.floor.plan import Scenario, Side
from bench.floor.report import headline, table
from bench.floor.samples import Sample

FLOOR_MS = {Scenario.IDLE: 200.0, Scenario.STEADY: 250.0}
RATIO = {Scenario.IDLE: 1.25, Scenario.STEADY: 1.5}


def measured() -> list[Sample]:
    """Two rounds of both scenarios, with no noise in them."""
    return [
        Sample(
            side,
            scenario,
            number,
            question,
            FLOOR_MS[scenario] * (RATIO[scenario] if side is Side.TRIMTAB else 1.0),
        )
        for side, scenario, number, question in product(
            Side, Scenario, range(2), ["join", "release", "leave"]
        )
    ]


def test_the_headline_names_every_figure() -> None:
    """Ratios and milliseconds of both scenarios and both sides, and how much they rest on."""
    expected = {
        "idle_p50_ratio": 1.25,
        "idle_p50_ratio_min": 1.25,
        "idle_p50_ratio_max": 1.25,
        "idle_p50_ms": 250.0,
        "idle_p99_ms": 250.0,
        "idle_floor_p50_ms": 200.0,
        "idle_floor_p99_ms": 200.0,
        "idle_samples": 6,
        "steady_p50_ratio": 1.5,
        "steady_p50_ratio_min": 1.5,
        "steady_p50_ratio_max": 1.5,
        "steady_p50_ms": 375.0,
        "steady_p99_ms": 375.0,
        "steady_floor_p50_ms": 250.0,
        "steady_floor_p99_ms": 250.0,
        "steady_samples": 6,
        "rounds": 2,
    }
    assert expected == headline(measured())


def test_the_table_tells_questions_apart() -> None:
    """Each scenario has a line, and below it one for each kind of question."""
    first = [line.split()[0] for line in table(measured()).splitlines()]
    part = ["join", "leave", "release"]
    assert ["WHAT", "idle", *part, "steady", *part] == first


def test_the_table_shows_the_ratio() -> None:
    """What counts stands in the line of its scenario."""
    steady = next(line for line in table(measured()).splitlines() if line.startswith("steady"))
    assert "1.50" in steady
