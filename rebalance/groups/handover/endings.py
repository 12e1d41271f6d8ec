"""Endings: what ends a grant, and what follows for its queue.

A release was read, and the first one of a grant in the log counts, whoever wrote it: the life that
it names holds the queue, under the epoch that it names; if it names none, the queue is vacant until
the baton moves it. It may name a life that nobody has promised the queue, or whose join was not
read yet: then the page names a holder that is no member, which is to let go (``baton``) when it
comes. If it does not come (``strangers``), or has ended, the queue is released for it, too: it may
have handed the queue on.

Where the controller knows that a holder is done (its life ended, a beat proves it, or it is eager
and had its time) it may not just believe that: the holder, or a guard, may have named an heir that
works already. So it writes the release itself, and waits until it has read one. Only if nobody can
have been named, or the holder knows no releases, there is nothing to wait for.

A release counts only for the exact queue, member, incarnation and epoch.

Called by ``step``, ``timers`` and ``adoption``, and by ``baton`` for eager holders. Its one rule:
only ``adoption`` and this module take queues.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rebalance.causes import Cause, CauseKind
from rebalance.groups.handover import claims, notice, passing, strangers
from rebalance.groups.handover.omissions import LEAP
from rebalance.groups.model.decisions import Ending
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import BeatSeen, Released
from rebalance.groups.model.ownership import Asked, Grant, Over, Ownership
from rebalance.ids import Epoch, Held, Life, Millis, Naming, Queue, Tenure
from rebalance.stamp import Stamp


@dataclass(slots=True)
class _Step:
    """What this module keeps for one step."""

    asked: dict[Life, list[tuple[Held, Epoch]]] | None = None
    """Who was told to give what, and when, once ``repair`` has asked for it."""
    vacant: dict[Queue, passing.Vacancy] = field(default_factory=dict)
    """Queues whose holder is done and that had no heir; ``baton.settle`` fills them."""
    unasked: dict[Life, Cause] = field(default_factory=dict)
    """By life, why what it let go unasked has moved."""


_CARRIED_OUT = {Ending.RELEASED, Ending.TAKEN}
"""The holder did, or is taken to have done, what it was told."""


def book(draft: Draft, event: Released) -> bool:
    """Enter a release: the life that it names becomes the holder.

    Returns:
        Whether its life is about to go: it hands on what it was not asked for.
    """
    goes = False
    claims.hear(draft, event)
    for naming in event.namings:
        queue, tenure = naming.queue, Tenure(event.life, naming.epoch)
        _begin(draft, queue, tenure, event.stamp)
        owned = draft.handover.books.get(queue)
        if owned is None or owned.holder.tenure != tenure:
            continue  # not the first of its grant: late, repeated, or never granted
        unasked = None if owned.asked is not None else _unasked(draft, event, naming)
        draft.outbox.other_cause = unasked or draft.outbox.other_cause
        ending = Ending.RELEASED if event.own or owned.ending is None else owned.ending
        since = event.stamp.heard if event.own else passing.last_sign(draft, owned)
        heir = owned.named_by(naming)
        if heir is not None and is_too_far(draft, heir.epoch):
            heir = None
        goes |= heir is not None and owned.asked is None
        _vacate(draft, queue, owned, heir, Over(ending, event.stamp.heard, since), unasked)
        if heir is not None:
            welcome(draft, queue, heir, event.stamp, ended=heir in owned.former)
            if naming.to is not None and owned.asked is None:
                draft.handover.taken.add(queue)
    return goes


def _unasked(draft: Draft, event: Released, naming: Naming) -> Cause:
    """Return the cause of what a life lets go unasked: the first such release in the step."""
    detail = "released without being asked" if naming.next is None else ""
    cause = Cause(CauseKind.DRAIN, event.member, event.stamp.position, detail)
    return draft.scratch(_Step).unasked.setdefault(event.life, cause)


def is_too_far(draft: Draft, epoch: Epoch) -> bool:
    """Tell whether nobody can have drawn an epoch that a release names.

    Epochs go on above it. Near their end no member could release anything any more, and the cell's
    next groups would begin there, too.
    """
    return epoch > draft.next_epoch + LEAP


def _begin(draft: Draft, queue: Queue, tenure: Tenure, stamp: Stamp) -> None:
    """Take an heir of an ended holder that lets go for the holder: what named it is lost."""
    owned = draft.handover.books.get(queue)
    if owned is None or owned.over is None:
        return
    for heir in (*owned.heirs, *owned.former):
        if heir.tenure == tenure:
            _vacate(draft, queue, owned, heir, replace(owned.over, at=stamp.heard))


def welcome(draft: Draft, queue: Queue, heir: Grant, stamp: Stamp, *, ended: bool) -> None:
    """Go on above the epoch of a new holder; if it has ended, release the queue for it, too."""
    draft.reached = max(draft.reached, heir.epoch)
    known = draft.membership.members.get(heir.member)
    if known is None:
        gone = draft.membership.departures.get(heir.member)
        over = gone is not None and gone.incarnation >= heir.incarnation
    else:
        its_last = known.incarnation == heir.incarnation and known.away
        over = its_last or known.incarnation > heir.incarnation
    if ended or over:
        _end(draft, queue, heir.tenure, Ending.FENCED, stamp)
    elif known is None or known.incarnation != heir.incarnation:
        strangers.note(draft, heir.life, stamp)


def repair(draft: Draft, event: BeatSeen, listed: Collection[Held]) -> None:
    """Take a beat for the releases it proves, in case one of them was lost (C7).

    The member has acted on a record that told it to give a queue, and no longer lists the queue
    among what it owns: then it has let go, whatever became of its release.
    """
    take_back(draft, event.stamp)
    owned = set(listed)
    claims.judge(draft, event, listed)
    _drop_promises(draft, event, listed)
    _confirm(draft, event, listed)
    for held, asked in _asked(draft).get(event.life, ()):
        if event.epoch >= asked and held not in owned:
            tenure = Tenure(event.life, held.epoch)
            _end(draft, held.queue, tenure, Ending.RELEASED, event.stamp)


def _confirm(draft: Draft, event: BeatSeen, listed: Collection[Held]) -> None:
    """Take an heir's word that it has begun, if all that is awaited is that its release is read."""
    for queue, epoch in listed:
        owned = draft.handover.books.get(queue)
        if owned is None or owned.over is None:
            continue
        heir = next((it for it in owned.heirs if it.tenure == Tenure(event.life, epoch)), None)
        if heir is not None:
            _vacate(draft, queue, owned, heir, replace(owned.over, at=event.stamp.heard))


