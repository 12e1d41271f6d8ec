"""The roster: who is in, and what late, repeated and foreign records are worth."""

import pytest

from rebalance.groups.model.decisions import (
    Ending,
    EventRefused,
    MemberChange,
    Refusal,
)
from rebalance.groups.model.policy import Policy
from rebalance.ids import MemberId
from tests.builders.group import GroupBuilder, a_group
from tests.builders.notation import life
from tests.builders.records import MemberRecord, at, beaten, drained, joined, left
from tests.builders.rosters import after, changes, enter, roster

A = MemberId("a")
ONE_MEMBER = a_group().with_member("a", sequence=5)

JOINED, REJOINED, DRAINING, LEFT, EXPIRED, FENCED, AWAY = MemberChange

TRANSITIONS = {
    # name: (group, record, roster afterwards, what is told of whom)
    "first join": (a_group(), joined("a"), {"a"}, [("a", JOINED)]),
    "second member": (ONE_MEMBER, joined("b"), {"a", "b"}, [("b", JOINED)]),
    "join repeated": (ONE_MEMBER, joined("a", sequence=5), {"a"}, []),
    "join late": (ONE_MEMBER, joined("a", "payments", sequence=4), {"a"}, []),
    "join of a younger life": (ONE_MEMBER, joined("a:2"), {"a:2"}, [("a:2", REJOINED)]),
    "join of an older life": (a_group().with_member("a:2"), joined("a"), {"a:2"}, []),
    "drain": (ONE_MEMBER, drained("a", sequence=6), {"a"}, [("a", DRAINING)]),
    "drain late": (ONE_MEMBER, drained("a", sequence=4), {"a"}, []),
    "drain repeated": (ONE_MEMBER.with_drain("a"), drained("a", sequence=7), {"a"}, []),
    "drain of an older life": (a_group().with_member("a:2"), drained("a"), {"a:2"}, []),
    "drain of a stranger": (ONE_MEMBER, drained("x"), {"a"}, []),
    "leave": (ONE_MEMBER, left("a", sequence=6), set(), [("a", LEFT)]),
    "leave late": (ONE_MEMBER, left("a", sequence=4), {"a"}, []),
    "leave of an older life": (a_group().with_member("a:2"), left("a"), {"a:2"}, []),
    "leave of a stranger": (ONE_MEMBER, left("x"), {"a"}, []),
    "beat": (ONE_MEMBER, beaten("a"), {"a"}, []),
    "beat of a stranger": (ONE_MEMBER, beaten("x"), {"a"}, []),
}


@pytest.mark.parametrize(
    ("group", "record", "expected", "told"), TRANSITIONS.values(), ids=TRANSITIONS.keys()
)
def test_transition(
    group: GroupBuilder,
    record: MemberRecord,
    expected: set[str],
    told: list[tuple[str, MemberChange]],
) -> None:
    """Who is in after each record; every change is noted, and only a change (B3, B4, C1)."""
    draft = after(group, record)

    assert expected == roster(draft)
    assert told == changes(draft.outbox.notes)
    assert len(expected) == draft.population
    assert {name for name, _ in draft.membership.members.items()} == {
        name for name, _ in draft.membership.pulses.items()
    }


def test_join_is_answered_even_if_it_changes_nothing() -> None:
    """A member repeats its join because it heard nothing: it is sent its record, no new target."""
    draft = after(ONE_MEMBER, joined("a", sequence=9))

    assert {A} == draft.outbox.answered
    assert [] == draft.outbox.causes


@pytest.mark.parametrize(
    "record",
    [
        joined("a", "orders payments", sequence=6),
        joined("a", sequence=6, weight=2),
        joined("a", sequence=6, session_ms=20_000),
        joined("a", sequence=6, revocation_ms=90_000),
    ],
    ids=["topics", "weight", "session", "revocation"],
)
def test_join_that_changes_something_asks_for_a_new_target(record: MemberRecord) -> None:
    """The same life may change what it wants; that is a subscription change, not a rejoin."""
    draft = after(ONE_MEMBER, record)

    assert ["subscription"] == [cause.kind for cause in draft.outbox.causes]
    assert [] == draft.outbox.notes


