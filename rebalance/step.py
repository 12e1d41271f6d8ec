"""One step of a group: a batch of events in, the next state and decisions out.

Read this function aloud and you have the controller: adopt what is published, if that is more than
was remembered. Enter each event in the books in log order; before each, do what the log clock says
is due. If the group changed, ask the strategy once what each member should own. Then move each
queue one step towards that, and publish what changed.

Called by ``streaming.cell`` for each group that has events or a deadline that passed, and by every
test and simulation. Its one rule: the same state and events give the same result, always; nothing
else goes in, nothing else comes out.
"""

from collections.abc import Sequence
from typing import assert_never

from rebalance import (
    adoption,
    ailments,
    commands,
    consumer_table,
    handover,
    membership,
    notice,
    reasons,
    remains,
    routing,
    target,
    timers,
    twins,
    unread,
)
from rebalance.allocation import Allocator
from rebalance.conclusion import Step, conclude
from rebalance.draft import Draft
from rebalance.events import (
    SILENT,
    Beaten,
    Commanded,
    Drained,
    Event,
    Joined,
    Left,
    Moment,
    Registered,
    Released,
    RouteObserved,
    Stamp,
    Unregistered,
)
from rebalance.group import GroupState
from rebalance.policy import Policy


def step(
    state: GroupState,
    events: Sequence[Moment],
    now: Stamp,
    policy: Policy,
    allocator: Allocator,
) -> Step:
    """Fold ``events``, which are in log order, up to ``now``, the last record that was read."""
    news = adoption.published(state, events)
    if news is not None and remains.is_all(state, events):
        return Step(GroupState.unknown(state.name, news.epoch), ())
    draft = Draft(state if news is None else adoption.begun(state, news), policy)
    notice.arrive(draft, now)
    unread.arrive(draft, now)
    ailments.recover(draft, now, strategy=False)
    for place, event in enumerate(events):
        if news is not None and place == news.begins:
            adoption.adopt(draft, news, events, now)
        timers.strike(draft, event.stamp)
        if not isinstance(event, SILENT):
            _fold(draft, twins.told_apart(event, draft.policy))
    timers.strike(draft, now)
    if news is not None:
        draft.causes.append(news.cause)  # whatever else has happened
    handover.fence(draft, now)
    twins.bequeath(draft)
    moves = 0
    if target.is_due(draft, now.clock):
        moves = target.retarget(draft, allocator, now)
    handover.recall(draft, now)
    handover.settle(draft, now)
    notice.give(draft)
    reasons.note(draft)
    return conclude(draft, moves, now)


def _fold(draft: Draft, event: Event) -> None:
    match event:
        case Beaten():
            membership.beat(draft, event)
            handover.repair(draft, event)
        case Joined():
            membership.join(draft, event)
            consumer_table.agree(draft, event)
        case Drained() | Left():
            membership.go(draft, event)
        case Registered() | Unregistered():
            consumer_table.fold(draft, event)
        case Released():
            handover.book(draft, event)
        case RouteObserved():
            routing.observe(draft, event)
        case Commanded():
            commands.obey(draft, event)
        case _:
            assert_never(event)
