"""Remains: what a group keeps when nobody is in it, and for how long.

Its topics are kept for whoever is back soon, who left lately and who came and went too often, and
the ids of the last commands. Of a name that is never used again all of that would be kept for
ever. So it is struck out when nobody has been there for a while (``Policy.keep_empty_ms``); and
then nothing is left but what an operator has ordered, which stands until it is taken back, or, if
nothing was, the epoch. That is not forgotten with the group: its cell keeps the highest
(``streaming.cell``), and what was published of the group last names it (``adoption``).

Called by whoever fills or empties a group, by ``timers`` at the hour, by ``step`` and by
``conclusion``. Its one rule: what is struck out when is for the log to say, and not for where a
batch ends.
"""

from collections.abc import Iterator, Sequence

from rebalance import departures, flapping
from rebalance.draft import Draft
from rebalance.events import Advanced, Moment, Ticked
from rebalance.group import GroupState
from rebalance.ids import Millis
from rebalance.overrides import NONE


def note(draft: Draft, clock: Millis) -> None:
    """Count anew, if nobody is there: the last has gone, or an operator has spoken."""
    draft.empty_since = None if draft.population else clock
    for hour in hours(draft):
        draft.expect_by(hour)


def hours(draft: Draft) -> Iterator[Millis]:
    """Return when what is left is struck out."""
    if draft.empty_since is not None:
        end = Millis(draft.empty_since + draft.policy.keep_empty_ms)
        yield max([end, *departures.hours(draft), *flapping.hours(draft)])


def sweep(draft: Draft) -> None:
    """Strike out what is left: its hour has come."""
    draft.empty_since, draft.commands, draft.extent = None, (), None
    draft.target, draft.shortage = {}, {}  # of a paused group they would stay
    for left in (draft.routes, draft.doubts, draft.flaps, draft.departures):
        left.clear()


def is_all(state: GroupState, events: Sequence[Moment]) -> bool:
    """Tell whether nothing is known of a group, and nothing said but how far its epochs got."""
    return state.is_unknown and all(isinstance(event, Advanced | Ticked) for event in events)


def kept(draft: Draft, state: GroupState) -> GroupState:
    """Return the state to remember: of a group that has no remains, only the epoch."""
    if state.members or state.empty_since is not None:
        return state
    ordered = draft.paused or draft.strategy is not None or draft.overrides != NONE
    return state if ordered else GroupState.unknown(state.name, state.epoch)
