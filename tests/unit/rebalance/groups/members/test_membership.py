"""The roster: who is in, and what late, repeated and foreign records are worth."""

import pytest

from rebalance.groups.model.decisions import (
    Ending,
    MemberChange,
)
from rebalance.ids import MemberId
from tests.builders.group import GroupBuilder, a_group
from tests.builders.notation import life
from tests.builders.records import MemberRecord, at, beat_of, drained, joined, left
from tests.builders.rosters import Told, after, check_transition, enter
from trimtab.holdings import LAST

A = MemberId("a")
ONE_MEMBER = a_group().with_member("a", sequence=5)

JOINED, REJOINED, DRAINING, LEFT, EXPIRED, FENCED, AWAY, _ = MemberChange

TRANSITIONS = {
    # name: (group, record, roster afterwards, what is told of whom)
    "drain": (ONE_MEMBER, drained("a", sequence=6), {"a"}, [("a", DRAINING)]),
    "drain late": (ONE_MEMBER, drained("a", sequence=4), {"a"}, []),
    "drain repeated": (ONE_MEMBER.with_drain("a"), drained("a", sequence=7), {"a"}, []),
    "drain of an older life": (a_group().with_member("a:2"), drained("a"), {"a:2"}, []),
    "drain of a stranger": (ONE_MEMBER, drained("x"), {"a"}, []),
    "leave": (ONE_MEMBER, left("a", sequence=6), set(), [("a", LEFT)]),
    "leave late": (ONE_MEMBER, left("a", sequence=4), {"a"}, []),
    "leave of an older life": (a_group().with_member("a:2"), left("a"), {"a:2"}, []),
    "leave of a stranger": (ONE_MEMBER, left("x"), {"a"}, []),
    "beat": (ONE_MEMBER, beat_of("a"), {"a"}, []),
    "beat of a stranger": (ONE_MEMBER, beat_of("x"), {"a"}, []),
}


@pytest.mark.parametrize(
    ("group", "record", "expected", "told"), TRANSITIONS.values(), ids=TRANSITIONS.keys()
)
def test_transition(
    group: GroupBuilder, record: MemberRecord, expected: set[str], told: list[Told]
) -> None:
    """Who is in after each record; every change is noted, and only a change (B3, B4, C1)."""
    check_transition(group, record, expected, told)


def test_leaving_life_ends_by_its_own_word() -> None:
    """Who left has stopped: its grants end as left, not as fenced, and it is told so."""
    draft = after(ONE_MEMBER, left("a", sequence=6))

    assert {life("a"): Ending.LEFT} == draft.ended
    assert {A} == draft.outbox.gone


@pytest.mark.parametrize(("number", "said"), [(6, ""), (LAST, "its process has died")])
def test_a_guards_word_is_told_from_the_members_own(number: int, said: str) -> None:
    """Whoever asks why a member left wants to know that its process died."""
    (cause,) = after(ONE_MEMBER, left("a", sequence=number)).outbox.changes

    assert cause.detail.startswith(said)
    assert bool(said) == bool(cause.detail)


# -- beats

BEATS = {
    # name: (records in order, when the member counts as seen, is a stranger told)
    "in order": ([(1_000, beat_of("a", sequence=1)), (2_000, beat_of("a", sequence=2))], 2_000),
    "repeated": ([(1_000, beat_of("a", sequence=1)), (2_000, beat_of("a", sequence=1))], 1_000),
    "late": ([(1_000, beat_of("a", sequence=2)), (2_000, beat_of("a", sequence=1))], 1_000),
    "older life": ([(1_000, beat_of("a:0"))], 0),
    "younger life before its join": ([(1_000, beat_of("a:2"))], 0),
    "by a repeated join": ([(1_000, joined("a", sequence=5))], 1_000),
    "by a drain": ([(1_000, drained("a", sequence=6))], 1_000),
}


@pytest.mark.parametrize(("records", "seen"), BEATS.values(), ids=BEATS.keys())
def test_only_news_of_the_present_life_counts_as_seen(
    records: list[tuple[int, MemberRecord]], seen: int
) -> None:
    """Late, repeated and foreign beats keep nobody alive (B3, B4)."""
    draft = ONE_MEMBER.drafted()
    for offset, (clock, record) in enumerate(records):
        enter(draft, record(at(clock, offset)))

    assert seen == draft.membership.pulses[A].seen


def test_record_of_another_topic_may_be_ahead_of_the_beats_read_so_far() -> None:
    """A join counts as heard at its own time, and beats behind it do not take that back."""
    draft = a_group().drafted()
    enter(draft, joined("a")(at(1_000, heard=4_000)))
    enter(draft, beat_of("a")(at(2_000, offset=1)))

    assert 4_000 == draft.membership.pulses[A].seen


def test_record_that_was_overtaken_takes_nothing_back() -> None:
    """A drain that was written before the last word of its member makes it no older."""
    draft = a_group().with_member("a", seen=4_000).drafted()
    enter(draft, drained("a", sequence=1)(at(5_000, heard=3_000)))

    assert 4_000 == draft.membership.pulses[A].seen


@pytest.mark.parametrize(("epoch", "gone"), [(0, set()), (7, {MemberId("x")})])
def test_stranger_that_believes_in_a_record_is_told(epoch: int, gone: set[MemberId]) -> None:
    """Epoch 0 is a member whose join is about to be read; any other was forgotten (B5)."""
    assert gone == after(ONE_MEMBER, beat_of("x", epoch=epoch)).outbox.gone


def test_older_life_of_a_member_is_not_told_anything() -> None:
    """The member's record already names the younger life; withdrawing it would fence that one."""
    assert set() == after(a_group().with_member("a:2"), beat_of("a", epoch=7)).outbox.gone
