"""One step of a group: a batch of events in, the next state and decisions out.

Read this function aloud and you have the controller: adopt what is published, if that is more than
was remembered. Apply each event to the draft in log order; before each, do what the log clock says
is due. If the group changed, ask the strategy once what each member should own. Then move each
queue one step towards that, and publish what changed.

Most batches only say that all members are still there. If the group was at rest, it stays so, and
the step ends early.

Called by ``streaming.cell.fold`` for each group that has events or a deadline that passed, and by
every test and simulation. Its one rule: the same state and events give the same result, always;
nothing else goes in, nothing else comes out.
"""

from collections.abc import Sequence
from typing import assert_never

from rebalance.allocation import Allocator
from rebalance.groups import (
    adoption,
    ailments,
    in_force,
    obeying,
    routing,
    settings,
    succession,
    target,
    timers,
    unpublished,
)
from rebalance.groups.conclusion import Step, conclude, unchanged
from rebalance.groups.handover import attribution, baton, endings, notice, omissions
from rebalance.groups.members import (
    entry,
    marks,
    membership,
    own_names,
    remains,
    rocketmq_clients,
    sessions,
    unread,
)
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import (
    NOT_APPLIED,
    STARTING,
    BeatSeen,
    Begun,
    Commanded,
    DrainAsked,
    Event,
    Joined,
    Left,
    Moment,
    Registered,
    Released,
    RouteObserved,
    Unregistered,
)
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import GroupState
from rebalance.stamp import Stamp


def step(
    state: GroupState,
    events: Sequence[Moment],
    now: Stamp,
    policy: Policy,
    allocator: Allocator,
) -> Step:
    """Fold ``events``, which are in log order, up to ``now``, the last record that was read."""
    news, starts = None, False
    # At a start of the controller the batch also brings what was found published.
    is_first = not STARTING.isdisjoint(map(type, events))
    if is_first:
        starts = any(isinstance(event, Begun) for event in events)
        events = [it for it in remains.without_refused(events) if not isinstance(it, Begun)]
        news = adoption.published(state, events)
    if news is not None and not news.is_cut and remains.is_all(state, events):
        return Step(
            GroupState.unknown(state.name, news.epoch), ()
        )  # only the group's epoch is known
    lost = unpublished.unpublished(state, events) if starts and news is None else None
    if lost is not None:
        state = state.above(state.epoch)
    draft = Draft(state if news is None else adoption.begun(state, news), policy)
    if starts or not draft.before.is_out:
        _note_published(draft, now, starts=starts)
    _enter(draft, events, news, now, allocator, starts=starts)
    if is_first and news is None:  # an adoption computes everything anew
        in_force.compare(draft, now)
    if lost is not None:
        unpublished.say_again(draft, lost)
    if draft.is_quiet and draft.before.is_settled:
        return unchanged(draft)
    return conclude(draft, _move(draft, allocator, now), now)


def _note_published(draft: Draft, now: Stamp, *, starts: bool) -> None:
    """Note that the last step's records are published; at a start every session begins anew."""
    notice.arrive(draft, now)
    unread.arrive(draft, now)
    ailments.recover(draft, now, strategy=False)
    if starts:  # before any event: while no controller read, silence proves nothing
        sessions.begin(draft, now)


def _enter(
    draft: Draft,
    events: Sequence[Moment],
    news: adoption.Published | None,
    now: Stamp,
    allocator: Allocator,
    *,
    starts: bool,
) -> None:
    """Enter each event in log order; before each, and at last, do what is due by then.

    In an adoption the events before ``news.begins`` only show who is a member: the decisions that
    were published knew them. Then what is published is written into the books.
    """
    for place, event in enumerate(events):
        if news is not None and place == news.begins:
            settings.keep(draft, news, now)
            adoption.adopt(draft, news, events, now)
            settings.share(draft, news)
        # Later events of an adoption may be in no order of time: their stamps prove no silence.
        if news is None or place < news.begins:
            timers.fire(draft, event.stamp)
        if not isinstance(event, NOT_APPLIED):
            _fold(draft, own_names.told_apart(draft, event), allocator)
    if news is not None:  # again, as after a start: for those who joined by these later events
        sessions.begin(draft, now)
    if starts or news is not None:
        obeying.keep_time(draft, events, now, None if news is None else news.decided)
    timers.fire(draft, now)
    if news is not None:
        draft.outbox.changes.append(news.cause)  # last, so that it is the step's cause


def _move(draft: Draft, allocator: Allocator, now: Stamp) -> int:
    """Move each queue one step; return how many are meant for another member than before."""
    endings.take_back(draft, now)  # all grants of lives that have ended
    target.rename_owners(draft)  # a member that was replaced by another
    asks = target.is_due(draft, now.clock)  # as it was before anything follows the log
    taken = succession.follow(draft, evicted=not asks)  # who took a queue over is to have it
    moves = 0
    if target.is_due(draft, now.clock):  # what followed the log may have changed that
        moves = target.retarget(draft, allocator, now)  # the strategy is asked
        moves += len(taken - set(draft.target.aimed)) if taken else 0  # the aimed are counted
        if not draft.target.is_new:
            succession.follow(draft)  # the strategy failed: heirs get what the evicted had
    succession.stand_by(draft, allocator)  # standing heirs are dealt anew
    baton.call_back(draft, now)  # queues of topics that were made anew
    if omissions.withholds(draft):
        baton.write_releases(draft)  # nothing new is promised; what was promised before stands
    else:
        baton.settle(draft, now)  # each queue goes one step towards the target
    notice.give(draft)  # from when on holders can know it
    attribution.note(draft)  # which event is the cause
    in_force.note(draft)  # which settings the group counts on
    return moves


def _fold(draft: Draft, event: Event, allocator: Allocator) -> None:  # noqa: C901 - one case for each kind
    match event:
        case BeatSeen():
            membership.beat(draft, event)
            if event.owned is not None:
                endings.repair(draft, event, event.owned)
        case Joined():
            entry.join(draft, event)
            rocketmq_clients.agree(draft, event)
        case DrainAsked() | Left():
            membership.go(draft, event)
        case Registered() | Unregistered():
            rocketmq_clients.fold(draft, event)
        case Released():
            marks.note(draft, event)
            entry.believe(draft, event)
            if endings.book(draft, event):
                membership.part(draft, event)
        case RouteObserved():
            routing.observe(draft, event)
        case Commanded():
            obeying.obey(draft, event, allocator)
        case _:
            assert_never(event)
