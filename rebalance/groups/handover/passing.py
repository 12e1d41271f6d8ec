"""Passing: what the history says of a queue that goes from one member to another.

Who let go, how, how long that took after it was told, and how long nobody can have worked.

Called by ``endings``, and by ``baton`` for queues that nobody was promised. Its one rule: nothing
is decided by it.
"""

from dataclasses import dataclass

from rebalance.causes import Cause
from rebalance.groups.model.decisions import Ending
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.outbox import Passage
from rebalance.groups.model.ownership import Grant, Ownership
from rebalance.ids import MemberId, Millis, Queue


@dataclass(frozen=True, slots=True)
class Vacancy:
    """A queue that its holder is done with."""

    giver: MemberId
    ending: Ending
    waited_ms: Millis
    """On the log clock, since the holder was told to let go; 0 when it was not told."""
    cause: Cause | None = None
    """The cause for which it was told that, or let go; None: the step's."""
    since: Millis | None = None
    """Since when it may have done no work, on the log clock; None: not known."""


def last_sign(draft: Draft, owned: Ownership) -> Millis | None:
    """Return when a holder can last have worked, of which another one says that it is done."""
    if owned.over is not None:
        return owned.over.since
    pulse = draft.membership.pulses.get(owned.holder.member)
    return None if pulse is None else pulse.seen


def pass_on(draft: Draft, queue: Queue, vacancy: Vacancy, taker: Grant, at: Millis) -> None:
    """Note, for the history, who has a queue now, and for how long nobody may have had it."""
    if taker.member == vacancy.giver:
        return
    way = vacancy.giver, taker.member, taker.epoch, vacancy.ending, vacancy.cause
    passage = draft.outbox.passages.setdefault(way, Passage())
    passage.queues.append(queue)
    passage.duration_ms = max(passage.duration_ms, vacancy.waited_ms)
    if vacancy.since is not None:
        passage.idle_ms = max(passage.idle_ms or Millis(0), Millis(at - vacancy.since))
