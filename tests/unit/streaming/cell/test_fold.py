"""A cell folds what it reads, and only that."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rebalance.clock import LogClock
from rebalance.groups.model.events import Moment
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import GroupState
from rebalance.ids import Epoch, GroupName, Millis
from sinks import Record
from streaming.cell.cache import Cache
from streaming.cell.codec import Cell
from streaming.cell.fold import Folded, fold
from streaming.cell.hearing import hear
from streaming.cell.packed import Packed, Packs, unpack
from streaming.wire.rows import Row
from tests.builders.log import Log, beat, join, leave, route, rules
from trimtab.protocol import (
    HEARTBEATS,
    MEMBERS,
    ROUTES,
    DeadLetter,
    HolderRef,
    decode,
    partition_of,
)
from trimtab.protocol.topics import ASSIGNMENTS, DEADLETTERS

RULES = rules()


def group_of(cell: Cell, name: str = "billing") -> GroupState:
    """What a cell knows of a group."""
    return unpack(cell.groups.by_name()[GroupName(name)])


def a_member_at_work(log: Log, group: str = "billing", cell: Cell | None = None) -> Cell:
    """Read the first second of a group: a joins, its topic is seen, the clock ticks."""
    log.append(MEMBERS, group, join("a"), at=1_000)
    log.append(ROUTES, group, route(), at=1_000)
    log.tick(group, at=1_000)
    return fold(cell or Cell(), log.read(), RULES).cell


def on(topic: str, folded: Folded) -> list[Record]:
    """The records for one topic."""
    return [record for record in folded.records if record.topic == f"t.{topic}"]


def test_a_join_and_a_route_make_an_assignment() -> None:
    """What a member needs is decided and published in the very batch that says enough."""
    log = Log()
    log.append(MEMBERS, "billing", join("a"), at=1_000)
    log.append(ROUTES, "billing", route(queues=2), at=1_001)

    (record,) = on("assignments", fold(Cell(), log.rows, RULES))

    assert b"billing/a" == record.key
    assert (
        HolderRef("orders", "", 0, 1, None),
        HolderRef("orders", "", 1, 1, None),
    ) == decode(ASSIGNMENTS, record.value).hold


def test_the_same_rows_make_the_same_bytes() -> None:
    """A batch that is replayed publishes the same records and remembers the same cell."""
    log = Log()
    log.append(MEMBERS, "billing", join("a", "orders", "payments"), at=1_000)
    log.append(ROUTES, "billing", route(), at=1_001)

    assert fold(Cell(), log.rows, RULES) == fold(Cell(), reversed(log.rows), RULES)


def test_a_silent_member_is_removed_by_a_tick() -> None:
    """A tick that reaches a group's deadline wakes the group."""
    log = Log()
    cell = a_member_at_work(log)
    for second in range(2, 12):
        log.tick("billing", at=second * 1_000)
    folded = fold(cell, log.read(), RULES)

    assert {} == group_of(folded.cell).membership.members
    assert [None] == [record.value for record in on("assignments", folded)]


def test_a_tick_that_is_due_for_nobody_opens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It moves the clock, and no group is even looked at."""
    log = Log()
    cell = a_member_at_work(log)
    opened = Counter[str]()

    def counting(_: Packs[GroupName]) -> dict[GroupName, Packed]:
        opened["cell"] += 1
        return {}

    monkeypatch.setattr(Packs, "by_name", counting)
    log.tick("billing", at=2_000)
    folded = fold(cell, log.read(), RULES)

    assert Counter() == opened
    assert cell.clock.advanced(Millis(2_000), Millis(5_000)) == folded.cell.clock
    assert cell.groups is folded.cell.groups
    assert [] == folded.records


def test_only_groups_that_heard_something_are_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a hundred groups, a beat for one unpacks one."""
    log = Log()
    names = [name for name in map(str, range(1_000)) if partition_of(name, 8) == 0][:100]
    cell = Cell()
    for name in names:
        cell = a_member_at_work(log, name, cell)
    unpacked = []

    def counting(packed: Packed, rest: GroupState | None) -> GroupState:
        unpacked.append(packed)
        return unpack(packed, rest)

    monkeypatch.setattr("streaming.cell.cache.unpack", counting)
    log.append(HEARTBEATS, names[7], beat("a"), at=2_000)
    fold(cell, log.read(), replace(RULES, cache=Cache()))

    assert [cell.groups.by_name()[GroupName(names[7])]] == unpacked


def test_a_beat_leaves_the_slow_part_as_it_is() -> None:
    """Who owns what is not written again because somebody is still there."""
    log = Log()
    cell = a_member_at_work(log)
    log.append(HEARTBEATS, "billing", beat("a"), at=2_000)
    later = fold(cell, log.read(), RULES).cell
    before, after = (it.groups.by_name()[GroupName("billing")] for it in (cell, later))

    assert before.rest == after.rest
    assert before.beats != after.beats


def test_strangers_leave_no_trace() -> None:
    """A beat or a leave of nobody we know is answered, and not remembered."""
    log = Log()
    log.append(HEARTBEATS, "billing", beat("nobody", epoch=7), at=1_000)
    log.append(MEMBERS, "ghosts", leave("nobody"), at=1_000)
    folded = fold(Cell(), log.rows, RULES)

    assert {} == folded.cell.groups.by_name()
    assert [(b"billing/nobody", None)] == [record[2:4] for record in folded.records]


