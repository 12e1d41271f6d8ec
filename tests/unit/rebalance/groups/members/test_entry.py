"""Entering joins: who is in afterwards, and what is said of whom."""

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
from tests.builders.records import MemberRecord, at, joined, left
from tests.builders.rosters import Told, after, check_transition, enter, roster

A = MemberId("a")
ONE_MEMBER = a_group().with_member("a", sequence=5)

JOINED, REJOINED = MemberChange.JOINED, MemberChange.REJOINED

TRANSITIONS = {
    # name: (group, record, roster afterwards, what is told of whom)
    "first join": (a_group(), joined("a"), {"a"}, [("a", JOINED)]),
    "second member": (ONE_MEMBER, joined("b"), {"a", "b"}, [("b", JOINED)]),
    "join repeated": (ONE_MEMBER, joined("a", sequence=5), {"a"}, []),
    "join late": (ONE_MEMBER, joined("a", "payments", sequence=4), {"a"}, []),
    "join of a younger life": (ONE_MEMBER, joined("a:2"), {"a:2"}, [("a:2", REJOINED)]),
    "join of an older life": (a_group().with_member("a:2"), joined("a"), {"a:2"}, []),
}


@pytest.mark.parametrize(
    ("group", "record", "expected", "told"), TRANSITIONS.values(), ids=TRANSITIONS.keys()
)
def test_transition(
    group: GroupBuilder, record: MemberRecord, expected: set[str], told: list[Told]
) -> None:
    """Who is in after each join; every change is noted, and only a change (B3, B4, C1)."""
    check_transition(group, record, expected, told)


def test_join_is_answered_even_if_it_changes_nothing() -> None:
    """A member repeats its join because it heard nothing: it is sent its record, no new target."""
    draft = after(ONE_MEMBER, joined("a", sequence=9))

    assert {A} == draft.outbox.answered
    assert [] == draft.outbox.changes


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

    assert ["subscription"] == [cause.kind for cause in draft.outbox.changes]
    assert [] == draft.outbox.notes


def test_join_after_a_drain_takes_the_drain_back() -> None:
    """Whoever joins again wants to stay."""
    draft = after(ONE_MEMBER.with_drain("a"), joined("a", sequence=6))

    assert not draft.membership.members[A].draining
    assert ["subscription"] == [cause.kind for cause in draft.outbox.changes]


def test_join_older_than_the_drain_does_not_take_it_back() -> None:
    """Joins and drains of one life are ordered by their number, however they arrive."""
    draft = after(ONE_MEMBER.with_drain("a"), joined("a", sequence=4))

    assert draft.membership.members[A].draining


def test_younger_life_fences_the_older_one() -> None:
    """A restart under the same name takes over what its older life was granted (C1)."""
    assert {life("a"): Ending.FENCED} == after(ONE_MEMBER, joined("a:2")).ended


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


def test_members_timeouts_are_those_of_the_policy() -> None:
    """What a member asks for is booked as it was granted."""
    draft = after(a_group(), joined("a", session_ms=1, revocation_ms=10_000_000))
    booked = draft.membership.members[A]

    assert (10_000, 600_000) == (booked.session_timeout_ms, booked.revocation_timeout_ms)
