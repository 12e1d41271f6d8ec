"""Mistakes that a member of the SDK might make with the baton, each about one of its three rules.

Each replaces a method of the real ``Baton`` or ``Recall``; ``test_baton`` proves that the
exploration finds it.
"""

from collections.abc import Callable
from typing import Any

from trimtab.protocol import QueueRef, ReleaseRef
from trimtab.session.baton import Baton, Changes, Revoking
from trimtab.session.recall import Recall, Source

Method = Callable[..., Any]


def starts_on_any_release(right: Method) -> Method:
    """An heir takes every release of its queue for the one that it was promised (rule 1)."""
    del right

    def wrong(self: Recall, queue: QueueRef, source: Source) -> bool:
        del source
        return any(queue == heard for heard, _ in self._positions)

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

    def wrong(self: Baton, queue: QueueRef, epoch: int, deadline: int, changes: Changes) -> None:
        before = self._let_go.get(queue, 0)
        right(self, queue, epoch, deadline, changes)
        if epoch > before and isinstance(self._states.get(queue), Revoking):
            changes.released.append(ReleaseRef(*queue, epoch, None))

    return wrong


def keeps_what_is_not_named(right: Method) -> Method:
    """It works on a queue that its record names no longer."""
    del right

    def wrong(self: Baton, queue: QueueRef, changes: Changes) -> None:
        del self, queue, changes

    return wrong


def keeps_a_chance_to_itself(right: Method) -> Method:
    """An heir that has not started gives its chance up without a word."""

    def wrong(self: Baton, queue: QueueRef, epoch: int, deadline: int, changes: Changes) -> None:
        released = len(changes.released)
        right(self, queue, epoch, deadline, changes)
        del changes.released[released:]

    return wrong
