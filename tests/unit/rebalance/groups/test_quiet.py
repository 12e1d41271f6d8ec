"""In a quiet group nothing but the end of a session is near."""

from rebalance.groups import quiet
from rebalance.groups.model.member import Pulse, Unread
from rebalance.groups.model.policy import Policy
from rebalance.ids import Epoch, MemberId, Millis
from tests.builders.group import GroupBuilder, a_group

POLICY = Policy()
A, B = MemberId("a"), MemberId("b")


def at_rest() -> GroupBuilder:
    """Two members, and nothing to do."""
    return a_group().with_member("a", seen=1_000).with_member("b", seen=2_000, session_ms=20_000)


def test_members_of_a_group_at_rest_may_be_silent_for_their_sessions() -> None:
    """Each for its own, as eviction counts it."""
    assert {A: 10_000, B: 20_000} == quiet.sessions(at_rest().state, POLICY)


def test_what_is_due_besides() -> None:
    """The sessions of those who are not counted."""
    state = at_rest().state

    assert 11_000 == quiet.due_without(state, POLICY, ())
    assert 22_000 == quiet.due_without(state, POLICY, {A})
    assert quiet.due_without(state, POLICY, {A, B}) is None


def test_who_has_not_read_its_record_asks_for_it_in_two_heartbeats() -> None:
    """Each time it was told again it waits twice as long; nobody else is named."""
    state = at_rest().state
    assert {} == quiet.unread_by(state, POLICY)

    for times, asks in ((0, 12_000), (1, 18_000)):
        unread = Unread(Epoch(7), since=Millis(6_000), times=times)
        pulses = {**state.membership.pulses, A: Pulse(Millis(1_000), 3, unread)}
        there = state.with_pulses(pulses)
        assert {A: asks} == quiet.unread_by(there, POLICY)
        assert {A, B} == quiet.sessions(there, POLICY).keys()
