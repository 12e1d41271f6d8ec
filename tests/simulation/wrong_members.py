"""Mistakes to plant in members: what the SDK's sessions might do wrong with time and with the log.

Those about the baton alone are found by exploration (``tests.laws``); these need time, losses and
guards. ``test_mutations`` proves that the simulation finds each of them.
"""

from collections.abc import Callable
from typing import Any

from trimtab.protocol import HolderRef, Release
from trimtab.session.baton import Baton
from trimtab.session.recall import Recall, Source

Function = Callable[..., Any]
NEVER_MS = 10**15


def last_release_counts(right: Function) -> Function:
    """Whoever is named last begins, as well."""

    def wrong(self: Recall, release: Release) -> None:
        for row in release.queues:
            source = Source(release.member, release.incarnation, row.epoch)
            self._firsts.pop((row.queue, source), None)
        right(self, release)

    return wrong


def names_whom_it_was_told_first(right: Function) -> Function:
    """It does not mind that somebody else comes next by now."""
    del right

    def wrong(self: Baton, row: HolderRef) -> None:
        del self, row

    return wrong


def never_fenced_by_itself(right: Function) -> Function:
    """Nobody stops for not being heard."""
    del right
    return lambda _timeout_ms: NEVER_MS
