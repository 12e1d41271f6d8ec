"""Endings: what ends a grant, and what follows for its queue.

A release was read, or a beat proves one; the life ended; or an eager holder, which never says that
it lets go, had its time. Then its heir holds the queue, under the epoch that it was promised; a
queue without an heir is vacant until the baton moves it.

A release counts only for the exact queue, member, incarnation and epoch.

Called by ``step``, ``timers`` and ``adoption``, and by ``baton`` for eager holders. Its one rule:
but for ``adoption``, nothing else takes a queue from anybody.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rebalance.causes import Cause, CauseKind
from rebalance.groups.handover import claims, notice
from rebalance.groups.handover.claims import granted
from rebalance.groups.model.decisions import Ending
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import BeatSeen, Released
from rebalance.groups.model.outbox import Passage
from rebalance.groups.model.ownership import Grant, Ownership
from rebalance.ids import Epoch, Held, Life, MemberId, Millis, Queue, Tenure
from rebalance.stamp import Stamp


@dataclass(frozen=True, slots=True)
class Vacancy:
    """A queue that its holder is done with."""

    giver: MemberId
    ending: Ending
    waited_ms: Millis
    """On the log clock, since the holder was told to let go; 0 when it was not told."""
    reason: Cause | None = None
    """Why it was told that; None: it was not, or it did not come to it."""


@dataclass(slots=True)
class _Step:
    """What this module keeps for one step."""

    asked: dict[Life, list[tuple[Queue, Epoch, Epoch]]] | None = None
    """Who was told to give what, once ``repair`` has asked for it."""
    vacant: dict[Queue, Vacancy] = field(default_factory=dict)
    """Queues whose holder is done and that had no heir; ``baton.settle`` fills them."""


_CARRIED_OUT = {Ending.RELEASED, Ending.TAKEN}
"""The holder did, or is taken to have done, what it was told."""


def book(draft: Draft, event: Released) -> None:
    """Enter a release: the heir becomes the holder under the epoch it was promised."""
    # A member that left wrote its releases before; they may have the same time and be read after.
    left = draft.ended.pop(event.life) if draft.ended.get(event.life) is Ending.LEFT else None
    take_back(draft, event.stamp)  # lives that ended earlier in the log come first
    for queue, epoch in event.grants:
        _let_go(draft, queue, event.life, epoch, event.stamp)
    if left is not None:
        draft.ended[event.life] = left


def repair(draft: Draft, event: BeatSeen, listed: Collection[Held]) -> None:
    """Take a beat for the releases it proves, in case one of them was lost (C7).

    The member has acted on a record that told it to give a queue, and no longer lists the queue
    among what it owns: then it has let go, whatever became of its release.
    """
    take_back(draft, event.stamp)
    owned = set(listed)
    claims.judge(draft, event, listed)
    for queue, epoch, asked in _asked(draft).get(event.life, ()):
        if event.epoch >= asked and (queue, epoch) not in owned:
            _let_go(draft, queue, event.life, epoch, event.stamp)


def _asked(draft: Draft) -> Mapping[Life, Sequence[tuple[Queue, Epoch, Epoch]]]:
    """By life, what it was told to give: the queue, the grant's epoch and that of the telling.

    Made once a step, because after a first assignment everybody sends a full beat at once. That it
    may list what was let go meanwhile does no harm: letting go compares with the books.
    """
    step = draft.scratch(_Step)
    if step.asked is None:
        step.asked = defaultdict(list)
        for queue in draft.handover.books.moving():
            owned = draft.handover.books[queue]
            for grant in owned.grants:
                if grant.asked is not None:
                    entry = (queue, grant.epoch, grant.asked.epoch)
                    step.asked[grant.life].append(entry)
    return step.asked


def _let_go(draft: Draft, queue: Queue, life: Life, epoch: Epoch, stamp: Stamp) -> None:
    owned = draft.handover.books.get(queue)
    grant = granted(owned, Tenure(life, epoch))
    if owned is None or grant is None:
        return  # a release of an epoch that is over: late, repeated, or never granted
    if grant.asked is None:
        draft.outbox.occasion = Cause(
            CauseKind.DRAIN, life.member, stamp.position, "released without being asked"
        )
    else:
        draft.handover.served.add(grant.asked.epoch)
    if grant is owned.holder:
        _vacate(draft, queue, owned, Ending.RELEASED, stamp)
    else:
        draft.handover.books.put(queue, replace(owned, heir=None))


def _vacate(draft: Draft, queue: Queue, owned: Ownership, ending: Ending, stamp: Stamp) -> None:
    """The holder is done: its heir holds now, under the same epoch (it may have started)."""
    holder, heir = owned.holder, owned.heir
    waited, reason = Millis(0), None
    if holder.asked is not None:
        waited = Millis(max(0, stamp.heard - holder.asked.at))  # a join may have been ahead
        if ending in _CARRIED_OUT:
            told = holder.asked.epoch if heir is None else heir.epoch
            draft.handover.served.add(told)
            reason = draft.handover.reasons.get(told)
    vacancy = Vacancy(holder.member, ending, waited, reason)
    if heir is None:
        draft.handover.books.remove(queue)
        draft.scratch(_Step).vacant[queue] = vacancy
    else:
        draft.handover.books.put(queue, Ownership(heir))
        pass_on(draft, queue, vacancy, heir.member)


def vacancies(draft: Draft) -> Mapping[Queue, Vacancy]:
    """Return the queues whose holder is done in this step, and that had no heir."""
    return draft.scratch(_Step).vacant


def pass_on(draft: Draft, queue: Queue, vacancy: Vacancy, taker: MemberId) -> None:
    """Note, for the history, who has a queue now."""
    if taker == vacancy.giver:
        return
    way = vacancy.giver, taker, vacancy.ending, vacancy.reason
    passage = draft.outbox.passages.setdefault(way, Passage())
    passage.queues.append(queue)
    passage.duration_ms = max(passage.duration_ms, vacancy.waited_ms)


def take_back(draft: Draft, stamp: Stamp) -> None:
    """Take back every grant of the lives that ended."""
    if not draft.ended:
        return
    for queue in draft.handover.books.concerning({member for member, _ in draft.ended}):
        owned = draft.handover.books[queue]
        if owned.heir is not None and owned.heir.life in draft.ended:
            owned = replace(owned, heir=None)
            draft.handover.books.put(queue, owned)
        ending = draft.ended.get(owned.holder.life)
        if ending is not None:
            _vacate(draft, queue, owned, ending, stamp)
    draft.ended.clear()


def take(draft: Draft, stamp: Stamp) -> None:
    """Take queues from eager holders that had their time: they will never say that they let go."""
    for queue in draft.handover.books.moving():
        take_one(draft, queue, stamp)


def take_one(draft: Draft, queue: Queue, stamp: Stamp) -> None:
    """Take a queue, if its holder is eager and had its time."""
    owned = draft.handover.books.get(queue)
    if owned is None or owned.holder.asked is None or not is_eager(draft, owned.holder):
        return
    if stamp.heard - notice.begins(draft, owned.holder.asked) >= draft.policy.eager_grace_ms:
        _vacate(draft, queue, owned, Ending.TAKEN, stamp)


def is_eager(draft: Draft, grant: Grant) -> bool:
    """Tell whether a grant's holder knows no releases: what it is told takes effect at once."""
    member = draft.membership.members.get(grant.member)
    return member is not None and member.eager and member.incarnation == grant.incarnation
