"""Sessions: when the controller starts, each member's session begins anew.

A starting controller cannot know which members were silent while no controller read, so that time
does not count. Sessions begin anew when all that was there has been read (``streaming.cell.gate``).
A member that had not read its last record still counts as one that has not. After an adoption,
members that joined since the last decision also begin anew, because their records may not be in
time order.

Called by ``step``.
"""

from dataclasses import replace

from rebalance.groups.handover import strangers
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.member import Pulse
from rebalance.stamp import Stamp


def begin(draft: Draft, now: Stamp) -> None:
    """Begin every session anew, at the end of the batch, which may hold days."""
    for name, pulse in list(draft.membership.pulses.items()):
        if pulse.seen < now.heard:
            unread = pulse.unread and replace(pulse.unread, since=now.heard)
            draft.membership.pulses.put(name, Pulse(now.heard, pulse.sequence, unread))
        draft.membership.suspected.remove(name)
    strangers.begin(draft, now)
