"""Quiet: groups in which a beat that says nothing new changes nothing but its sender's pulse.

Its beats can be counted without a step, many at once (``streaming.cell.counting``): the next step
gets the pulses as they would be. A group is quiet if all that it has said is out, no hand-over is
under way and no member is suspected. A member that has not read its last record is quiet as well,
in its beats of an older epoch, until one of these asks for that again (``unread``). A beat that
lists what its sender owns is never counted like this, because it may prove a release.

Asked by ``streaming.cell.enrolment`` after each step. Its one rule: in a quiet group, before
anything else is due, ``step`` with such beats is the same as a look at the latest of each member.
"""

from collections.abc import Collection, Mapping

from rebalance.groups import timers
from rebalance.groups.members import unread
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import GroupState
from rebalance.ids import MemberId, Millis


def sessions(state: GroupState, policy: Policy) -> Mapping[MemberId, Millis]:
    """Return how long each member may be silent whose beats only show that it lives."""
    still = state.is_out and state.is_settled and not state.rules.paused
    if not still or state.membership.suspected:
        return {}
    silence_ms = Draft(state, policy).policy.silence_ms
    return {
        name: silence_ms(member.session_timeout_ms)
        for name, member in state.membership.members.items()
        if not member.away
    }


def unread_by(state: GroupState, policy: Policy) -> Mapping[MemberId, Millis]:
    """Return from when on a beat of an older epoch, but not 0, asks for its member's last record.

    Of those members of which no beat has shown that they have read it.
    """
    draft, members = Draft(state, policy), state.membership.members
    return {
        name: unread.asks_from(draft, members[name], pulse.unread)
        for name, pulse in state.membership.pulses.items()
        if pulse.unread is not None
    }


def due_without(state: GroupState, policy: Policy, counted: Collection[MemberId]) -> Millis | None:
    """Return when anything else is due than the ends of these members' sessions."""
    return timers.earliest(Draft(state, policy), counted)
