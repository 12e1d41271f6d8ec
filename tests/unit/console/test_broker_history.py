"""`trimtab brokers history`: what happened to a cluster, which has no summary that would say so."""

import json

import pytest

from console.copies import without_copies
from console.operator_commands import Address, signed, unanswered
from console.views import brokers, history
from console.views.moments import said
from rebalance.brokers.decisions import VerdictTurned
from sinks import Outlet
from sinks.brokers import verdict_of, verdict_record
from tests.builders.cluster_story import FAILS, ClusterStory
from tests.builders.command_line import Run
from tests.unit.console.planning.published_group import publishes
from tests.unit.console.views.published_records import START_MS, cause, joined, verdict
from trimtab.protocol import HISTORY, Ailment, CommandAnswer, Record, Verdict, decode

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


def panicked() -> tuple[list[VerdictTurned], Verdict]:
    """Four of five brokers fail, are well, fail, and so on; what is told of another one at last."""
    story = ClusterStory()
    for times in (3, 12, 3, 12, 3):
        story.sweep(dict.fromkeys("abcd", FAILS) if times == 3 else {}, times=times)
    turned = [it for it in story.decisions if isinstance(it, VerdictTurned)]
    return turned, verdict_of(story.verdict("e"))


def test_each_panic_is_told_at_its_time() -> None:
    """Brokers are available all the while, so `since_ms` stands still, and all else is the same."""
    turned, now = panicked()
    records = [verdict_record(it, Outlet("t.", 1)) for it in turned]
    once = without_copies([*records, *records], lambda it: (it.key, it.value))  # it was repeated
    noted = [("", decode(HISTORY, it.value)) for it in once]
    at = [said(it) for it in sorted({it.at for it in turned})]

    assert [it for it in at for _ in "abcde"] == [it["at"] for it in history.rows(noted)]
    assert 10 == len(history.rows(noted, turned[10].at - 1))
    told = [it for _, it in noted if isinstance(it, Verdict) and it.broker == "e"]
    rows = brokers.explained(told, now, 0)
    states = ["panic", "available", "panic", "available", "panic"]
    assert [*zip(states, at, strict=True)] == [(it["state"], it["since"]) for it in rows]


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
