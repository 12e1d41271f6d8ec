"""Unrecorded: queues that no published record names, and who has them all the same.

A life that holds a queue because a release named it, and that is no member, has no record. Nor have
lives that have ended, though one of them may have handed a queue on. So a controller that has
forgotten reads of such a queue what the log says. Releases of a queue stand there in the order of
their epochs: the last one names whoever holds it now, unless a later grant is remembered.

Used by ``adoption``. Its one rule: a queue is free only if the log, too, names nobody.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from rebalance.groups.handover import endings
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Released
from rebalance.groups.model.ownership import Grant, Ownership
from rebalance.ids import Naming, Queue
from rebalance.stamp import Stamp


def enter(
    draft: Draft, remembered: Mapping[Queue, Ownership], releases: Iterable[Released], now: Stamp
) -> None:
    """Write pages for queues that have none, but of which the log or the memory knows a holder."""
    last = _last_namings(releases)
    for queue in sorted(last.keys() | remembered.keys()):
        if draft.handover.books.get(queue) is not None:
            continue
        page = _page(draft, remembered.get(queue), last.get(queue))
        if page is None:
            continue
        draft.handover.books.put(queue, page)
        if page.ending is None:
            endings.welcome(draft, queue, page.holder, now, ended=False)
        else:
            draft.handover.over.add(queue)


def await_holders(draft: Draft, absent: Mapping[Queue, Ownership], now: Stamp) -> None:
    """Wait for holders that only records of their heirs name, unless they are known to have ended.

    Each may have begun on a release, and work. It is told to let go when it is there.
    """
    for queue, page in sorted(absent.items()):
        owned = draft.handover.books.get(queue)
        if owned is not None and owned.holder == page.holder:
            draft.handover.books.put(queue, replace(owned, over=None, begun=True))
            endings.welcome(draft, queue, page.holder, now, ended=False)


def _page(draft: Draft, remembered: Ownership | None, last: Naming | None) -> Ownership | None:
    """Return a queue's page; None: it is free.

    A heir that no record shows has ended. Under a last release that names one by its epoch alone it
    has not begun: otherwise its own release, written before it ended, would be the last.
    """
    if remembered is not None and (last is None or remembered.holder.epoch > last.epoch):
        former = (*remembered.former, *remembered.heirs)
        return replace(remembered, heirs=(), named=None, former=former, begun=True)
    if last is None or last.to is None or last.next is None or last.next <= last.epoch:
        return None
    if endings.is_too_far(draft, last.next):
        return None
    return Ownership(Grant(last.to, last.next), begun=True)


def _last_namings(releases: Iterable[Released]) -> dict[Queue, Naming]:
    """Return of each queue what was said first of its latest grant."""
    last: dict[Queue, Naming] = {}
    for naming in (naming for release in releases for naming in release.namings):
        known = last.get(naming.queue)
        if known is None or known.epoch < naming.epoch:
            last[naming.queue] = naming
    return last
