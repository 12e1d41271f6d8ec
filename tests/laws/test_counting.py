"""Beats that are counted in columns decide what decoded beats decide."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rebalance.clock import LogClock
from rebalance.groups import quiet
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import GroupState
from rebalance.ids import GroupName, MemberId, Millis
from sinks import Record as Published
from streaming.cell import counting, pulses
from streaming.cell.cache import Cache
from streaming.cell.codec import Cell, read, write
from streaming.cell.counting import Counted
from streaming.cell.fold import fold
from streaming.cell.gate import SHUT, Gate
from streaming.cell.hearing import CellRules
from streaming.cell.packed import unpack
from streaming.cell.pulses import Pulses
from streaming.wire.beats import Beats, split
from streaming.wire.rows import Row
from tests.builders.effort import tried
from tests.laws.beating import NAMES, RULES
from tests.laws.happenings import (
    STORIES,
    Story,
    commanded,
    deafened,
    goes,
    often,
    regrown,
    repeated,
    restarts,
    silent,
    told,
)
from trimtab.protocol import TICK_KEY, Resume

Batch = tuple[list[Row], Beats | None]


def folded(
    rows: Sequence[Row],
    cuts: set[int],
    given: Callable[[list[Row]], Batch],
    *,
    forgetful: bool = False,
) -> tuple[list[list[Published]], dict[GroupName, GroupState]]:
    """What is published, batch by batch, and the groups at the end."""
    cell, records, law = Cell(gate=SHUT), [], RULES
    for low, high in pairwise(sorted({0, len(rows), *(it % len(rows) for it in cuts)})):
        others, beats = given(list(rows[low:high]))
        if forgetful:
            law = replace(RULES, cache=Cache())
        cell, published, _ = fold(read(write(cell)), others, law, beats)
        records.append(published)
    register = pulses.PulseTable(pulses.read(cell.pulses))
    groups = {it: unpack(packed) for it, packed in cell.groups.by_name().items()}
    return records, {name: as_said(register.take(state)[0]) for name, state in groups.items()}


def as_said(state: GroupState) -> GroupState:
    """Leave out which batch had a group stepped for nothing but a deadline that it kept for later.

    That step notes that what the last one said is out, and that the time of those begins who have
    to show that they read it. It says nothing by itself.
    """
    seen = {
        name: it if it.unread is None else replace(it, unread=replace(it.unread, since=None))
        for name, it in state.membership.pulses.items()
    }
    membership = replace(state.membership, pulses=seen)
    outbox = replace(state.outbox, unposted=())
    return replace(state, deadline=None, membership=membership, outbox=outbox)


def plainly(rows: list[Row]) -> Batch:
    """Nothing is counted."""
    return rows, None


def in_columns(rows: list[Row]) -> Batch:
    """What has a fingerprint comes in columns."""
    return split(rows, RULES.decoder.heartbeats)


A: Final = (NAMES[0], "a")
B: Final = (NAMES[0], "b")
CUTS: Final = st.builds(
    lambda stride, more: {*range(0, 400, stride), *more},
    st.sampled_from([5, 10, 11, 40, 400]),
    st.sets(st.integers(1, 400), max_size=9),
)


@pytest.mark.slow
@tried(least=25, one_in=20)
@given(story=STORIES, cuts=CUTS)
@example(story={8: [deafened(A, deaf=True)], 9: [goes(B)]}, cuts={*range(0, 400, 9)})
@example(story={7: [deafened(B, deaf=True)], 8: [regrown(NAMES[0], 6)]}, cuts={*range(0, 400, 5)})
@example(story={1: [deafened(A, deaf=True)], 9: [silent(A, 2)]}, cuts={*range(0, 400, 7)})
@example(story={9: [silent((NAMES[0], it), 8) for it in "abc"]}, cuts=set(range(0, 400, 5)))
@example(story={9: [silent(A, 9)]}, cuts=set(range(0, 400, 13)))
@example(story={9: [often(A, 20, None)]}, cuts=set(range(0, 400, 11)))
@example(story={9: [repeated(A, 3, 2)], 11: [regrown(NAMES[0], 6)]}, cuts=set(range(0, 400, 7)))
@example(story={4: [restarts(A), regrown("group-13", 2)]}, cuts={*range(0, 400, 11), 232})
@example(story={4: [commanded(A[0], Resume, 3_000)], 9: [silent(A, 9)]}, cuts={*range(0, 400, 9)})
def test_counted_or_decoded_they_decide_the_same(story: Story, cuts: set[int]) -> None:
    """The same records in every batch, and the same groups at the end, however the log is cut."""
    rows = told(story)

    decoded, counted = folded(rows, cuts, plainly), folded(rows, cuts, in_columns)
    for number, (expected, found) in enumerate(zip(decoded[0], counted[0], strict=True)):
        assert expected == found, f"batch {number}"
    assert decoded[1] == counted[1]


def test_a_worker_that_forgets_everything_decides_the_same() -> None:
    """All that is known of beats is in the state: each batch may be another worker's (A10)."""
    rows = told({6: [silent(A, 3)], 9: [regrown(NAMES[0], 6)], 14: [silent(A, 9)]})
    cuts = set(range(0, 400, 10))
    right = folded(rows, cuts, plainly)

    assert (right == folded(rows, cuts, in_columns, forgetful=True)) is True


