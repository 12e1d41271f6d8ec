"""Mistakes that a member of the SDK might make with the baton, each about one of its three rules.

Each replaces a method of the real ``Baton`` or ``Recall``; ``test_baton`` proves that the
exploration finds it.
"""

from collections.abc import Callable
from typing import Any

from tests.laws.views import View
from trimtab.protocol import HolderRef, QueueRef, Release, ReleaseRef
from trimtab.session.baton import Baton, Changes
from trimtab.session.duty import Revoking, Waiting
from trimtab.session.recall import Recall, Said, Source

Method = Callable[..., Any]


def lives_on(right: Method) -> Method:
    """Its guard takes it for dead, and it works (a guard's one rule)."""

    def wrong(view: View) -> View:
        return view if view.alive else right(view)

    return wrong


class _Any(int):
    """An epoch that is everybody's."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


def starts_whoever_is_named(right: Method) -> Method:
    """An heir takes a release that names another for its own (rule 1)."""

    def wrong(self: Recall, queue: QueueRef, source: Source) -> Said | None:
        said = right(self, queue, source)
        return said if said is None else said._replace(next=_Any())

    return wrong


def holds_what_it_let_go(right: Method) -> Method:
    """Old news is obeyed: it works again under an epoch that it has given up (rule 2)."""

    def wrong(self: Baton, queue: QueueRef, epoch: int, changes: Changes) -> bool:
        kept, self._let_go = self._let_go, {}
        news: bool = right(self, queue, epoch, changes)
        self._let_go = kept
        return news

    return wrong


def releases_before_it_has_stopped(right: Method) -> Method:
    """It lets go in words, and its application works on (rule 3)."""

    def wrong(self: Baton, row: HolderRef, deadline: int, changes: Changes) -> None:
        before = self._let_go.get(row.queue, 0)
        right(self, row, deadline, changes)
        if row.epoch > before and isinstance(self._states.get(row.queue), Revoking):
            changes.released.append(ReleaseRef(*row.queue, row.epoch, None, row.next))

    return wrong


def works_on_when_released(right: Method) -> Method:
    """What somebody else releases for it it does not mind (rule 2)."""

    def wrong(self: Baton, release: Release) -> Changes:
        if release.life == self._me:
            return Changes()
        changes: Changes = right(self, release)
        return changes

    return wrong


def waits_though_told_to_hold(right: Method) -> Method:
    """An heir that missed the release waits for it for ever (rule 1)."""

    def wrong(self: Baton, queue: QueueRef, epoch: int, changes: Changes) -> bool:
        state = self._states.get(queue)
        if isinstance(state, Waiting) and state.epoch == epoch:
            return False
        news: bool = right(self, queue, epoch, changes)
        return news

    return wrong


def keeps_what_is_not_named(right: Method) -> Method:
    """It keeps, or waits for, a queue that its record names no longer."""
    del right

    def wrong(self: Baton, queue: QueueRef, changes: Changes) -> None:
        del self, queue, changes

    return wrong
