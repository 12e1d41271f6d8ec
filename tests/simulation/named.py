"""Mistakes to plant where a release names a life that nobody has promised the queue."""

from collections.abc import Sequence
from dataclasses import replace

from audit.violations import Invariant
from rebalance.groups.model.decisions import Ending
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Moment, Released
from rebalance.groups.model.ownership import Grant, Ownership
from rebalance.ids import Epoch, Millis, Naming, Queue, Tenure
from rebalance.stamp import Stamp
from tests.simulation import lives
from tests.simulation.plant import OWNERS, Function, Plant
from trimtab.protocol import Release
from trimtab.session.baton import Baton, Changes


def any_life_of_a_name_begins(right: Function) -> Function:
    """A member begins on a release that names another life of its own name."""

    def wrong(self: Baton, release: Release) -> Changes:
        me = self._me
        rows = tuple(
            row._replace(to=me) if row.to is not None and row.to.member == me.member else row
            for row in release.queues
        )
        changes: Changes = right(self, release.model_copy(update={"queues": rows}))
        return changes

    return wrong


def named_life_not_booked(right: Function) -> Function:
    """The controller knows no grants but those that it has promised."""

    def wrong(owned: Ownership, naming: Naming) -> Grant | None:
        grant: Grant | None = right(owned, naming._replace(to=None))
        return grant

    return wrong


def epochs_of_others_not_counted(right: Function) -> Function:
    """The controller goes on from its own last epoch."""

    def wrong(draft: Draft, *rest: object, **more: object) -> None:
        right(draft, *rest, **more)
        draft.reached = Epoch(0)

    return wrong


def named_life_that_has_ended_is_done(right: Function) -> Function:
    """Nobody asks the log whom it has named itself."""

    def wrong(draft: Draft, queue: Queue, heir: Grant, stamp: Stamp, *, ended: bool) -> None:
        right(draft, queue, heir, stamp, ended=ended)
        page = draft.handover.books.get(queue)
        if page is not None and page.ending is not None:
            draft.handover.books.remove(queue)
            draft.handover.over.discard(queue)

    return wrong


def promises_to_the_dead_forgotten(right: Function) -> Function:
    """An heir that has ended is dropped: it may have handed the queue on before."""

    def wrong(draft: Draft, queue: Queue, tenure: Tenure, ending: Ending, stamp: Stamp) -> None:
        page = draft.handover.books.get(queue)
        if page is not None and page.holder.tenure == tenure and not page.heirs:
            draft.handover.books.put(queue, replace(page, former=(), begun=False))
        right(draft, queue, tenure, ending, stamp)

    return wrong


def releases_not_read_back(right: Function) -> Function:
    """A controller that has forgotten believes in what is published alone."""

    def wrong(draft: Draft, events: Sequence[Moment]) -> object:
        return right(draft, [it for it in events if not isinstance(it, Released)])

    return wrong


def strangers_not_waited_for(right: Function) -> Function:
    """A life that was named, and whose join was not read, is taken for dead."""
    del right

    def wrong(draft: Draft, heard: Millis) -> Millis:
        del draft
        return heard

    return wrong


ENDINGS = "rebalance.groups.handover.endings"
NAMED = {
    "any life of a name begins": Plant(
        "trimtab.session.baton.Baton.hear",
        any_life_of_a_name_begins,
        OWNERS,
        lives=lives.rolling,
        first=121,
    ),
    "named life not booked": Plant(
        "rebalance.groups.model.ownership.Ownership.named_by",
        named_life_not_booked,
        OWNERS,
        lives=lives.rolling,
        first=15,
    ),
    "epochs of others not counted": Plant(
        f"{ENDINGS}.welcome",
        epochs_of_others_not_counted,
        frozenset({Invariant.TOTAL, Invariant.TOKENS_GROW}),
        lives=lives.rolling,
        first=15,
    ),
    "named life that has ended is done": Plant(
        f"{ENDINGS}.welcome",
        named_life_that_has_ended_is_done,
        OWNERS | {Invariant.TOKENS_GROW},
        lives=lives.rolling,
        first=203,
    ),
    "strangers not waited for": Plant(
        "rebalance.groups.handover.strangers._until",
        strangers_not_waited_for,
        OWNERS,
        lives=lives.rolling,
        first=377,
    ),
    "releases not read back": Plant(
        "rebalance.groups.adoption._hear_again",
        releases_not_read_back,
        OWNERS | {Invariant.TOKENS_GROW},
        lives=lives.rolling_forgetting,
        first=121,
    ),
    "promises to the dead forgotten": Plant(
        f"{ENDINGS}._end",
        promises_to_the_dead_forgotten,
        OWNERS | {Invariant.TOKENS_GROW},
        lives=lives.rolling,
        first=34,
    ),
}
