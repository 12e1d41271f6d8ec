"""Remains: what a group without members keeps, and for how long.

It keeps its topics for members that return soon, recent departures and flapping, and the ids of the
last commands. For a name that is never used again all of that would stay for ever. So it is dropped
when the group has been empty for a while (``Policy.keep_empty_ms``). Then only an operator's
settings are left, until they are taken back, or, if there are none, the epoch. The epoch is not
lost with the group: its cell keeps the highest (``streaming.cell.fold``), and the last published
summary names it (``adoption``).

Called by modules that fill or empty a group, by ``timers`` at the deadline, by ``step`` and by
``conclusion``. The log decides what is dropped when, not the end of a batch.
"""

from collections.abc import Iterator, Sequence

from rebalance.groups.handover import omissions
from rebalance.groups.members import departures, flapping
from rebalance.groups.model.commands import Forget
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Adopted, Advanced, Commanded, Joined, Moment, last_found
from rebalance.groups.model.state import GroupState
from rebalance.ids import Millis, began
from rebalance.stamp import Ticked


def note(draft: Draft, clock: Millis) -> None:
    """Start the time again, if the group is empty: the last member left, or a command came."""
    draft.membership.empty_since = None if draft.population else clock
    for deadline in deadlines(draft):
        draft.expect_by(deadline)


def deadlines(draft: Draft) -> Iterator[Millis]:
    """Return when the remains are dropped."""
    if draft.membership.empty_since is not None:
        end = Millis(draft.membership.empty_since + draft.policy.keep_empty_ms)
        yield max([end, *departures.deadlines(draft), *flapping.deadlines(draft)])


def sweep(draft: Draft) -> None:
    """Drop what is left: its deadline has passed. Of a paused group the target would stay."""
    for part in (draft.topics, draft.target, draft.rules):
        part.drop()
    draft.membership.flaps.clear()
    draft.membership.departures.clear()
    draft.membership.empty_since = None


def is_all(state: GroupState, events: Sequence[Moment]) -> bool:
    """Tell whether nothing is known of a group, and nothing said but how far its epochs got."""
    if not (state.is_unknown and all(isinstance(event, Advanced | Ticked) for event in events)):
        return False
    return not any(it.settings for it in last_found(events) if isinstance(it, Advanced))


def without_refused(events: Sequence[Moment]) -> list[Moment]:
    """Leave out commands of the past to forget a group that had members then, and has them now.

    They were refused. The log may have dropped the joins since: it keeps commands for longer. Of a
    life whose join it has, or that does not say since when it is there, nothing has to be guessed.
    """
    if not any(isinstance(it, Commanded) and isinstance(it.command, Forget) for it in events):
        return list(events)
    found = last_found(events)
    joined = {it.life for it in events if isinstance(it, Joined)}
    unknown = [it for it in found if isinstance(it, Adopted) and it.life not in joined]
    lives = [at for it in unknown if (at := began(it.incarnation))]
    decided = max((it.decided for it in found if isinstance(it, Advanced)), default=Millis(0))
    return [
        it
        for it in events
        if not (isinstance(it, Commanded) and isinstance(it.command, Forget))
        or not min(lives, default=decided) < it.stamp.appended <= decided
    ]


def are_worked_on(draft: Draft) -> bool:
    """Tell whether somebody who is no member may work on the group's queues, or begin to."""
    books = draft.handover.books.merged()
    ends = any(page.ending is not None for page in books.values())
    return ends or bool(draft.handover.strangers) or omissions.withholds(draft)


def kept(state: GroupState) -> GroupState:
    """Return what to remember of an empty group: if it has no remains, only the epoch."""
    if state.membership.empty_since is not None:
        return state
    if omissions.withholds(state) or state.handover.books or state.handover.strangers:
        return state  # who may work on its queues has to be heard first, or must have stopped
    return GroupState.unknown(state.name, state.epoch) if state.rules.are_the_policys else state