def test_a_bad_record_costs_only_itself() -> None:
    """Between good records of the same batch, a bad one becomes a dead letter and no more."""
    log = Log()
    log.append(MEMBERS, "billing", b"\xff garbage", at=999)
    log.append(MEMBERS, "billing", join("a"), at=1_000)
    log.append(MEMBERS, None, b"{}", at=1_000, partition=3)
    log.append(ROUTES, "billing", route(), at=1_001)
    folded = fold(Cell(), log.rows, RULES)
    letters = [decode(DEADLETTERS, record.value) for record in on("deadletters", folded)]

    assert ["garbage", "null_key"] == [letter.reason for letter in letters]
    assert {"a"} == set(group_of(folded.cell).membership.members)
    assert 1 == len(on("assignments", folded))


def test_what_the_brain_refuses_is_returned_whole() -> None:
    """A well-formed event beyond the limits goes to the dead letters with its original bytes."""
    log = Log()
    log.append(MEMBERS, "billing", join("a"), at=1_000)
    refused = log.append(MEMBERS, "billing", join("b"), at=1_001)
    folded = fold(Cell(), log.rows, rules(Policy(strategy="AVG", max_members=1)))
    (record,) = on("deadletters", folded)
    letter = decode(DEADLETTERS, record.value)

    assert isinstance(letter, DeadLetter)
    assert ("refused", refused.offset, refused.size) == (letter.reason, letter.offset, letter.size)


# -- the same log, cut into other batches


def history(actions: Sequence[tuple[str, int, int]]) -> list[Row]:
    """Write a log of one group from (action, member, pause)."""
    log, now = Log(), 1_000
    for sequence, (action, number, pause) in enumerate(actions, start=1):
        now += pause
        member = f"m{number}"
        match action:
            case "join":
                log.append(MEMBERS, "billing", join(member, sequence=sequence), at=now)
            case "beat":
                log.append(HEARTBEATS, "billing", beat(member, sequence), at=now)
            case "leave":
                log.append(MEMBERS, "billing", leave(member, sequence), at=now)
            case "route":
                log.append(ROUTES, "billing", route(queues=number, version=sequence), at=now)
            case _:
                log.tick("billing", at=now)
    return sorted(log.rows, key=lambda row: (row.appended_ms, *row[:3]))


ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["join", "beat", "leave", "route", "tick", "tick"]),
        st.integers(1, 4),
        st.sampled_from([1, 100, 900, 4_000, 12_000]),
    ),
    min_size=1,
    max_size=30,
)
CUTS = st.sets(st.integers(0, 30))


def batches(rows: list[Row], cuts: set[int]) -> list[list[Row]]:
    """Cut a log."""
    places = [0, *sorted(cut for cut in cuts if 0 < cut < len(rows)), len(rows)]
    return [rows[start:end] for start, end in pairwise(places)]


@given(ACTIONS, CUTS)
def test_every_cut_gives_the_same_stamps(
    actions: list[tuple[str, int, int]], cuts: set[int]
) -> None:
    """An event carries the clock's reading at its place in the log, wherever a batch ends."""
    rows = history(actions)
    whole = hear(LogClock(), rows, RULES)
    name = GroupName("billing")
    clock, moments = LogClock(), list[Moment]()
    for batch in batches(rows, cuts):
        heard = hear(clock, batch, RULES)
        clock, moments = heard.clock, moments + heard.moments(name)

    assert (whole.clock, whole.moments(name)) == (clock, moments)


PATIENT = rules(Policy(strategy="AVG", revocation_timeout_ms=Millis(600_000)))
"""Nobody is fenced for being slow: when that is depends on when it was told, so on the cuts."""

_FLAPS = [("join", 1, 1), ("leave", 1, 1)]
A_REST_THAT_ENDS = [
    ("tick", 1, 1),
    *_FLAPS * 3,
    *[("tick", 1, 12_000)] * 11,
    *_FLAPS,
    *[(kind, 1, 4_000) for kind in ("join", "tick")],
]
"""Who is let in to rest works when the rest is over, were it within the same batch."""
FLAPS_THAT_FADED = [
    ("tick", 1, 1),
    *_FLAPS,
    *[("tick", 1, 12_000)] * 12,
    ("tick", 1, 900),
    *[(kind, 2, 1) for kind in ("join", "leave")],
    ("join", 1, 900),
    *[(kind, 1, 1) for kind in ("leave", "join")] * 4,
]
"""Flaps that have faded to none leave no time behind from which a rest would be counted."""


@given(ACTIONS, CUTS)
@example(A_REST_THAT_ENDS, {21})
@example(FLAPS_THAT_FADED, {18})
def test_every_cut_ends_with_the_same_group(
    actions: list[tuple[str, int, int]], cuts: set[int]
) -> None:
    """Who belongs to the group, what is known and who should own what is the log's alone to say."""
    rows = history(actions)
    whole = fold(Cell(), rows, PATIENT).cell
    cell = Cell()
    for batch in batches(rows, cuts):
        cell = fold(cell, batch, PATIENT).cell

    assert essence(whole) == essence(cell)


def essence(cell: Cell) -> object:
    """What must not depend on batches: everything but epochs and hand-overs under way."""
    groups = {name: unpack(packed) for name, packed in cell.groups.by_name().items()}
    return {
        name: (
            {
                who: replace(member, since=Epoch(0))
                for who, member in group.membership.members.items()
            },
            {who: replace(pulse, unread=None) for who, pulse in group.membership.pulses.items()},
            group.topics.routes,
            group.target.owners,
        )
        for name, group in groups.items()
    }
