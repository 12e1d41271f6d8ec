"""Each decision and the exact record that publishes it."""

import json
from dataclasses import replace

import pytest

from rebalance.causes import Cause, CauseKind
from rebalance.groups.model.decisions import (
    AssignmentIssued,
    AssignmentWithdrawn,
    Ending,
    Freed,
    HandedOver,
    MemberChange,
    MemberChanged,
    Rebalanced,
)
from rebalance.groups.model.events import Inheritance, Mode, Portion
from rebalance.groups.model.overrides import Overrides
from rebalance.groups.model.overview import GroupPhase, GroupSummarised, MemberSummary, TopicSummary
from rebalance.groups.model.policy import TwinRule
from rebalance.groups.summary import PEOPLE
from rebalance.ids import (
    Epoch,
    GroupName,
    Incarnation,
    Life,
    MemberId,
    Millis,
    Pattern,
    Position,
    Tenure,
    TopicName,
)
from sinks import Outlet, Publication, Record, record_of
from tests.builders.notation import namings, queue
from trimtab.protocol import (
    TOPICS,
    decode,
    limits,
    partition_of,
)

OUTLET = Outlet("t.", partitions=8)
GROUP = GroupName("billing")
PARTITION = partition_of("billing", 8)
A, B = MemberId("a"), MemberId("b")
LIFE = Incarnation("1767225600000-9f86d081")
AT = Millis(1_767_225_600_000)
CAUSE = Cause(CauseKind.EXPIRY, "c", Position(TopicName("t.heartbeats"), 3, 90), "silent for 9 ms")

JSON = ("content-type", b"application/json")
WRITTEN_CAUSE = (
    '"cause":{"kind":"expiry","subject":"c","topic":"t.heartbeats","partition":3,"offset":90,'
    '"detail":"silent for 9 ms"}'
)

