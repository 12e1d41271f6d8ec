"""The pace: members beat less often where the controller has many of them.

The controller asks each group for it by a command of its own (``streaming.feeds.pacing``), unless
the group has an interval of its own. A member that beats less often is believed in for longer, from
the step on in which it is told: what it has not read yet makes it beat too often, and no more. When
the load falls it beats more often again, but its session stays: it trusts in the one it was told.

Called by ``obeying``.
"""

from dataclasses import replace
from typing import Final

from rebalance.groups.model.commands import Pace
from rebalance.groups.model.draft import Draft
from rebalance.ids import Millis
from rebalance.stamp import Stamp

_OWN: Final = Millis(0)
"""As the policy says."""


def is_asked(draft: Draft) -> bool:
    """Tell whether this group's members beat as rarely as the controller asks."""
    return draft.policy.heartbeat_auto


def keep_to(draft: Draft, command: Pace, stamp: Stamp) -> None:
    """Have every member beat at this pace, and believe in it for long enough."""
    before = draft.policy
    own = command.interval_ms <= draft.general.heartbeat_interval_ms
    draft.keep_to(_OWN if own else command.interval_ms)
    if draft.policy.heartbeat_interval_ms == before.heartbeat_interval_ms:
        return
    members, least = draft.membership.members, draft.policy.session_timeout_ms_min
    for name, member in list(members.merged().items()):
        if member.eager:  # it beats by its own clock, and is told nothing
            continue
        draft.outbox.answered.add(name)
        if member.session_timeout_ms < least:
            members.put(name, replace(member, session_timeout_ms=least))
    draft.expect_by(stamp.clock)
