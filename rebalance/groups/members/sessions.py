"""Sessions: what a start of the controller does to them all.

A starting controller cannot know which members were silent while no controller read, so that time
does not count. Each session begins anew when all that was there has been read
(``streaming.cell.gate``). Who has not read its last record has not read it now either.

Called by ``step``.
"""

from dataclasses import replace

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
