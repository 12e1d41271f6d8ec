"""Silence: who is removed, when exactly, and when it is worth looking."""

from dataclasses import replace

import pytest

from rebalance.groups import routing, timers
from rebalance.groups.model.decisions import (
    Ending,
    MemberChange,
)
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import RouteObserved
from rebalance.groups.model.policy import Policy
from rebalance.ids import BrokerName, MemberId, Millis, Queue, TopicName
from tests.builders.group import a_group
from tests.builders.notation import life
from tests.builders.records import at, joined
from tests.builders.rosters import after, changes, roster
from trimtab.session.fencing import within

A = MemberId("a")

NOT_APPLIED = a_group().with_member("a", seen=1_000, session_ms=10_000).due_at(11_000)


@pytest.mark.parametrize(("clock", "expected"), [(10_999, {"a"}), (11_000, set())])
def test_member_expires_at_its_session_timeout_and_not_before(
    clock: int, expected: set[str]
) -> None:
    """Silent for exactly the session timeout is silent for too long (I6)."""
    draft = NOT_APPLIED.drafted()
    timers.fire(draft, at(clock))

    assert expected == roster(draft)


def test_expiry_names_the_record_that_proved_it() -> None:
    """The cause of an expiry is the record that was read, and how long the silence was."""
    draft = NOT_APPLIED.drafted()
    timers.fire(draft, at(12_000, offset=77))
    cause = draft.outbox.changes[0]

    assert ("expiry", "a", 77, "silent for 11000 ms") == (
        cause.kind,
        cause.subject,
        cause.position.offset,
        cause.detail,
    )
    assert [("a", MemberChange.EXPIRED)] == changes(draft.outbox.notes)
    assert {life("a"): Ending.FENCED} == draft.ended
    assert {A} == draft.outbox.gone


def test_nobody_is_looked_at_before_the_deadline() -> None:
    """A lower bound spares the look; whoever sets it too late is believed."""
    draft = NOT_APPLIED.due_at(50_000).drafted()
    timers.fire(draft, at(20_000))

    assert {"a"} == roster(draft)


def test_looking_sets_the_next_deadline_exactly() -> None:
    """After a look the deadline is that of whoever falls silent first."""
    group = a_group().with_member("a", seen=4_000).with_member("b", seen=3_000).due_at(5_000)
    draft = group.drafted()
    timers.fire(draft, at(5_000))

    assert 13_000 == draft.deadline


def test_what_the_end_of_the_step_does_anyway_wakes_nobody_before() -> None:
    """An expiry asks for a new target: not a look at everybody for each event."""
    group = NOT_APPLIED.with_member("b", seen=9_000)
    target = replace(group.state.target, at=Millis(1_000))
    without = Draft(replace(group.state, target=target), Policy())
    timers.fire(without, at(11_000))

    assert without.awaits_target
    assert 19_000 == without.deadline
    assert 1_000 == timers.earliest(without)


def test_nobody_left_to_wait_for_means_no_deadline() -> None:
    """An empty group is woken when its flaps have faded, and when what is left is removed."""
    draft = NOT_APPLIED.drafted()
    timers.fire(draft, at(11_000))
    assert 11_000 + draft.policy.flap_half_life_ms == draft.deadline

    timers.fire(draft, at(draft.deadline))
    assert 11_000 + draft.policy.keep_empty_ms == draft.deadline

    timers.fire(draft, at(draft.deadline))
    assert draft.deadline is None


KEEPER = (
    a_group()
    .with_member("a", seen=60_000, revocation_ms=60_000)
    .with_member("b", seen=60_000, revocation_ms=60_000)
    .due_at(0)
)


