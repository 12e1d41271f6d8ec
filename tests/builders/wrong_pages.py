"""Wrong ways to change a page of the books: mistakes about the baton that somebody might make.

Each takes the right ``next_page`` and returns one that is wrong in one respect. The exploration has
to find them, and so has the simulation.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from rebalance.groups.handover import endings
from rebalance.groups.model.decisions import Ending
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import BeatSeen, Released
from rebalance.groups.model.member import Member
from rebalance.groups.model.ownership import Asked, Grant, Over, Ownership
from rebalance.ids import Held, Queue, Tenure
from rebalance.stamp import Stamp

Page = Ownership | None
NextPage = Callable[[Page, Grant | None, Asked, Grant | None], Page]


def heir_confirmed_before_release(right: NextPage) -> NextPage:
    """The new owner is told to hold at once."""

    def wrong(owned: Page, wanted: Grant | None, asked: Asked, heir: Grant | None) -> Page:
        if owned and wanted and wanted.member != owned.holder.member:
            return Ownership(wanted)
        return right(owned, wanted, asked, heir)

    return wrong


def told_to_hold_on(right: NextPage) -> NextPage:
    """When the target returns to a holder that was told to give, it is told to hold on."""

    def wrong(owned: Page, wanted: Grant | None, asked: Asked, heir: Grant | None) -> Page:
        if owned and not owned.heirs and wanted and wanted.member == owned.holder.member:
            return Ownership(owned.holder)
        return right(owned, wanted, asked, heir)

    return wrong


def promise_withdrawn(right: NextPage) -> NextPage:
    """An heir that the target wants no more is dropped from the books, though it may be named."""

    def wrong(owned: Page, wanted: Grant | None, asked: Asked, heir: Grant | None) -> Page:
        page = right(owned, wanted, asked, heir)
        if owned and page and page.named != owned.named:
            heirs = tuple(heir for heir in page.heirs if heir.epoch == page.named)
            return replace(page, heirs=heirs)
        return page

    return wrong


def dropped_too_early(right: Callable[..., None]) -> Callable[..., None]:
    """Any full beat is believed to come from a holder that has read whom to name."""
    del right

    def wrong(draft: Draft, event: BeatSeen, listed: Iterable[Held]) -> None:
        for queue, epoch in listed:
            owned = draft.handover.books.get(queue)
            if owned is None or owned.moves:
                continue
            if owned.holder.tenure == Tenure(event.life, epoch):
                kept = () if owned.heir is None else (owned.heir,)
                draft.handover.books.put(queue, replace(owned, heirs=kept))

    return wrong


def booked_as_it_was_meant(right: Callable[..., None]) -> Callable[..., None]:
    """Whoever was to be named is believed to begin, whatever the release says."""

    def wrong(draft: Draft, event: Released) -> None:
        namings = []
        for naming in event.namings:
            owned = draft.handover.books.get(naming.queue)
            meant = naming.next if owned is None or owned.named is None else owned.named
            namings.append(naming._replace(next=meant))
        right(draft, replace(event, namings=tuple(namings)))

    return wrong


def mark_not_awaited(right: Callable[..., Member]) -> Callable[..., Member]:
    """Whoever joins is promised queues at once, wherever it begins to read."""

    def wrong(*known: object) -> Member:
        return replace(right(*known), awaits_mark=False)

    return wrong


def ended_heirs_kept(right: Callable[..., None]) -> Callable[..., None]:
    """What a life was promised stays promised to it when it has ended."""

    def wrong(draft: Draft, stamp: Stamp) -> None:
        pages = {
            queue: draft.handover.books[queue]
            for queue in draft.handover.books.concerning({member for member, _ in draft.ended})
        }
        ended = dict(draft.ended)
        right(draft, stamp)
        for queue, owned in pages.items():
            if owned.holder.life not in ended:
                draft.handover.books.put(queue, owned)

    return wrong


def fenced_beside_the_log(right: Callable[..., None]) -> Callable[..., None]:
    """The controller believes at once that a holder is done, and that its heir begins."""
    del right

    def wrong(draft: Draft, queue: Queue, tenure: Tenure, ending: Ending, stamp: Stamp) -> None:
        owned = draft.handover.books.get(queue)
        if owned is not None and owned.holder.tenure == tenure:
            over = Over(ending, stamp.heard)
            endings._vacate(draft, queue, owned, owned.heir, over)  # noqa: SLF001 - planted

    return wrong
