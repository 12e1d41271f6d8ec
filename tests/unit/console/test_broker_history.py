"""`trimtab brokers history`: what happened to a cluster, which has no summary that would say so."""

import json

import pytest

from console.operator_commands import Address, signed, unanswered
from tests.builders.command_line import Run
from tests.unit.console.planning.published_group import publishes
from tests.unit.console.views.published_records import START_MS, cause, joined, verdict
from trimtab.protocol import Ailment, CommandAnswer, Record

OK, NOT_FOUND = 0, 4
REFUSED = CommandAnswer(
    group="east",
    id="c-1",
    command="eject",
    principal="ann",
    reason="new disk",
    outcome="refused",
    detail="it is the last broker",
    at_ms=START_MS,
    cause=cause("c-1", kind="command"),
)
FAILED = Ailment(
    subject="east",
    reason="ValueError: x",
    at_ms=START_MS + 1,
    cause=cause("east", kind="ailment"),
)
RECORDS: dict[str, list[tuple[bytes, Record]]] = {
    "history": [(b"east", REFUSED), (b"billing", joined("a")), (b"east", FAILED)],
    "brokers": [(b"west/a", verdict(cluster="west"))],
}


@pytest.fixture(autouse=True)
def _published(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster on which there is no verdict, and one of which the history has nothing any more."""
    publishes(monkeypatch, RECORDS)


def test_answers_and_failures_are_shown(run: Run) -> None:
    """Whoever did not wait for an answer looks here; and so does whom an alert has called."""
    code, out, _ = run("brokers", "history", "--cluster", "east", "-o", "json")

    assert OK == code
    assert [
        ("command", "eject by ann (new disk): refused: it is the last broker"),
        ("ailment", "east: ValueError: x"),
    ] == [(it["kind"], it["what"]) for it in json.loads(out)["history"]]


def test_a_cluster_that_is_not_there_is_refused(run: Run) -> None:
    """One of which nothing is kept is there all the same."""
    code, _, error = run("brokers", "history", "--cluster", "wets")

    assert (NOT_FOUND, "trimtab: there is no cluster wets; there is west\n") == (code, error)
    assert OK == run("brokers", "history", "--cluster", "west")[0]


@pytest.mark.parametrize(
    ("verb", "said", "where"),
    [
        ("eject", {"broker": "a"}, "`trimtab brokers history --cluster 'my shop'`"),
        ("forget", {"broker": "a"}, "`trimtab brokers history --cluster 'my shop'`"),
        ("forget", {}, "`trimtab groups history 'my shop'`"),
    ],
)
def test_who_has_no_answer_is_told_where_it_will_be(
    verb: str, said: dict[str, str], where: str
) -> None:
    """As it is typed."""
    command = signed(Address("NAME", "my shop"), "why", verb, **said)

    assert where in unanswered("my shop", command, 1.0)