@pytest.mark.parametrize(
    ("page", "clock", "expected"),
    [
        ("a@1!2 > b@2", 59_999, {"a", "b"}),
        ("a@1!2 > b@2", 60_000, {"b"}),
        ("a@1!2 / b@2", 60_000, {"b"}),
        ("a@1!2x > b@2", 60_000, {"a", "b"}),
        ("a@1", 60_000, {"a", "b"}),
        ("a:0@1!2 > b@2", 60_000, {"a", "b"}),
    ],
    ids=[
        "in time",
        "holder too late",
        "an heir that is not named owes nothing",
        "known to be done",
        "not asked",
        "of an earlier life",
    ],
)
def test_member_that_keeps_a_queue_too_long_is_fenced(
    page: str, clock: int, expected: set[str]
) -> None:
    """A holder that was told to let go has the revocation timeout for it, and no heir has (C5)."""
    draft = KEEPER.with_page("orders-0", page).drafted()
    timers.fire(draft, at(clock))

    assert expected == roster(draft)
    assert {"fence"} >= {cause.kind for cause in draft.outbox.changes}


@pytest.mark.parametrize(
    ("session_ms", "revocation_ms", "expected"),
    [
        (10_000, 60_000, 60_000),
        (10_000, 50_000, 50_000),
        (10_000, 49_999, 50_000),
        (10_000, 10_000, 18_000),
        (10_000, 1, 10_001),
    ],
    ids=["default", "five sessions", "less", "a session", "next to nothing"],
)
def test_member_fences_itself_before_it_is_fenced_for_a_queue(
    session_ms: int, revocation_ms: int, expected: int
) -> None:
    """The member counts from its reading, the controller from the telling: a session lies between.

    It reads within four fifths of its session, or drops everything for not reading; then it gives
    itself four fifths of its time to let go. With a fifth of the session to spare, it is over.
    """
    group = a_group().with_member(
        "a", seen=1_000_000, session_ms=session_ms, revocation_ms=revocation_ms
    )
    draft = group.with_page("orders-0", "a@1!2").due_at(0).drafted()

    assert expected == timers.earliest(draft)
    assert within(session_ms) + within(revocation_ms) <= expected


def test_a_session_gets_longer_and_never_shorter_while_a_life_lasts() -> None:
    """It trusts in the longer one until it has read of the shorter, and who knows when that is."""
    group = a_group().with_member("a", session_ms=20_000, revocation_ms=9_000).due_at(600_000)
    for session_ms, revocation_ms, expected in (
        (2_000, 1_000, (20_000, 9_000)),
        (30_000, 10_000, (30_000, 10_000)),
    ):
        record = joined("a", sequence=1, session_ms=session_ms, revocation_ms=revocation_ms)
        known = after(group, record, clock=1_000).membership.members[A]
        assert expected == (known.session_timeout_ms, known.revocation_timeout_ms)


def test_longer_session_does_not_move_the_deadline_back() -> None:
    """Somebody else may be waited for before that."""
    draft = after(NOT_APPLIED, joined("b", session_ms=600_000))

    assert 11_000 == draft.deadline


def test_queues_that_vanish_are_given_up_though_the_topic_has_outgrown_its_room() -> None:
    """A broker is gone for good, and others have got more queues than the group may have."""
    topic, policy = TopicName("orders"), Policy(max_queues=4, route_damping_ms=Millis(1_000))
    old = [Queue(topic, BrokerName(name), number) for name in "ab" for number in range(2)]
    new = [Queue(topic, BrokerName("b"), number) for number in range(6)]
    draft = a_group().with_member("m", "orders", session_ms=600_000).drafted(policy)
    for version, queues in ((1, old), (2, new), (3, new)):
        seen = RouteObserved(at(version), topic, version, exists=True, queues=tuple(queues))
        routing.observe(draft, seen)
    timers.fire(draft, at(5_000))
    route = draft.topics.routes.get(topic)

    assert route is not None
    assert (new[:2], 4) == (list(route.queues), route.left_out)


def test_one_that_is_held_for_no_reason_any_more_is_looked_at_when_its_session_ends() -> None:
    """It has let go meanwhile. Else each beat of the group would look at every member."""
    draft = a_group().with_member("a", seen=4_000).with_member("b", seen=9_000).drafted()
    draft.membership.suspected.put(A, Millis(6_000))

    assert 14_000 == timers.earliest(draft)
