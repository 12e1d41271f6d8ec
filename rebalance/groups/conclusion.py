"""The end of a step: a draft becomes the next state and the decisions to publish.

Here the group's epoch is drawn, once, and only if something was decided; every record of the batch
carries it. A member gets a record when its portion changed or when it asked by joining; a member
that the group does not know gets a withdrawal.

Called by ``step``. Records are a function of the next state, so that the same epoch always means
the same bytes (I4).
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rebalance.causes import Cause
from rebalance.errors import BrokenInvariant
from rebalance.groups import commons, timers
from rebalance.groups.handover import attribution
from rebalance.groups.members import departures, flapping, remains, unread
from rebalance.groups.model.books import Books, concerned
from rebalance.groups.model.decisions import (
    AssignmentIssued,
    AssignmentWithdrawn,
    Decision,
    Granted,
    HandedOver,
    Rebalanced,
)
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Portion
from rebalance.groups.model.outbox import Outbox
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.portions import Shares, portions
from rebalance.groups.model.state import GroupState
from rebalance.groups.model.subscriptions import popped_by
from rebalance.groups.summary import summarise
from rebalance.ids import Life, MemberId, Queue
from rebalance.stamp import Stamp


@dataclass(frozen=True, slots=True)
class Step:
    """The outcome of a step."""

    state: GroupState
    decisions: tuple[Decision, ...]


def unchanged(draft: Draft) -> Step:
    """Close a draft of which nobody has to be told anything."""
    if draft.is_unfinished:
        raise BrokenInvariant("something has to follow, and nothing was said of it")
    return Step(_remembered(_next_state(draft)), ())


def conclude(draft: Draft, moves: int, now: Stamp) -> Step:
    """Close a draft."""
    if draft.is_quiet:
        return unchanged(draft)
    flapping.forget(draft, now.clock)
    departures.forget(draft, now.clock)
    assert not draft.ended, "the grants of every life that ended are taken back"
    books, roster = draft.handover.books.merged(), draft.membership.members.merged()
    state = _next_state(draft)
    kept = _remembered(state)
    decided = state.epoch > draft.before.epoch
    decisions: list[Decision] = list(draft.outbox.notes)
    common = commons.Commons.of(state, roster)
    readers, cause = (
        _readers(draft, state, common),
        state.outbox.epoch_cause or state.outbox.change_cause,
    )
    if cause is not None:
        shares = _shares(state, books, common, readers)
        decisions += [_issued(draft, state, name, shares[name], cause) for name in readers]
        kept = unread.note(draft, kept, readers, now.heard)
    decisions += [
        AssignmentWithdrawn(state.name, member)
        for member in sorted(draft.outbox.gone)
        if member not in state.membership.members
    ]
    if decided and cause is not None:
        strategy = state.rules.strategy or draft.policy.strategy
        summary = summarise(state, books, common, strategy, now.appended, cause)
        decisions += [*_history(draft, moves, summary), summary]
    return Step(kept, tuple(decisions))


def _remembered(state: GroupState) -> GroupState:
    return state if state.membership.members else remains.kept(state)


def _next_state(draft: Draft) -> GroupState:
    before, said = draft.before, draft.before.outbox
    if not draft.decided:
        outbox = replace(said, unposted=())
        return draft.closed(before.epoch, before.group_epoch, outbox, draft.deadline)
    group_epoch = draft.next_epoch if draft.outbox.changes else before.group_epoch
    change, cause = attribution.last_change(draft), draft.outbox.cause_of_step
    outbox = Outbox(change, cause, share_numbers=commons.share_numbers(draft))
    return draft.closed(draft.next_epoch, group_epoch, outbox, timers.earliest(draft))


def _shares(
    state: GroupState, books: Books, common: commons.Commons, readers: Sequence[MemberId]
) -> Shares:
    cards = books.cards if readers else {}
    pages = {queue: books[queue] for name in readers for queue in cards.get(name, ())}
    members = state.membership.members
    read = dict(portions(pages.items(), (members[it].life(it) for it in readers)))
    for name in readers:
        member = members[name]
        if not member.owns:
            read[name] = common.portion(name)
        elif popped_by(member):
            read[name] = replace(read[name], shared=common.portion(name).shared)
    return read


def _readers(draft: Draft, state: GroupState, common: commons.Commons) -> list[MemberId]:
    """Members that get a record: those that asked, and those with news about a queue."""
    written, before = draft.handover.books.written, draft.before.handover.books
    was = [(queue, before[queue]) for queue in written if queue in before]
    now = [(queue, owned) for queue, owned in written.items() if owned is not None]
    members = draft.membership.members
    names = {name for _, owned in was + now for name in concerned(owned)}
    found = [(name, members.get(name)) for name in names]
    lives = [member.life(name) for name, member in found if member is not None]
    old, new = portions(was, lives), portions(now, lives)
    retold = {name for name in old if _read(draft, name, old) != _read(draft, name, new)}
    retold.update(commons.readers(draft, common))
    return sorted(
        (retold | draft.outbox.answered | draft.outbox.reminded) & state.membership.members.keys()
    )


def _read(draft: Draft, name: MemberId, shares: Shares) -> Portion:
    """Return what a member makes of its portion: an eager one names nobody, as it releases nothing.

    To be told again would start its grace anew.
    """
    member, portion = draft.membership.members.get(name), shares[name]
    if member is None or not member.eager:
        return portion
    rows = (portion.hold, portion.give)
    hold, give = (tuple(naming._replace(next=None, to=None) for naming in told) for told in rows)
    return replace(portion, hold=hold, give=give)


def _issued(
    draft: Draft, state: GroupState, name: MemberId, portion: Portion, cause: Cause
) -> AssignmentIssued:
    member = state.membership.members[name]
    assert member.owns or not portion.inherit, f"{name} owns nothing, so it inherits nothing"
    return AssignmentIssued(
        group=state.name,
        life=member.life(name),
        epoch=state.epoch,
        target_epoch=state.target.epoch,
        portion=portion,
        session_timeout_ms=member.session_timeout_ms,
        revocation_timeout_ms=member.revocation_timeout_ms,
        heartbeat_interval_ms=draft.policy.heartbeat_ms(member.session_timeout_ms),
        cause=cause,
        mode=member.mode,
        join_again=member.presumed,
    )


def _history(draft: Draft, moves: int, summary: GroupSummarised) -> list[Decision]:
    history: list[Decision] = []
    if draft.target.is_new:
        history.append(
            Rebalanced(
                group=summary.group,
                epoch_before=draft.before.epoch,
                epoch_after=summary.epoch,
                moves=moves,
                members=summary.population,
                queues=sum(topic.queues for topic in summary.topics),
                at=summary.at,
                cause=summary.cause,
            )
        )
    history += [
        HandedOver(
            group=summary.group,
            from_member=giver,
            to_member=taker,
            queues=tuple(sorted(passage.queues)),
            duration_ms=passage.duration_ms,
            idle_ms=passage.idle_ms,
            epoch=epoch,
            ending=ending,
            at=summary.at,
            cause=asked_cause or summary.cause,
        )
        for (giver, taker, epoch, ending, asked_cause), passage in draft.outbox.passages.items()
    ]
    history += _granted(draft, summary)
    return history


def _granted(draft: Draft, summary: GroupSummarised) -> Iterator[Granted]:
    """Say who got queues that nobody had, by grants of this very epoch: those found are older."""
    known = draft.before.handover.books
    passed = {queue for passage in draft.outbox.passages.values() for queue in passage.queues}
    first = defaultdict[Life, list[Queue]](list)
    for queue, owned in draft.handover.books.written.items():
        if owned is None or owned.holder.epoch != summary.epoch:
            continue
        if queue not in known and queue not in passed:
            first[owned.holder.life].append(queue)
    for life, queues in sorted(first.items()):
        whole = tuple(sorted(queues))
        yield Granted(summary.group, life, summary.epoch, whole, summary.at, summary.cause)
