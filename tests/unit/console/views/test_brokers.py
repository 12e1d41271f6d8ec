"""Verdicts in a table."""

import pytest

from console.views import brokers
from tests.unit.console.views.published_records import verdict
from trimtab.protocol import Verdict

NOW_MS = 1_767_225_600_000


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ({}, "available"),
        ({"panic": True}, "panic"),
        ({"available": False}, "out"),
        ({"available": False, "until_ms": NOW_MS + 1}, "out"),
        ({"available": False, "until_ms": NOW_MS}, "available"),
    ],
)
def test_a_verdict_that_has_lapsed_counts_as_available(said: dict[str, object], state: str) -> None:
    """As every reader of it has to hold."""
    row = brokers.row(verdict(**said), NOW_MS)

    assert state == row["state"]
    assert {*brokers.NARROW, *brokers.WIDE} == row.keys()


HOUR_MS = 3_600_000
OUT = verdict(available=False, since_ms=NOW_MS - HOUR_MS, until_ms=NOW_MS - HOUR_MS + 40_000)


@pytest.mark.parametrize(
    ("told", "now", "states"),
    [
        ([OUT, verdict()], verdict(), ["out", "available"]),
        ([OUT], OUT, ["out", "available"]),
        ([OUT], OUT.model_copy(update={"until_ms": NOW_MS + 1}), ["out", "out"]),
        ([], verdict(), ["available"]),
    ],
    ids=["it came back", "it has lapsed", "it is prolonged", "nothing else is kept"],
)
def test_what_was_said_an_hour_ago_stays_said(
    told: list[Verdict], now: Verdict, states: list[str]
) -> None:
    """People ask later when a broker was out: by then each of these verdicts has lapsed."""
    rows = brokers.explained(told, now, NOW_MS)

    assert states == [row["state"] for row in rows]


def test_who_voted_is_named() -> None:
    """In the explanation of one broker, without another option."""
    row = brokers.row(verdict(available=False, voters=("app-1", "app-2")), NOW_MS)

    assert ["app-1", "app-2"] == row["voters"]
    assert "voters" in brokers.EXPLAINED
    assert row.keys() == {*brokers.EXPLAINED, *brokers.BEYOND, "cluster", "broker"}


def test_one_cluster_may_be_asked_for() -> None:
    """The others are left out."""
    both = [verdict(), verdict(cluster="west")]

    assert ["west"] == [row["cluster"] for row in brokers.rows(both, NOW_MS, "west")]
    assert 2 == len(brokers.rows(both, NOW_MS))
