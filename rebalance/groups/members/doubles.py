"""Doubles: two processes that speak as one RocketMQ client.

A client id is ``ip@instanceName``. Two processes with the same id are one member: it gets one
share, both work on it, and others get less. Nothing in a heartbeat tells them apart, so this module
looks for what one process does not do. One process sends a heartbeat every 30 s, and a few more
when its share or its subscription changes, but not at the same places between them each time. And
it does not alternate between two subscriptions, or between two sets of groups.

A broker with our hook sees more: only two processes speak over one channel and another by turns.
Then the heartbeat says so.

The finding changes nothing else. Copies of one heartbeat, one from each broker that heard it, come
close together and count as one. A heartbeat that comes in time and says nothing new costs nothing
here: only for a client that looks odd something is kept, with the member.

Called by ``rocketmq_clients`` with each heartbeat.
"""

from dataclasses import replace
from typing import Final

from rebalance.causes import Cause, CauseKind
from rebalance.groups.model.decisions import ClientDoubled, DoubleSign
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Mode, Registered
from rebalance.groups.model.member import Doubled, Member, Saying
from rebalance.groups.model.subscriptions import RETRIES
from rebalance.ids import Millis, TopicName

_PERIOD_MS: Final = 30_000
"""How often a client sends a heartbeat (RocketMQ's ``heartbeatBrokerInterval``)."""
_LATE_MS: Final = 3_000
"""How much earlier or later one may come: a request of RocketMQ times out after so long."""
_COPIES_MS: Final = 5_000
"""What comes closer together than this is one heartbeat: a client sends it to one broker after the
other, and may wait for one that does not answer."""
_PROCESSES: Final = (2, 3, 4)
"""So many are recognised by their heartbeats."""
_PERIODS: Final = 4
"""So many heartbeats in a row have one of a period before: two minutes of two processes."""
_BEATS: Final = _PROCESSES[-1] + _PERIODS
_SWAPS: Final = 3
"""A, B, A, B: so many times a subscription took the place of another, and it of that one."""
_AGAIN_MS: Final = 3_600_000

_ADVICE: Final = "give each process its own instanceName, so that each is a member"
_BY_BEATS: Final = (
    "as many heartbeats as {} processes send: " + _ADVICE + " (or heartbeatBrokerInterval is short)"
)
_BY_WISHES: Final = "two subscriptions, or sets of groups, by turns: " + _ADVICE
_BY_CHANNELS: Final = "a broker hears it over two channels by turns: " + _ADVICE


def repeated(draft: Draft, event: Registered, said: Saying, known: Member) -> None:
    """Look at a heartbeat that says nothing new, before it is noted that the client was heard."""
    now, last = event.stamp.heard, draft.membership.pulses[event.member].seen
    gap, was = now - last, known.doubled
    if event.groups_hash != known.groups_hash or (was is not None and was.said not in {None, said}):
        changed(draft, event, said, known)  # of its topics it says what others made of them already
        return
    if gap < _COPIES_MS:
        return
    if gap > _PERIOD_MS - _LATE_MS:
        if was is not None:
            _keep(draft, event, _calmed(was, now))
        return
    was = was or Doubled()
    epoch = draft.before.group_epoch
    quiet = was.epoch == epoch and not draft.outbox.changes  # its share may have changed, if not
    so_far = (was.beats or (last,)) if quiet or not was.beats else ()
    now_is = replace(was, beats=(*so_far, now)[-_BEATS:], epoch=epoch)
    processes = _cadences(now_is.beats)
    if processes:
        now_is = _noted(draft, event, now_is, DoubleSign.CADENCE, _BY_BEATS.format(processes))
    _keep(draft, event, now_is)


def _calmed(was: Doubled, now: Millis) -> Doubled:
    """Forget what has come to nothing."""
    if now - was.swapped_at > 2 * _PERIOD_MS:
        was = replace(was, said=None, before=None, swaps=0)
    return replace(was, beats=())


def _cadences(beats: tuple[Millis, ...]) -> int:
    """Return how many processes' heartbeats these are; 0: they may well be one's."""
    for count in _PROCESSES:
        pairs = list(zip(beats, beats[count:], strict=False))[-_PERIODS:]
        if len(pairs) == _PERIODS and all(
            abs(later - earlier - _PERIOD_MS) <= _LATE_MS for earlier, later in pairs
        ):
            return count
    return 0


def saying(topics: frozenset[TopicName], mode: Mode, groups_hash: int) -> Saying:
    """Return the part of what a client says that does not change while it is one process.

    Topics for failed messages come and go as its broker has it pull or pop.
    """
    return frozenset(it for it in topics if not it.startswith(RETRIES)), mode, groups_hash


def changed(draft: Draft, event: Registered, said: Saying, known: Member | None) -> None:
    """Look at a heartbeat that says something new, once the client has joined with it.

    Where the last heartbeat wins for all, others change what is known of it, but not what it says.
    """
    if known is None:  # a client that begins, or of which next to nothing is known
        _keep(draft, event, Doubled())
        return
    was, now = known.doubled or Doubled(), event.stamp.heard
    before = was.said or saying(known.topics, known.mode, known.groups_hash)
    if said != before:
        by_turns = said == was.before and now - was.swapped_at <= 2 * _PERIOD_MS
        swaps = was.swaps + 1 if by_turns else 1
        was = replace(was, said=said, before=before, swaps=swaps, swapped_at=now)
        if swaps >= _SWAPS:
            was = _noted(draft, event, was, DoubleSign.SUBSCRIPTIONS, _BY_WISHES)
    _keep(draft, event, was)


def heard_twice(draft: Draft, event: Registered) -> None:
    """Note what the broker has found out, of a client that was let in."""
    member = draft.membership.members.get(event.member)
    if member is not None and member.incarnation == event.incarnation:
        was = member.doubled or Doubled()
        _keep(draft, event, _noted(draft, event, was, DoubleSign.CHANNELS, _BY_CHANNELS))


def _noted(
    draft: Draft, event: Registered, doubled: Doubled, sign: DoubleSign, detail: str
) -> Doubled:
    now = event.stamp.heard
    if doubled.noted_at is not None and now - doubled.noted_at < _AGAIN_MS:
        return doubled
    cause = Cause(CauseKind.SUBSCRIPTION, event.member, event.stamp.position)
    draft.outbox.notes.append(
        ClientDoubled(draft.before.name, event.member, sign, detail, event.stamp.appended, cause)
    )
    return replace(doubled, noted_at=now)


def _keep(draft: Draft, event: Registered, doubled: Doubled) -> None:
    """Keep what was seen with the member, if it is still one, and if there is anything to keep."""
    member = draft.membership.members.get(event.member)
    if member is None or member.incarnation != event.incarnation:
        return
    over = doubled.noted_at is None or event.stamp.heard - doubled.noted_at >= _AGAIN_MS
    kept = None if over and not doubled.beats and doubled.said is None else doubled
    if (kept, event.groups_hash) != (member.doubled, member.groups_hash):
        draft.membership.members.put(
            event.member, replace(member, doubled=kept, groups_hash=event.groups_hash)
        )
