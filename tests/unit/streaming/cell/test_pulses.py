"""Members whose beats are counted stand in columns, once."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from msgspec import msgpack

from rebalance.groups.model.member import Pulse
from rebalance.groups.model.state import GroupState
from rebalance.ids import MemberId, Millis
from streaming.cell import pulses
from streaming.cell.pulses import NOBODY, NONE, Known, PulseTable, Taken
from streaming.cell.stored.unreadable import UnreadableState
from streaming.wire.beats import Fingerprint
from tests.builders.group import a_group

A, B = MemberId("a"), MemberId("b")
GROUP = a_group().with_member("a", seen=1_000).with_member("b", seen=2_000).state
SESSIONS: Mapping[MemberId, Millis] = {A: Millis(10_000), B: Millis(20_000)}


def known(*names: MemberId) -> dict[MemberId, Known]:
    """Some of the group's members, with fingerprints of their own."""
    lives = {name: it.incarnation for name, it in GROUP.membership.members.items()}
    return {name: Known(Fingerprint(ord(name), 7), lives[name], SESSIONS[name]) for name in names}


def entered(*names: MemberId, until: int | None = 90_000) -> pulses.Pulses:
    """The columns with some of them."""
    register = PulseTable(NONE)
    register.enter(GROUP, Taken(known(*names), None if until is None else Millis(until)))
    return pulses.read(pulses.write(register.closed()))


def test_a_group_is_taken_out_as_it_is_now() -> None:
    """With the pulses of the columns, the earliest of all deadlines, and who stood there."""
    there = entered(A, B)
    heard = replace(there, seen=there.seen + 500, number=there.number + 3)
    state, found = PulseTable(heard).take(GROUP)

    assert Taken(known(A, B), Millis(90_000)) == found
    assert {A: Pulse(Millis(1_500), 2), B: Pulse(Millis(2_500), 2)} == dict(state.membership.pulses)
    assert 11_500 == state.deadline


def test_whoever_does_not_stand_there_is_as_it_was() -> None:
    """Its pulse is that of the group; a group that is not there at all is not touched."""
    state, found = PulseTable(entered(B, until=None)).take(GROUP)

    assert Taken(known(B), None) == found
    assert GROUP.membership.pulses == state.membership.pulses
    assert 22_000 == state.deadline
    assert (GROUP, NOBODY) == PulseTable(NONE).take(GROUP)


def test_a_group_stands_there_once() -> None:
    """Taken out and entered again, or not at all; others stay."""
    other = GroupState(name=type(GROUP.name)("other"), membership=GROUP.membership)
    register = PulseTable(entered(A, B))
    register.enter(other, Taken(known(A), None))
    register = PulseTable(register.closed())
    state, _ = register.take(GROUP)
    register.enter(state, Taken(known(A), Millis(5)))
    after = register.closed()

    assert sorted(["billing", "other"]) == sorted(after.names)
    assert 2 == len(after.first)
    left = PulseTable(after)
    left.take(GROUP)
    assert ["other"] == left.closed().names


@pytest.mark.parametrize(("now", "due"), [(10_999, []), (11_000, [GROUP.name])])
def test_a_group_is_due_when_a_session_ends(now: int, due: list[str]) -> None:
    """Or when anything else is."""
    assert due == PulseTable(entered(A, B)).due(Millis(now))
    assert [GROUP.name] == PulseTable(entered(B, until=now)).due(Millis(now))


def test_nothing_is_written_of_nobody() -> None:
    """And nothing is read of it."""
    assert b"" == pulses.write(NONE)
    assert pulses.read(b"") is NONE


@pytest.mark.parametrize(
    ("field", "wrong"),
    [(4, np.array([0, 9], "<i4")), (4, np.array([0, -1], "<i4")), (5, np.array([-1, 0], "<i4")),
     (7, np.array([1], "<i8"))],
)  # fmt: skip
def test_columns_that_make_no_sense_are_refused(field: int, wrong: np.ndarray) -> None:
    """Another length, or the place of no group."""
    whole = msgpack.decode(pulses.write(entered(A, B)))
    whole[field] = wrong.tobytes()
    with pytest.raises(UnreadableState):
        pulses.read(msgpack.encode(whole))


def test_a_place_of_no_member_is_refused() -> None:
    """The group that is unpacked has fewer members."""
    there = entered(A, B)
    with pytest.raises(UnreadableState):
        PulseTable(replace(there, place=there.place + 9)).take(GROUP)


def test_another_life_is_another_member() -> None:
    """Who stood there is known by the life that it had."""
    _, found = PulseTable(entered(A)).take(GROUP)

    assert found.known[A].incarnation == GROUP.membership.members[A].incarnation
