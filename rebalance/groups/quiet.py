"""Quiet: groups in which a beat that says nothing new changes nothing but its sender's pulse.

Its beats can be counted without a step, many at once (``streaming.cell.counting``): the next step
gets the pulses as they would be. A group is quiet if all that it has said is out, no hand-over is
under way and no member is suspected. A member is quiet if it has read what it was told. A beat that
lists what its sender owns is never counted like this, because it may prove a release.

Asked by ``streaming.cell.fold`` after each step. Its one rule: in a quiet group, before anything
else is due, ``step`` with such beats is the same as a look at the latest of each member.
"""

from collections.abc import Collection, Mapping

from rebalance.groups import timers
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import GroupState
from rebalance.ids import MemberId, Millis


def sessions(state: GroupState, policy: Policy) -> Mapping[MemberId, Millis]:
    """Return how long each member may be silent whose beats only show that it lives."""
    still = state.is_out and state.is_settled and not state.rules.paused
    if not still or state.membership.suspected:
        return {}
    silence_ms, pulses = Draft(state, policy).policy.silence_ms, state.membership.pulses
    return {
        name: silence_ms(member.session_timeout_ms)
        for name, member in state.membership.members.items()
        if not member.away and pulses[name].unread is None
    }


def due_without(state: GroupState, policy: Policy, counted: Collection[MemberId]) -> Millis | None:
    """Return when anything else is due than the ends of these members' sessions."""
    return timers.earliest(Draft(state, policy), counted)