def _drop_promises(draft: Draft, event: BeatSeen, listed: Collection[Held]) -> None:
    """Forget promises that a holder will not keep: it has read whom else to name, and not gone yet.

    That it has read it is shown by the epoch of this beat, its last one (``unread``).
    """
    pulse = draft.membership.pulses.get(event.member)
    if pulse is None or pulse.unread is not None or pulse.sequence != event.sequence:
        return
    for queue, epoch in listed:
        owned = draft.handover.books.get(queue)
        if owned is None or owned.moves or owned.holder.tenure != Tenure(event.life, epoch):
            continue
        told = draft.before.handover.books.get(queue)
        if told is None or told.holder != owned.holder:
            continue
        kept = {told.named, owned.named}
        heirs, former = (
            tuple(it for it in promised if it.epoch in kept)
            for promised in (owned.heirs, owned.former)
        )
        if (heirs, former) != (owned.heirs, owned.former):
            draft.handover.books.put(queue, replace(owned, heirs=heirs, former=former))


def _asked(draft: Draft) -> Mapping[Life, Sequence[tuple[Held, Epoch]]]:
    """By life, what it was told to give, and the epoch of the telling.

    Made once a step, because after a first assignment everybody sends a full beat at once. That it
    may list what was let go meanwhile does no harm: letting go compares with the books.
    """
    step = draft.scratch(_Step)
    if step.asked is None:
        step.asked = defaultdict(list)
        for queue in draft.handover.books.moving():
            owned = draft.handover.books[queue]
            if owned.asked is not None:
                entry = (Held(queue, owned.holder.epoch), owned.asked.epoch)
                step.asked[owned.holder.life].append(entry)
    return step.asked