GOLDEN: dict[str, tuple[Publication, Record]] = {
    "assignment": (
        AssignmentIssued(
            group=GROUP,
            life=Life(A, LIFE),
            epoch=Epoch(4),
            target_epoch=Epoch(3),
            portion=Portion(
                hold=namings(f"orders-0@2>4=b:{LIFE} orders-2@3"),
                give=namings("orders-1@2>4"),
                inherit=(
                    Inheritance(queue("orders-7"), Epoch(4), Tenure(Life(B, LIFE), Epoch(3))),
                ),
            ),
            session_timeout_ms=Millis(10_000),
            revocation_timeout_ms=Millis(60_000),
            heartbeat_interval_ms=Millis(3_000),
            cause=CAUSE,
        ),
        Record(
            "t.assignments",
            PARTITION,
            b"billing/a",
            (
                '{"v":1,"kind":"assignment","group":"billing","member":"a",'
                '"incarnation":"1767225600000-9f86d081","epoch":4,"target_epoch":3,'
                '"hold":{"to":[["b","1767225600000-9f86d081"]],'
                '"queues":[{"topic":"orders","queues":[[0,2,4,0],[2,3,null]]}]},'
                '"give":{"queues":[{"topic":"orders","queues":[[1,2,4]]}]},'
                '"inherit":{"from":[["b","1767225600000-9f86d081"]],'
                '"queues":[{"topic":"orders","queues":[[7,4,0,3]]}]},"revocation_timeout_ms":60000,'
                f'"session_timeout_ms":10000,"heartbeat_interval_ms":3000,{WRITTEN_CAUSE}}}'
            ).encode(),
            (JSON, ("schema", b"trimtab.assignment/1"), ("epoch", b"4")),
        ),
    ),
    "release": (
        Freed(GROUP, Life(MemberId(f"a@{LIFE}"), LIFE), namings("orders-0@2>4 orders-2@3")),
        Record(
            "t.releases",
            PARTITION,
            b"billing",
            b'{"v":1,"kind":"release","member":"a","incarnation":"1767225600000-9f86d081",'
            b'"sequence":0,"queues":{"queues":[{"topic":"orders",'
            b'"queues":[[0,2,null,4],[2,3,null,null]]}]},"by":"controller"}',
            (JSON, ("schema", b"trimtab.release/1")),
        ),
    ),
    "withdrawal": (
        AssignmentWithdrawn(GROUP, A),
        Record("t.assignments", PARTITION, b"billing/a", None, ()),
    ),
    "summary": (
        GroupSummarised(
            group=GROUP,
            phase=GroupPhase.RECONCILING,
            epoch=Epoch(4),
            group_epoch=Epoch(3),
            target_epoch=Epoch(2),
            strategy="AVG",
            assigned=5,
            moving=1,
            unassigned=0,
            topics=(TopicSummary(TopicName("orders"), 2, 6, exists=True),),
            population=1,
            members=(MemberSummary(A, 5, 1, 0, draining=False, heir_of=2, guarded=True),),
            at=AT,
            cause=CAUSE,
            paused=True,
            paused_until=Millis(1_767_225_660_000),
            own_strategy="AVG",
            overrides=Overrides(on_twin=TwinRule.REFUSE_NEWER, flap_limit=9),
            patterns=(Pattern("ord*"),),
        ),
        Record(
            "t.groups",
            PARTITION,
            b"billing",
            (
                '{"v":1,"kind":"group","group":"billing","state":"reconciling",'
                '"paused":true,"paused_until_ms":1767225660000,"epoch":4,'
                '"group_epoch":3,"target_epoch":2,"strategy":"AVG","own_strategy":"AVG",'
                '"overrides":{"on_twin":"refuse-newer","flap_limit":9},"members":1,'
                '"queues":{"assigned":5,"moving":1,"unassigned":0},'
                '"topics":{"orders":{"version":2,"queues":6,"awaited":false}},'
                f'"patterns":["ord*"],"at_ms":1767225600000,{WRITTEN_CAUSE},"people":['
                '{"member":"a","hold":5,"give":1,"inherit":0,"heir_of":2,"draining":false,"guarded":true}]}'
            ).encode(),
            (JSON, ("schema", b"trimtab.group/1"), ("epoch", b"4")),
        ),
    ),
    "rebalance": (
        Rebalanced(
            group=GROUP,
            epoch_before=Epoch(3),
            epoch_after=Epoch(4),
            moves=2,
            members=2,
            queues=6,
            at=AT,
            cause=CAUSE,
        ),
        Record(
            "t.history",
            PARTITION,
            b"billing",
            (
                '{"v":1,"kind":"rebalance","group":"billing","epoch_before":3,"epoch_after":4,'
                f'{WRITTEN_CAUSE},"moves":2,"members":2,"queues":6,"at_ms":1767225600000}}'
            ).encode(),
            (JSON, ("schema", b"trimtab.rebalance/1"), ("epoch", b"4")),
        ),
    ),
    "member": (
        MemberChanged(GROUP, Life(A, LIFE), MemberChange.EXPIRED, AT, CAUSE),
        Record(
            "t.history",
            PARTITION,
            b"billing",
            (
                '{"v":1,"kind":"member","group":"billing","member":"a",'
                '"incarnation":"1767225600000-9f86d081","event":"expired",'
                f'"at_ms":1767225600000,{WRITTEN_CAUSE}}}'
            ).encode(),
            (JSON, ("schema", b"trimtab.member/1")),
        ),
    ),
    "handover": (
        HandedOver(
            group=GROUP,
            from_member=A,
            to_member=B,
            queues=(queue("orders-0"), queue("orders-1")),
            duration_ms=Millis(130),
            idle_ms=Millis(0),
            epoch=Epoch(5),
            ending=Ending.RELEASED,
            at=AT,
            cause=CAUSE,
        ),
        Record(
            "t.history",
            PARTITION,
            b"billing",
            (
                '{"v":1,"kind":"handover","group":"billing","from_member":"a","to_member":"b",'
                '"queues":[{"topic":"orders","queues":[0,1]}],"duration_ms":130,"idle_ms":0,"epoch":5,'
                f'"ending":"released","at_ms":1767225600000,{WRITTEN_CAUSE}}}'
            ).encode(),
            (JSON, ("schema", b"trimtab.handover/1")),
        ),
    ),
}


