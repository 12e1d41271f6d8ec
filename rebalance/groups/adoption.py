"""Adoption: continue from what is published, where that is more than the controller remembers.

The checkpoint may have been deleted, or restored from an old copy (faults A6, A7). Then the query
folds the log from too far back, and would draw epochs again that members have long passed. So at
each start the driver writes into the log what is published of each group and member. After an
ordinary restart none of that is news, and nothing happens. Otherwise the published epoch becomes
the group's. Events up to the last published decision only show who is a member; then the books are
written from the published records; and all later events count as usual.

A crash may have cut a publication short, so that some members' records are older than others.
The rules for that are in ``pages``.

Called by ``step``. All records of one start must be read in one batch: each says how many there are
for its group, and for a while the shell waits for the rest (``streaming.cell.containment``). If
that never comes, the group continues with what was found (``omissions``). Its one rule: no queue
moves because the controller has forgotten something.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Final

from rebalance.causes import Cause, CauseKind
from rebalance.groups import ailments, routing
from rebalance.groups.handover import endings, omissions, strangers, unrecorded
from rebalance.groups.handover.pages import RecordedGrants, grants_in, page_of, rows_of
from rebalance.groups.members import departures, dismissals, remains
from rebalance.groups.members.lapsed import lapsed
from rebalance.groups.members.own_names import named_apart, told_apart
from rebalance.groups.model.decisions import Ending, GroupAiled
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import (
    NOT_APPLIED,
    Adopted,
    Advanced,
    BeatSeen,
    Found,
    Left,
    Mode,
    Moment,
    Released,
    last_found,
)
from rebalance.groups.model.member import Member, Pulse, Unread
from rebalance.groups.model.ownership import Asked, Ownership
from rebalance.groups.model.policy import TwinRule
from rebalance.groups.model.route import Route
from rebalance.groups.model.state import GroupState
from rebalance.ids import ANY_QUEUE, Epoch, Life, MemberId, Millis, Queue, TopicName
from rebalance.stamp import Stamp

_UNSEEN: Final = 0
"""The version of a route that was never told; any that is told is higher."""


@dataclass(frozen=True, slots=True)
class Published:
    """What was found published of one group, some of it newer than its state."""

    found: Sequence[Found]
    epoch: Epoch
    """The highest. The group continues above it."""
    is_cut: bool
    """Not all of it was found (``omissions``)."""
    decided: Millis | None
    """When the last of it was decided, if that was found."""
    begins: int
    """The place, among the events, of the first that the published decisions do not know."""
    cause: Cause


def published(before: GroupState, events: Sequence[Moment]) -> Published | None:
    """Return what was found published, if any of it is newer than the state."""
    found = last_found(events)
    if not found:
        return None
    epoch = omissions.reached(found)
    lives = any(isinstance(event, Adopted) or event.settings for event in found)
    if epoch <= before.epoch and not (lives and before.is_unknown):  # then that is only a floor
        return None
    decided = max((it.decided for it in found if isinstance(it, Advanced)), default=None)
    begins = _begins(events, found[0], decided)
    detail = f"epoch {epoch} was published"
    cause = Cause(CauseKind.ADOPTION, before.name, found[-1].stamp.position, detail)
    assert 0 <= begins <= len(events), f"the past ends at {begins} of {len(events)} events"
    epoch, is_cut = max(epoch, before.epoch), omissions.is_cut(found)
    return Published(found, epoch, is_cut, decided, begins, cause)


def _begins(events: Sequence[Moment], first: Found, decided: Millis | None) -> int:
    """Return the place behind the past; one stamp that is far ahead does not end it."""
    end = next(place for place, event in enumerate(events) if event is first)
    past = [it for it in range(end) if decided is None or events[it].stamp.appended <= decided]
    return past[-1] + 1 if past else 0


def begun(before: GroupState, news: Published) -> GroupState:
    """Return the state to begin with: the group exists, so that commands of its past are obeyed.

    Those are kept for longer than joins, and what was commanded a month ago may still hold.
    """
    outbox = replace(before.outbox, change_cause=before.outbox.change_cause or news.cause)
    return replace(before, outbox=outbox).above(news.epoch)


def adopt(draft: Draft, news: Published, events: Sequence[Moment], now: Stamp) -> None:
    """Take over what is published; the draft shows the past that led to it, as far as is known."""
    draft.before = begun(draft.before, news)  # it may have been forgotten, and come again
    left = departures.of_unknown(draft)
    _close_the_past(draft)
    records, over = _records(draft, news.found), dict[Life, Ending]()
    claims: RecordedGrants = defaultdict(list)
    named = set[Queue]()
    for record in records:
        if (ending := _ending(draft, record, left.get(record.life))) is not None:
            draft.outbox.gone.add(record.member)
            over[record.life] = ending
        else:
            if _enrol(draft, record, left.get(record.life), now).away:
                over[record.life] = Ending.LEFT
            _hear(draft, record, now)
            named.update(rows_of(record))
        if record.mode is Mode.CLUSTERING:
            for queue, claim in grants_in(record):
                claims[queue].append(claim)
    recorded = {record.member for record in records}
    past = events[: news.begins]
    dismissals.keep(draft, records, news.found)
    if news.is_cut:
        draft.outbox.gone.update(
            _remove(draft, draft.membership.members.merged().keys() - recorded)
        )
        omissions.take_for_holders(claims, recorded)
        ailments.begin_to_withhold(draft, now)
    else:
        _remove(draft, lapsed(draft, recorded, past, news.decided, now))
    remembered = draft.handover.books.merged()
    absent = _write(draft, claims, now)
    _map_out(draft, named)
    releases = _hear_again(draft, past)
    unrecorded.await_holders(draft, absent, now)
    unrecorded.enter(draft, remembered, releases, now)
    draft.ended |= over
    remains.note(draft, now.clock)
    draft.outbox.answered.update(draft.membership.members.merged())


def _close_the_past(draft: Draft) -> None:
    """Forget what was to follow from events whose consequences are published."""
    draft.unsay()
    draft.outbox.passages.clear()
    said = [note for note in draft.outbox.notes if isinstance(note, GroupAiled)]  # just now
    draft.outbox.notes[:] = said
    draft.outbox.answered.clear()
    draft.outbox.gone.clear()


def _records(draft: Draft, found: Sequence[Found]) -> list[Adopted]:
    """Return the newest record of each member, in order of their names."""
    newest: dict[MemberId, Adopted] = {}
    for one in found:
        if isinstance(one, Advanced):
            continue
        record = named_apart(one, draft.policy)
        known = newest.get(record.member)
        if known is None or known.epoch < record.epoch:
            newest[record.member] = record
    return sorted(newest.values(), key=attrgetter("member"))


def _ending(draft: Draft, record: Adopted, left: Left | None) -> Ending | None:
    """Return how the life that a record is for has ended: it left for good, or a younger one came.

    Where newer lives are refused, a younger one that has left was none. The limit of members holds
    for published ones as well.
    """
    gone = draft.membership.departures.get(record.member)
    known = draft.membership.members.get(record.member)
    refuses = draft.policy.on_twin is TwinRule.REFUSE_NEWER
    if known is not None and known.incarnation == record.incarnation:
        return None
    has_left = left is not None and not left.temporary
    if gone is not None and gone.incarnation >= record.incarnation:
        has_left |= gone.incarnation == record.incarnation or not refuses
    if has_left:
        return Ending.LEFT
    if known is None:  # as if it joined now
        return Ending.FENCED if draft.population >= draft.policy.max_members else None
    is_older = record.incarnation < known.incarnation
    return Ending.FENCED if is_older and (left is not None or not refuses) else None


def _enrol(draft: Draft, record: Adopted, left: Left | None, now: Stamp) -> Member:
    """Have a member in the roster; one whose join is not in the log any more is asked for it.

    It lives by the timeouts that it was told, whatever the rules are now. It was told later than it
    began to read releases, and the controller has read all of them: its mark is not awaited.
    """
    strangers.admit(draft, record.member, record.incarnation, now)
    departures.forget_younger(draft, record.life)
    known = draft.membership.members.get(record.member)
    if known is not None and known.incarnation == record.incarnation:
        told = replace(known.as_patient_as(record), awaits_mark=False)
        draft.membership.members.put(record.member, told)
        return told
    member = Member(
        incarnation=record.incarnation,
        sequence=-1 if left is None else left.sequence,
        topics=frozenset(queue.topic for queue in rows_of(record)),
        session_timeout_ms=record.session_timeout_ms,
        revocation_timeout_ms=record.revocation_timeout_ms,
        mode=record.mode,
        since=record.epoch,
        presumed=True,
        away=left is not None,
        pops=frozenset(naming.queue.topic for naming in record.portion.shared),
    )
    draft.membership.members.put(record.member, member)
    draft.membership.pulses.remove(record.member)
    return member


def _hear(draft: Draft, record: Adopted, now: Stamp) -> None:
    """Begin a member's session anew, as Kafka's coordinators do when they load a group.

    Whether it has read its record is not known. It counts from the end of the batch, which may hold
    days: the log may have dropped their beats, and where a clock jumped back they are in no order.
    """
    name = record.member
    member, pulse = draft.membership.members[name], draft.membership.pulses.get(name)
    heard = now.heard if pulse is None else max(pulse.seen, now.heard)
    sequence = -1 if pulse is None else pulse.sequence
    draft.membership.pulses.put(name, Pulse(heard, sequence, Unread(record.epoch)))
    draft.membership.suspected.remove(name)
    draft.expect_by(Millis(heard + member.session_timeout_ms))


def _remove(draft: Draft, names: Iterable[MemberId]) -> list[MemberId]:
    """Forget members, and return who they were."""
    removed = sorted(names)
    for name in removed:
        for part in (draft.membership.members, draft.membership.pulses, draft.membership.suspected):
            part.remove(name)
    return removed


def _write(draft: Draft, claims: RecordedGrants, now: Stamp) -> Mapping[Queue, Ownership]:
    """Write the books anew, and make each queue's next owner its target.

    Returns:
        The pages whose holders have no record of them.
    """
    asked = Asked(draft.next_epoch, now.heard)
    for queue in draft.handover.books.merged():
        draft.handover.books.remove(queue)
    target, absent = dict[Queue, MemberId](), dict[Queue, Ownership]()
    for queue in sorted(claims):
        page = page_of(claims[queue], asked)
        draft.handover.books.put(queue, page)
        if page.ending is not None:
            absent[queue] = page
        owner = page.heir if page.moves else page.holder
        if owner is not None:
            target[queue] = owner.member
    draft.target.replace_owners(target)
    return absent


def _map_out(draft: Draft, queues: AbstractSet[Queue]) -> None:
    """Take the queues named for all of a topic that was forgotten, until the watcher tells.

    Where each stands for all that a broker has, they are shared, and never owned (``target``).
    """
    found: dict[TopicName, list[Queue]] = defaultdict(list)
    for queue in sorted(queues, key=lambda it: (it.id == ANY_QUEUE, it)):
        if queue.id != ANY_QUEUE or all(it.id == ANY_QUEUE for it in found[queue.topic][:1]):
            found[queue.topic].append(queue)
    for topic, those in found.items():
        if draft.topics.routes.get(topic) is None:
            routing.write(draft, topic, Route(_UNSEEN, exists=True, queues=tuple(those)))


def _hear_again(draft: Draft, events: Sequence[Moment]) -> list[Released]:
    """Heed what the past says of letting go: the last of it may not be in what is published."""
    releases = list[Released]()
    for event in events:
        if isinstance(event, NOT_APPLIED):
            continue
        told = told_apart(draft, event)
        if isinstance(told, Released):
            endings.book(draft, told)
            releases.append(told)
        if isinstance(told, BeatSeen) and told.owned is not None:
            endings.repair(draft, told, told.owned)
    return releases
