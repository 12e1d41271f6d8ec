"""Mistakes about the baton to plant, in either half: one for each sentence of its rule.

``tests.laws`` finds more of them by exploration; these are found by chance, beside all that may go
wrong in a life.
"""

from collections.abc import Collection
from dataclasses import replace

from audit.violations import Invariant
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import BeatSeen, Released
from rebalance.ids import Held
from tests.builders.wrong_pages import (
    booked_as_it_was_meant,
    dropped_too_early,
    ended_heirs_kept,
    fenced_beside_the_log,
    heir_confirmed_before_release,
    promise_withdrawn,
)
from tests.simulation import lives, wrong_members
from tests.simulation.plant import OWNERS, Function, Plant


def release_of_a_stale_epoch_accepted(right: Function) -> Function:
    """Whoever holds a queue can let it go under any epoch."""

    def wrong(draft: Draft, event: Released) -> None:
        namings = []
        for naming in event.namings:
            owned = draft.handover.books.get(naming.queue)
            holds = owned is not None and owned.holder.life == event.life
            epoch = owned.holder.epoch if owned is not None and holds else naming.epoch
            namings.append(naming._replace(epoch=epoch))
        right(draft, replace(event, namings=tuple(namings)))

    return wrong


def any_beat_is_late_enough(right: Function) -> Function:
    """Who does not list a queue has let it go, whether or not it has read that it is to have it."""

    def wrong(draft: Draft, event: BeatSeen, listed: Collection[Held]) -> None:
        right(draft, replace(event, epoch=draft.before.epoch), listed)

    return wrong


BATON_PLANTS = {
    "heir confirmed before the release": Plant(
        "rebalance.groups.handover.baton.next_page", heir_confirmed_before_release, OWNERS
    ),
    "promise withdrawn": Plant(
        "rebalance.groups.handover.baton.next_page",
        promise_withdrawn,
        OWNERS,
        first=54,
    ),
    "fenced beside the log": Plant(
        "rebalance.groups.handover.endings._end",
        fenced_beside_the_log,
        OWNERS,
        first=46,
    ),
    "last release counts": Plant(
        "trimtab.session.recall.Recall.hear",
        wrong_members.last_release_counts,
        OWNERS | {Invariant.TOKENS_GROW},
        lives=lives.guarded,
        first=67,
    ),
    "names whom it was told first": Plant(
        "trimtab.session.baton.Baton._remember_next",
        wrong_members.names_whom_it_was_told_first,
        OWNERS,
        lives=lives.guarded,
        first=1525,
    ),
    "booked as it was meant": Plant(
        "rebalance.groups.handover.endings.book",
        booked_as_it_was_meant,
        OWNERS | {Invariant.TOKENS_GROW},
        lives=lives.guarded,
    ),
    "dropped too early": Plant(
        "rebalance.groups.handover.endings._drop_promises",
        dropped_too_early,
        OWNERS | {Invariant.TOKENS_GROW, Invariant.CALM},
        lives=lives.guarded,
        first=25,
    ),
    "ended heirs kept": Plant(
        "rebalance.groups.handover.endings.take_back",
        ended_heirs_kept,
        frozenset({Invariant.LIVELY, Invariant.TOTAL}),
        lives=lives.guarded,
    ),
    "any beat is late enough": Plant(
        "rebalance.groups.handover.endings.repair",
        any_beat_is_late_enough,
        OWNERS | {Invariant.TOKENS_GROW},
        lives=lives.guarded,
        first=58,
    ),
    "never fenced by itself": Plant(
        "trimtab.session.fencing.within", wrong_members.never_fenced_by_itself, OWNERS
    ),
    "release of a stale epoch accepted": Plant(
        "rebalance.groups.handover.endings.book",
        release_of_a_stale_epoch_accepted,
        OWNERS,
        lives=lives.late_releases,
    ),
}
