"""Possession: what one life has at this moment, for those who ask: shells, a guard, tests.

The part of a session that changes nothing. Used by `session`.
"""

from collections.abc import Collection

from trimtab.protocol import HolderRef, QueueRef
from trimtab.session.baton import Baton
from trimtab.session.grants import Grant
from trimtab.session.outbox import Outbox


class Possession:
    """What a session answers."""

    _baton: Baton
    _outbox: Outbox
    _revocation_timeout_ms: int
    _left_behind: tuple[HolderRef, ...] = ()
    """Of one that has gone without a word."""

    @property
    def working(self) -> tuple[Grant, ...]:
        """What the application may work on."""
        return self._baton.working

    @property
    def revoking(self) -> tuple[Grant, ...]:
        """What the application was told to stop working on, and has not finished."""
        return tuple(self._baton.revoking)

    def finish_by_s(self, grants: Collection[Grant]) -> float | None:
        """When the first of these that are revoked must be finished, or all is lost."""
        if self._baton.deadline is None:
            return None
        revoking = self._baton.revoking.items()
        return min((by / 1_000 for grant, by in revoking if grant in grants), default=None)

    @property
    def revocation_timeout_ms(self) -> int:
        """What the controller grants; before it has answered, what was asked for."""
        return self._revocation_timeout_ms

    def owns(self, grant: Grant) -> bool:
        """Whether a grant is one of both: not released yet, and not lost."""
        return self._baton.owns(grant)

    @property
    def promised(self) -> tuple[QueueRef, ...]:
        """What it may begin next, as an heir."""
        return self._baton.promised

    @property
    def holdings(self) -> tuple[HolderRef, ...]:
        """What is to be released if the process dies now: all that is not known to be so yet."""
        return (*self._outbox.holdings, *self._baton.holdings, *self._left_behind)