@pytest.mark.parametrize("late_ms", [0, 3_000])
def test_most_beats_of_a_quiet_group_are_counted(
    monkeypatch: pytest.MonkeyPatch, late_ms: int
) -> None:
    """After the first one of each member none is decoded, until something happens to the group.

    Nor because a record that came late makes its log look behind, of which nothing more comes.
    """
    rows = told({2: [commanded(NAMES[0], Resume, late_ms)], 12: [regrown(NAMES[0], 6)]})
    left: list[int] = []

    def noting(
        clock: LogClock,
        way: Gate,
        there: Pulses,
        others: list[Row],
        beats: Beats | None,
        law: CellRules,
    ) -> Counted:
        counted = counting.count(clock, way, there, others, beats, law)
        left.append(len(counted.rows))
        return counted

    monkeypatch.setattr("streaming.cell.fold.count", noting)
    ends = [place + 1 for place, row in enumerate(rows) if row.key == TICK_KEY]
    folded(rows, set(ends), in_columns)

    assert [2] * 8 == left[5:13], "a tick, and the beat that only shows how late it is"
    assert max(left[13:18]) == 7, "a route, and the beats of its group"
    assert [2] * 5 == left[-6:-1]


@pytest.mark.parametrize("forgotten", ["unread", "patience", "session"])
def test_a_beat_that_is_counted_too_soon_is_found(
    forgotten: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The law has teeth: whoever counts beats of members that are not quiet decides otherwise."""
    sessions, unread_by = quiet.sessions, quiet.unread_by
    late = Millis(1_000_000)

    def all_live(state: GroupState, policy: Policy) -> Mapping[MemberId, Millis]:
        return dict.fromkeys(sessions(state, policy), late)

    def all_read(*_: object) -> Mapping[MemberId, Millis]:
        return {}

    def all_wait(state: GroupState, policy: Policy) -> Mapping[MemberId, Millis]:
        return {name: Millis(asks + late) for name, asks in unread_by(state, policy).items()}

    story: dict[str, Story] = {
        "unread": {
            8: [deafened(B, deaf=True)],
            9: [silent((NAMES[0], "c"), 99), goes((NAMES[0], "c"))],
        },
        "patience": {7: [deafened(B, deaf=True)], 8: [regrown(NAMES[0], 6)]},
        "session": {9: [silent(A, 12)]},
    }
    rows = told(story[forgotten])
    cuts = set(range(0, 400, 5))
    right = folded(rows, cuts, in_columns)
    if forgotten == "session":
        monkeypatch.setattr(quiet, "sessions", all_live)
    else:
        careless = all_read if forgotten == "unread" else all_wait
        monkeypatch.setattr(quiet, "unread_by", careless)

    assert (right == folded(rows, cuts, plainly)) is True
    assert (right == folded(rows, cuts, in_columns)) is False
