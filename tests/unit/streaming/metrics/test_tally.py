"""What a cell's batch came to."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from rebalance.brokers.decisions import VerdictIssued, VerdictTurned, VerdictWithdrawn
from rebalance.brokers.events import ClusterName
from rebalance.causes import Cause, CauseKind
from rebalance.groups.members.mass_silence import PAUSED
from rebalance.groups.model.decisions import (
    Ending,
    EvictionsHeld,
    GroupAiled,
    HandedOver,
    MemberChange,
    MemberChanged,
    Rebalanced,
)
from rebalance.ids import (
    BrokerName,
    Epoch,
    GroupName,
    Incarnation,
    Life,
    MemberId,
    Millis,
    Position,
    TopicName,
)
from sinks import BadRecord, Outlet, Publication, Record, dead_letter_records, record_of
from sinks.brokers import verdict_record
from streaming.cell.codec import Cell
from streaming.cell.fold import fold
from streaming.metrics.catalogue import MOVE_S
from streaming.metrics.tally import TOLD, Tally, read, tallied
from streaming.wire.rows import Row
from tests.builders.log import Log, join, route, rules
from tests.builders.wire_examples import golden
from trimtab import protocol
from trimtab.protocol import (
    MEMBERS,
    ROUTES,
    DeadLetter,
    Hold,
    Place,
    UndecodableRecord,
    broker_key,
    encode,
)
from trimtab.protocol.reasons import Reason

OUTLET = Outlet("t.", partitions=8)
GROUP, CLUSTER, BROKER = GroupName("billing"), ClusterName("east"), BrokerName("a/b")
A, B = MemberId("a"), MemberId("b")
LIFE = Life(A, Incarnation("1767225600000-9f86d081"))
CAUSE = Cause(CauseKind.EXPIRY, "c", Position(TopicName("t.heartbeats"), 3, 90), "silent")


def rebalanced(at: int, moves: int) -> Rebalanced:
    """A new target."""
    return Rebalanced(GROUP, Epoch(3), Epoch(4), moves, 2, 16, Millis(at), CAUSE)


def changed(change: MemberChange) -> MemberChanged:
    """A member that came or went."""
    return MemberChanged(GROUP, LIFE, change, Millis(7), CAUSE)


def handed_over(duration_ms: int, ending: Ending = Ending.RELEASED) -> HandedOver:
    """Queues that went from one to another."""
    return HandedOver(
        GROUP, A, B, (), Millis(duration_ms), None, Epoch(2), ending, Millis(7), CAUSE
    )


def verdict(*, available: bool, since: int = 1) -> list[Record]:
    """A verdict that is news."""
    issued = VerdictIssued(
        CLUSTER,
        BROKER,
        available,
        Millis(since),
        None,
        "slow",
        None if available else "latency",
        panic=False,
        testers=(),
        shadow=None,
        reports=3,
        errors=0,
    )
    return [verdict_record(it, OUTLET) for it in (issued, VerdictTurned(issued, Millis(since)))]


def letter(reason: Reason, offset: int = 1) -> Record:
    """A dead letter."""
    error, place = UndecodableRecord(reason, "so it is"), Place("t.members", 0, offset)
    letter = DeadLetter.of(error, place, b"k", b"v")
    (record,) = dead_letter_records(BadRecord(letter, b"k", b"v"), OUTLET)
    return record


def tally(*records: Record | Publication, rows: Sequence[Row] = ()) -> Tally:
    """What they come to."""
    made = [it if isinstance(it, Record) else record_of(it, OUTLET) for it in records]
    encoded = tallied(made, rows, "t.")
    assert encoded is not None
    return read(encoded)


def test_each_record_is_counted_by_what_it_is() -> None:
    """Rebalances by group and cause, members by event, hand-overs by ending and duration."""
    found = tally(
        rebalanced(20, 5),
        rebalanced(10, 3),
        changed(MemberChange.JOINED),
        changed(MemberChange.EXPIRED),
        changed(MemberChange.EXPIRED),
        handed_over(130),
        handed_over(70_000),
        letter("garbage"),
        letter("garbage"),
    )

    assert {"history": 7, "deadletters": 2} == found.written
    assert [("billing", "expiry", 2, 8)] == found.rebalances
    assert 10 == found.oldest_ms  # nothing that was read caused it: its time had come
    assert [("joined", "expiry", 1), ("expired", "expiry", 2)] == found.changes
    assert {"released": 2} == found.handovers
    bounds = (*MOVE_S, None)
    assert [0.2, None] == [it for it, n in zip(bounds, found.durations, strict=True) if n]
    assert 70.13 == found.duration_s
    assert [("members", "garbage", 2, 0)] == found.letters


def test_a_rebalance_is_as_old_as_the_record_that_caused_it() -> None:
    """Not as the last one that was read with it: a backlog of an hour may be one batch."""
    log = Log()
    log.append(MEMBERS, GROUP, join("a"), at=300_000)
    log.append(ROUTES, GROUP, route(), at=600_000)
    log.tick(GROUP, at=900_000)
    folded = fold(Cell(), log.rows, rules())
    encoded = tallied(folded.records, [], "t.", folded.rows)

    assert encoded is not None
    assert 600_000 == read(encoded).oldest_ms


@pytest.mark.parametrize(
    ("ending", "duration_ms", "counted"),
    [
        (Ending.RELEASED, 0, 1),
        (Ending.TAKEN, 0, 1),
        (Ending.LEFT, 0, 0),
        (Ending.FENCED, 0, 0),
        (Ending.LEFT, 130, 1),
        (Ending.FENCED, 130, 1),
    ],
)
def test_who_was_told_nothing_took_no_time_over_it(
    ending: Ending, duration_ms: int, counted: int
) -> None:
    """Members that leave would hide how long a holder takes that is asked to let go."""
    found = tally(handed_over(duration_ms, ending))

    assert {ending: 1} == found.handovers
    assert counted == sum(found.durations)


def test_dead_letters_of_this_batch_are_told_from_those_that_waited() -> None:
    """Each record that is read counts once, in the batch that read it."""
    rows = [Row("t.members", 0, offset, 0, b"k", b"v", 1) for offset in (5, 4, 6)]
    waited, fresh = letter("refused", 3), letter("refused", 4)

    assert [("members", "refused", 2, 1)] == tally(waited, fresh, rows=rows).letters


def test_only_what_asks_for_somebody_counts_under_its_kind() -> None:
    """Not a failure that is over, nor a member that a pause alone keeps."""
    found = tally(
        GroupAiled(GROUP, "ValueError: no rack is called north", Millis(1), CAUSE),
        GroupAiled(GROUP, "", Millis(2), CAUSE),
        EvictionsHeld(GROUP, (A, B), 2, Millis(3), replace(CAUSE, detail="2 of 3 are silent")),
        EvictionsHeld(GROUP, (A,), 1, Millis(4), replace(CAUSE, detail=PAUSED)),
    )

    assert {"ailment": 1, "ailment_over": 1, "hold": 1, "hold_paused": 1} == found.notes


def test_the_last_verdict_counts_and_each_ejection() -> None:
    """A verdict that is said again is no ejection; one that is withdrawn leaves nothing."""
    out, back = verdict(available=False), verdict(available=True)
    again = verdict(available=False, since=2)
    found = tally(*out, *out, *back, *again, again[0])

    assert [("east", "a/b", False, False)] == found.verdicts
    assert [("east", "a/b", 1, "latency"), ("east", "a/b", 2, "latency")] == found.ejections
    assert {"verdict": 4} == found.notes

    gone = verdict_record(VerdictWithdrawn(CLUSTER, BROKER), OUTLET)
    assert [("east", "a/b")] == tally(*out, gone).gone


def test_the_log_gets_what_people_look_for() -> None:
    """Rebalances, expiries, refusals and verdicts; not each join, nor each bad record."""
    told = tally(
        rebalanced(1, 1),
        changed(MemberChange.JOINED),
        changed(MemberChange.EXPIRED),
        handed_over(1),
        letter("garbage"),
        letter("refused"),
        *verdict(available=False),
    ).told

    assert ["rebalance", "member", "deadletter", "verdict"] == [it["kind"] for it in told]


def test_it_is_small_however_large_the_batch() -> None:
    """What is not told is counted."""
    found = tally(*(rebalanced(1, 1) for _ in range(1_000)))

    assert (TOLD, 1_000 - TOLD) == (len(found.told), found.untold)
    assert [("billing", "expiry", 1_000, 1_000)] == found.rebalances


def test_whatever_is_published_can_be_counted() -> None:
    """All that was ever on the wire, long lists too: a tally that cannot be made ends the batch."""
    said = [
        Record(f"t.{it.topic}", 0, broker_key("east", "a"), it.wire.encode())
        for it in golden()
        if it.topic in {"assignments", "brokers", "deadletters", "groups", "history", "releases"}
    ]
    many = [f"m{number}" for number in range(1_000)]
    hold = Hold(
        group="g", members=tuple(many), silent=1_000, at_ms=1, cause=protocol.Cause(kind="expiry")
    )
    long = Record("t.history", 0, b"g", encode(hold))
    for record in said:
        assert {record.topic[2:]: 1} == tally(record).written

    assert [1_000] == [it["members"] for it in tally(long).told]


def test_nothing_comes_to_nothing() -> None:
    """So an idle cell has no tally."""
    assert tallied([], [], "t.") is None