def _end(draft: Draft, queue: Queue, tenure: Tenure, ending: Ending, stamp: Stamp) -> None:
    """A holder is done: book it, or have its release written if somebody may begin on one."""
    owned = draft.handover.books.get(queue)
    if owned is None or owned.holder.tenure != tenure or owned.ending is not None:
        return
    since = draft.heard.get(tenure.life, stamp.heard)
    if owned.asked is not None and ending in _CARRIED_OUT:
        since = owned.asked.at  # it let go some time after that, and nobody read when
    over = Over(ending, stamp.heard, since)
    if not owned.may_be_handed_on or is_eager(draft, owned.holder):
        _vacate(draft, queue, owned, owned.heir, over)
        return
    asked = owned.asked or Asked(draft.next_epoch, stamp.heard)
    draft.handover.books.put(queue, replace(owned, asked=asked, over=over))
    draft.handover.over.add(queue)


def _vacate(
    draft: Draft,
    queue: Queue,
    owned: Ownership,
    heir: Grant | None,
    over: Over,
    unasked: Cause | None = None,
) -> None:
    """The holder is done: its heir holds now, under the same epoch (it may have started).

    That carries out what it was asked for, or what named another heir since.
    """
    waited, cause = Millis(0), unasked
    if owned.asked is not None:
        waited = Millis(max(0, over.at - owned.asked.at))  # a join may have been ahead
        meant, causes = heir or owned.heir or owned.holder, draft.handover.asked_causes
        if told := {owned.asked.epoch, meant.epoch} & causes.keys():
            draft.handover.served.add(max(told))
            cause = causes[max(told)]
    vacancy = passing.Vacancy(owned.holder.member, over.ending, waited, cause, over.since)
    if heir is None:
        draft.handover.books.remove(queue)
        draft.scratch(_Step).vacant[queue] = vacancy
        return
    draft.handover.books.put(queue, Ownership(heir, begun=True))
    passing.pass_on(draft, queue, vacancy, heir, over.at)


def vacancies(draft: Draft) -> Mapping[Queue, passing.Vacancy]:
    """Return the queues whose holder is done in this step, and that had no heir."""
    return draft.scratch(_Step).vacant


def take_back(draft: Draft, stamp: Stamp) -> None:
    """End every grant of the lives that ended, and forget what they were promised."""
    if not draft.ended:
        return
    for queue in draft.handover.books.concerning({member for member, _ in draft.ended}):
        owned = draft.handover.books[queue]
        former = tuple(heir for heir in owned.heirs if heir.life in draft.ended)
        if former:
            heirs = tuple(heir for heir in owned.heirs if heir not in former)
            named = owned.named if owned.named in {heir.epoch for heir in heirs} else None
            former = (*owned.former, *former)
            owned = replace(owned, heirs=heirs, named=named, former=former)
            draft.handover.books.put(queue, owned)
        ending = draft.ended.get(owned.holder.life)
        if ending is not None:
            _end(draft, queue, owned.holder.tenure, ending, stamp)
    draft.ended.clear()


def repeat(draft: Draft, stamp: Stamp) -> None:
    """Write again what was released for others and was not read back: it is lost."""
    patience = draft.policy.session_timeout_ms
    for queue in draft.handover.books.moving():
        owned = draft.handover.books[queue]
        if owned.over is not None and stamp.clock >= owned.over.at + patience:
            over = replace(owned.over, at=stamp.heard)
            draft.handover.books.put(queue, replace(owned, over=over))
            draft.handover.over.add(queue)


def deadlines(draft: Draft) -> Iterator[Millis]:
    """Return until when each release that was written for others is to be read back."""
    patience = draft.policy.session_timeout_ms
    for queue in draft.handover.books.moving():
        over = draft.handover.books[queue].over
        if over is not None:
            yield Millis(over.at + patience)


def take(draft: Draft, stamp: Stamp) -> None:
    """Take queues from eager holders that had their time: they will never say that they let go."""
    for queue in draft.handover.books.moving():
        take_one(draft, queue, stamp)


def take_one(draft: Draft, queue: Queue, stamp: Stamp) -> None:
    """Take a queue, if its holder is eager and had its time."""
    owned = draft.handover.books.get(queue)
    if owned is None or owned.asked is None or not is_eager(draft, owned.holder):
        return
    if stamp.heard - notice.begins(draft, owned.asked) >= draft.policy.eager_grace_ms:
        _end(draft, queue, owned.holder.tenure, Ending.TAKEN, stamp)


def is_eager(draft: Draft, grant: Grant) -> bool:
    """Tell whether a grant's holder knows no releases: what it is told takes effect at once."""
    member = draft.membership.members.get(grant.member)
    return member is not None and member.eager and member.incarnation == grant.incarnation
