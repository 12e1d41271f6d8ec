"""The pace: members beat less often where the controller has many of them.

The controller asks each group for it by a command of its own (``streaming.feeds.pacing``), unless
the group has an interval of its own. A member that beats less often is believed in for longer, from
the step on in which it is told: what it has not read yet makes it beat too often, and no more. When
the load falls it beats more often again, but its session stays: it trusts in the one it was told.

Called by ``obeying``; how long a newcomer is believed in, ``members.admission`` asks the policy.
"""

from dataclasses import replace
from typing import Final

from rebalance.groups.model.commands import Pace
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.policy import Policy
from rebalance.ids import MemberId, Millis
from rebalance.stamp import Stamp

_OWN: Final = Millis(0)
"""As the policy says."""


def is_asked(draft: Draft) -> bool:
    """Tell whether this group's members beat as rarely as the controller asks."""
    return draft.policy.heartbeat_auto


def keep_to(draft: Draft, command: Pace, stamp: Stamp) -> bool:
    """Have every member beat at this pace, and believe in it for long enough.

    Returns:
        Whether this is news.
    """
    pace_ms, before = draft.rules.pace_ms, draft.policy
    own = command.interval_ms <= draft.general.heartbeat_interval_ms
    draft.keep_to(_OWN if own else command.interval_ms)
    told = follow(draft, before, stamp)
    return told or pace_ms != draft.rules.pace_ms


def follow(draft: Draft, before: Policy, stamp: Stamp) -> bool:
    """Tell members whose interval was another one, and believe in them for long enough.

    Clients of RocketMQ beat by their own clock, and are told nothing. A member whose eviction is
    held is not believed in for longer: it is silent anyway.
    """
    policy, members, told = draft.policy, draft.membership.members, list[MemberId]()
    paced = draft.rules.pace_ms > _OWN and policy.heartbeat_auto
    least = policy.session_timeout_ms_min if paced else Millis(0)
    for name, member in list(members.merged().items()):
        session_ms = member.session_timeout_ms
        if draft.membership.suspected.get(name) is None:
            session_ms = max(session_ms, least)
        was = member.session_timeout_ms, before.heartbeat_ms(member.session_timeout_ms)
        if member.eager or was == (session_ms, policy.heartbeat_ms(session_ms)):
            continue
        told.append(name)
        if session_ms != member.session_timeout_ms:
            members.put(name, replace(member, session_timeout_ms=session_ms))
    draft.outbox.answered.update(told)
    if told:
        draft.expect_by(stamp.clock)
    return bool(told)
