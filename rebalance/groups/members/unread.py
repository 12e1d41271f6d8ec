"""Unread: members that have not shown yet that they read their last record, and are told again.

A record may never reach its member: a read is lost, or cannot be decoded, or the topic was
compacted. The member beats on under an older epoch, and the books say that it owns what it knows
nothing of. So each pulse keeps the epoch of the last record until a beat names it or a later one.
If beats show an older one for more than two heartbeats the record is sent again, and after that
ever more rarely, because a member that can never read must not make the group publish for ever.

It counts from the end of the next step, by when the record is surely out (see ``notice``), and only
a beat makes it send again; so neither an outage of the controller nor one of Kafka counts. A beat
of epoch 0 asks for nothing: a member that was never answered joins again, and RocketMQ's clients
name no epochs at all.

A member's record also ends its older lives. One of these may have missed it as well, and would work
for ever: so if it still beats when its successor has read the record, that is sent again.

Called by ``step``, ``membership`` and ``conclusion``.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from rebalance.groups.handover import notice
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import BeatSeen
from rebalance.groups.model.member import Member, Pulse, Unread
from rebalance.groups.model.state import GroupState
from rebalance.ids import MemberId, Millis
from rebalance.stamp import Stamp

_HEARTBEATS: Final = 2
"""As for a twin (``twins._lives``): one beat may have left before the record was read."""
_DOUBLINGS: Final = 5
"""Of that patience: with sessions of 10 s, a record every three and a half minutes at last."""


def arrive(draft: Draft, now: Stamp) -> None:
    """Start the time of the members that the last step wrote to: their records are out by now."""
    for name in draft.before.outbox.unposted:
        pulse = draft.membership.pulses.get(name)
        if pulse is not None and pulse.unread is not None:
            unread = Unread(pulse.unread.epoch, now.heard, pulse.unread.times)
            draft.membership.pulses.put(name, Pulse(pulse.seen, pulse.sequence, unread))


def heed(draft: Draft, event: BeatSeen, member: Member, unread: Unread) -> Unread | None:
    """Return what a member that beats has still not read; it is told again if that lasts."""
    if event.epoch >= unread.epoch:
        draft.outbox.reminded.discard(event.member)
        return None
    asks = event.epoch > 0 and unread.since is not None
    if asks and event.stamp.heard >= asks_from(draft, member, unread):
        draft.outbox.reminded.add(event.member)
        clock = event.stamp.heard
        notice.tell_again(draft, event.member, member, clock, since=unread.since)
    return unread


def asks_from(draft: Draft, member: Member, unread: Unread) -> Millis:
    """Return from when on a beat that names an older epoch asks for the record again."""
    patience = _HEARTBEATS * draft.policy.heartbeat_ms(member.session_timeout_ms)
    return Millis((unread.since or 0) + (patience << min(unread.times, _DOUBLINGS)))


def heed_older(draft: Draft, event: BeatSeen) -> None:
    """Send the record again that ends an older life, which beats although its successor has it."""
    if draft.membership.pulses[event.member].unread is None:
        draft.outbox.reminded.add(event.member)


def note(
    draft: Draft, state: GroupState, readers: Collection[MemberId], clock: Millis
) -> GroupState:
    """Return the state with what is sent in this step, which its readers have to show."""
    if not readers:
        return state
    pulses = dict(state.membership.pulses)
    assert pulses.keys() >= set(readers), "only members are written to"
    for name in readers:
        pulse = pulses[name]
        was = pulse.unread
        if was is not None:
            member = state.membership.members[name]
            notice.tell_again(draft, name, member, clock, since=was.since)
        times = 0 if was is None else was.times + (name in draft.outbox.reminded)
        pulses[name] = Pulse(pulse.seen, pulse.sequence, Unread(state.epoch, None, times))
    state = notice.sent(draft, state)
    outbox = replace(state.outbox, unposted=tuple(readers))
    return replace(state.with_pulses(pulses), outbox=outbox)