@pytest.mark.parametrize(("decision", "record"), GOLDEN.values(), ids=GOLDEN)
def test_a_decision_makes_these_bytes(decision: Publication, record: Record) -> None:
    """The record is exact in every byte: key, partition, value and headers."""
    assert record == record_of(decision, OUTLET)


@pytest.mark.parametrize("name", [name for name in GOLDEN if name != "withdrawal"])
def test_what_we_write_we_can_read(name: str) -> None:
    """Every value keeps the contract of its topic."""
    _, record = GOLDEN[name]
    topic = TOPICS[record.topic.removeprefix("t.")]

    assert json.loads(record.value or b"")["kind"] == decode(topic, record.value).kind


def test_what_quotes_the_longest_names_can_be_written() -> None:
    """A cause may quote two names and an operator's reason; it is cut, and stops nothing (C21)."""
    name = limits.NAME_CHARACTERS * "n"
    quoted = f"{name} joined under its instance {name}: {limits.TEXT_CHARACTERS * 'w'}"
    changed = MemberChanged(
        GROUP,
        Life(MemberId(name), LIFE),
        MemberChange.FENCED,
        AT,
        replace(CAUSE, detail=quoted),
    )
    record = record_of(changed, OUTLET)

    said = json.loads(record.value or b"")["cause"]["detail"]
    assert quoted[: limits.TEXT_CHARACTERS - 1] + "\N{HORIZONTAL ELLIPSIS}" == said


def test_a_summary_is_cut_to_the_contract() -> None:
    """Topics beyond the limit are left out, but those nobody looked for stay in.

    And before them those that are shared by a command, which a start reads here. Of the members the
    brain names no more than the contract allows.
    """
    many = limits.TOPICS_PER_MEMBER
    known = [TopicSummary(TopicName(f"known-{n:04}"), 1, 1, exists=True) for n in range(many)]
    new = TopicSummary(TopicName("new"), 0, 0, exists=False)
    people = [MemberSummary(MemberId(f"m{n}"), 0, 0, 0, draining=False) for n in range(PEOPLE)]
    summary = GroupSummarised(
        group=GROUP,
        phase=GroupPhase.ASSIGNING,
        epoch=Epoch(1),
        group_epoch=Epoch(1),
        target_epoch=Epoch(1),
        strategy="AVG",
        assigned=0,
        moving=0,
        unassigned=0,
        topics=(*known, new),
        population=PEOPLE + 1,
        members=tuple(people),
        at=AT,
        cause=CAUSE,
    )

    written = decode(TOPICS["groups"], record_of(summary, OUTLET).value)

    assert (many, limits.MEMBERS_PER_SUMMARY) == (len(written.topics), len(written.people))
    assert PEOPLE + 1 == written.members
    assert "new" in written.topics
    assert "known-0999" not in written.topics

    unknown = [replace(it, version=0) for it in known]
    shared = replace(new, topic=TopicName("shared"), version=1, popped=True)
    summary = replace(summary, topics=(*unknown, shared))
    assert "shared" in decode(TOPICS["groups"], record_of(summary, OUTLET).value).topics


def test_a_record_says_what_is_not_as_usual() -> None:
    """That its member owns nothing; that it is asked for its join."""
    issued = GOLDEN["assignment"][0]
    assert isinstance(issued, AssignmentIssued)
    record = record_of(replace(issued, mode=Mode.SHARED, join_again=True), OUTLET)

    written = decode(TOPICS["assignments"], record.value)
    assert ("shared", True) == (written.mode, written.join_again)
