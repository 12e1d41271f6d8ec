"""What is wrong, found in records; a healthy installation has no findings."""

import pytest

from console.views import findings
from console.views.findings import Kind
from tests.unit.console.views.published_records import LIFE, START_MS, group
from trimtab.protocol import (
    Group,
    Join,
    MemberSummary,
    QueueCounts,
    TopicSummary,
    Verdict,
)

NOW_MS = START_MS + findings.STUCK_MS + 1_000
QUEUES = QueueCounts(assigned=0, moving=2, unassigned=3)


def people(**trait: bool) -> tuple[MemberSummary, ...]:
    """One member with a trait."""
    whole = {"member": "w1", "hold": 0, "give": 0, "inherit": 0, "draining": False}
    return (MemberSummary.model_validate({**whole, **trait}),)


WRONG = {
    "ailment": (group("w1", ailment="ValueError"), "it has a failure: ValueError"),
    "pause": (group("w1", paused=True), "it is paused, until somebody resumes it"),
    "shortage": (
        group("w1", state="starved", queues=QUEUES, shortage={"no room": 3}),
        "3 queues have no worker: no room",
    ),
    "drained": (
        group(state="starved", members=1, queues=QUEUES, people=people(draining=True)),
        "3 queues have no worker: w1 drain",
    ),
    "away": (
        group(state="starved", members=1, queues=QUEUES, people=people(away=True)),
        "3 queues have no worker: kept for w1, which is away",
    ),
    "orphans": (group("w1", state="starved", queues=QUEUES), "3 queues have no worker"),
    "stuck": (
        group("w1", state="reconciling", queues=QUEUES),
        "2 queues have been moving for 2m, and 3 have no worker",
    ),
    "not shown to read": (
        group("w1", state="reconciling", queues=QueueCounts(assigned=1, moving=0, unassigned=3)),
        "queues wait for members that have not shown that they read releases, for 2m",
    ),
    "never assigned": (
        group("w1", state="assigning", queues=QueueCounts(assigned=1, moving=0, unassigned=3)),
        "3 queues have had no worker for 2m; it is assigning",
    ),
    "awaited": (
        group(
            "w1",
            topics={"new": TopicSummary(version=1, queues=0, awaited=True)},
        ),
        "it waits for topics that do not exist: new",
    ),
    "unknown": (
        group(
            "w1",
            state="assigning",
            topics={"new": TopicSummary(version=0, queues=0, awaited=True)},
        ),
        "it waits for its routes: new",
    ),
    "silent": (
        group(members=1, people=people(held=True)),
        "w1 are silent; too many at once, so evictions wait",
    ),
    "resting": (group(members=1, people=people(resting=True)), "w1 rest"),
}


@pytest.mark.parametrize(("summary", "finding"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_a_group_is_found(summary: Group, finding: str) -> None:
    """With its name, and with what to do next."""
    (found,) = findings.of_group(summary, NOW_MS)

    assert found.row()["kind"] in list(Kind)
    assert ("billing", finding) == (found.subject, found.finding)
    assert found.remedy
    assert {*findings.COLUMNS} == found.row().keys()


def test_that_a_topic_does_not_exist_is_said_at_once() -> None:
    """The controller has looked; that nobody has said anything of a topic counts if it lasts."""
    new = group("w1", topics={"ordres": TopicSummary(version=1, queues=0, awaited=True)})
    unheard = group("w1", topics={"orders": TopicSummary(version=0, queues=0, awaited=True)})

    assert ["it waits for topics that do not exist: ordres"] == [
        it.finding for it in findings.of_group(new, new.at_ms)
    ]
    assert [] == [*findings.of_group(unheard, unheard.at_ms)]


def test_who_is_silent_in_a_pause_is_not_to_be_approved() -> None:
    """A pause holds evictions, and an approval ends none of that."""
    until = NOW_MS + 60_000
    pause, silent = findings.of_group(
        group(members=1, people=people(held=True), paused=True, paused_until_ms=until), NOW_MS
    )

    assert "it is paused, for 1m more" == pause.finding
    assert "w1 are silent, and nobody is evicted while the group is paused" == silent.finding
    assert "approve" not in silent.remedy


def test_nothing_is_wrong_with_what_rests_or_has_only_begun_to_move() -> None:
    """A hand-over takes a while, and a group without members has no worker by rights."""
    for summary in (
        group("w1"),
        group("w1", state="reconciling", queues=QUEUES, at_ms=NOW_MS - 1_000),
        group("w1", state="assigning", at_ms=NOW_MS - 1_000),
        group("w1", state="assigning"),  # it is paused, and its queues have owners
        group("w1", topics={"%RETRY%billing": TopicSummary(version=1, queues=0, awaited=True)}),
        group(state="empty", queues=QUEUES),
    ):
        assert [] == list(findings.of_group(summary, NOW_MS))


def join(member: str, *topics: str) -> Join:
    """How a member joined."""
    return Join(member=member, incarnation=LIFE, sequence=1, topics=topics)


def test_who_subscribes_what_is_named() -> None:
    """Of a member whose join is gone it is said that nobody knows."""
    joins = [join("a", "orders"), join("b", "orders", "payments"), join("left", "orders")]

    (found,) = findings.of_subscriptions(group("a", "b", "c", subscriptions=2), joins)
    assert (
        "its members have 2 different subscriptions "
        "(c: not known any more; a: orders; b: orders, payments)"
    ) == found.finding


def test_foreign_members_are_named() -> None:
    """With their hosts, so that somebody finds them."""
    (found,) = findings.of_subscribers("billing", ["old-app at /10.0.0.7"])

    assert found.finding.endswith("with the same group.id: old-app at /10.0.0.7")
    assert [] == list(findings.of_subscribers("billing", []))


def test_who_keeps_a_group_from_its_move_is_named() -> None:
    """On Kafka's side nothing is read twice: nobody is told to stop what does all the work."""
    (found,) = findings.of_movers("billing", ["old-app at /10.0.0.7"])

    assert found.finding.endswith("cannot move: old-app at /10.0.0.7")
    assert found.remedy.startswith("nothing is read twice; make each a MovingConsumer")
    assert [] == list(findings.of_movers("billing", []))


def test_consumers_that_do_not_ask_the_controller_are_named() -> None:
    """By the ids that RocketMQ's brokers know them by."""
    (found,) = findings.of_unattached("billing", ["10.0.0.7@old"])

    assert (findings.Kind.UNATTACHED, "billing") == (found.kind, found.subject)
    assert found.finding.endswith("by RocketMQ's rule, without the controller: 10.0.0.7@old")
    assert [] == list(findings.of_unattached("billing", []))


def test_a_broker_that_is_out_is_found() -> None:
    """Until its verdict lapses; a panic once for its cluster."""

    def verdict(broker: str, **said: object) -> Verdict:
        whole = {"cluster": "east", "broker": broker, "since_ms": 0, "reason": "slow"}
        counts = {"reports": 1, "errors": 1, "panic": False, "available": False}
        return Verdict.model_validate({**whole, **counts, **said})

    told = [
        verdict("a"),
        verdict("b", until_ms=NOW_MS),
        verdict("c", available=True),
        verdict("d", panic=True, available=True),
        verdict("e", panic=True, available=True),
    ]
    assert [("east/a", "out of use: slow"), ("east", "verdicts are ignored")] == [
        (it.subject, it.finding) for it in findings.of_brokers(told, NOW_MS)
    ]