def test_join_after_a_drain_takes_the_drain_back() -> None:
    """Whoever joins again wants to stay."""
    draft = after(ONE_MEMBER.with_drain("a"), joined("a", sequence=6))

    assert not draft.membership.members[A].draining
    assert ["subscription"] == [cause.kind for cause in draft.outbox.causes]


def test_join_older_than_the_drain_does_not_take_it_back() -> None:
    """Joins and drains of one life are ordered by their number, however they arrive."""
    draft = after(ONE_MEMBER.with_drain("a"), joined("a", sequence=4))

    assert draft.membership.members[A].draining


def test_younger_life_fences_the_older_one() -> None:
    """A restart under the same name takes over what its older life was granted (C1)."""
    assert {life("a"): Ending.FENCED} == after(ONE_MEMBER, joined("a:2")).fenced


def test_leaving_life_ends_by_its_own_word() -> None:
    """Who left has stopped: its grants end as left, not as fenced, and it is told so."""
    draft = after(ONE_MEMBER, left("a", sequence=6))

    assert {life("a"): Ending.LEFT} == draft.fenced
    assert {A} == draft.outbox.gone


def test_member_beyond_the_limit_is_refused_before_any_state_grows() -> None:
    """A full group turns newcomers away; those who are in may still join again."""
    draft = ONE_MEMBER.drafted(Policy(max_members=1))
    enter(draft, joined("b")(at(0)))
    enter(draft, joined("a:2")(at(0, offset=1)))
    refusals = [note.reason for note in draft.outbox.notes if isinstance(note, EventRefused)]

    assert [Refusal.TOO_MANY_MEMBERS] == refusals
    assert {"a:2"} == roster(draft)


def test_member_that_leaves_makes_room() -> None:
    """The limit counts who is in now, also within one batch."""
    draft = ONE_MEMBER.drafted(Policy(max_members=1))
    enter(draft, left("a", sequence=6)(at(0)))
    enter(draft, joined("b")(at(0, offset=1)))

    assert {"b"} == roster(draft)


# -- beats

BEATS = {
    # name: (records in order, when the member counts as seen, is a stranger told)
    "in order": ([(1_000, beaten("a", sequence=1)), (2_000, beaten("a", sequence=2))], 2_000),
    "repeated": ([(1_000, beaten("a", sequence=1)), (2_000, beaten("a", sequence=1))], 1_000),
    "late": ([(1_000, beaten("a", sequence=2)), (2_000, beaten("a", sequence=1))], 1_000),
    "older life": ([(1_000, beaten("a:0"))], 0),
    "younger life before its join": ([(1_000, beaten("a:2"))], 0),
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
    enter(draft, beaten("a")(at(2_000, offset=1)))

    assert 4_000 == draft.membership.pulses[A].seen


def test_record_that_was_overtaken_takes_nothing_back() -> None:
    """A drain that was written before the last word of its member makes it no older."""
    draft = a_group().with_member("a", seen=4_000).drafted()
    enter(draft, drained("a", sequence=1)(at(5_000, heard=3_000)))

    assert 4_000 == draft.membership.pulses[A].seen


@pytest.mark.parametrize(("epoch", "gone"), [(0, set()), (7, {MemberId("x")})])
def test_stranger_that_believes_in_a_record_is_told(epoch: int, gone: set[MemberId]) -> None:
    """Epoch 0 is a member whose join is about to be read; any other was forgotten (B5)."""
    assert gone == after(ONE_MEMBER, beaten("x", epoch=epoch)).outbox.gone


def test_older_life_of_a_member_is_not_told_anything() -> None:
    """The member's record already names the younger life; withdrawing it would fence that one."""
    assert set() == after(a_group().with_member("a:2"), beaten("a", epoch=7)).outbox.gone


def test_members_timeouts_are_those_of_the_policy() -> None:
    """What a member asks for is booked as it was granted."""
    draft = after(a_group(), joined("a", session_ms=1, revocation_ms=10_000_000))
    booked = draft.membership.members[A]

    assert (10_000, 600_000) == (booked.session_timeout_ms, booked.revocation_timeout_ms)
