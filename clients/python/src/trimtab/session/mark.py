"""The mark: a release without queues, which shows from where on a life reads releases.

Of all releases of a grant the first counts, so a life that has not read the first must not believe
the second. The controller therefore promises nothing to a life whose mark it has not read: it has
read all that stands before it. The mark goes out with each join, and with each beat until one that
was written after the first answer is read back: an earlier one may have come before the join, and
counts only if both were in one batch of the controller. It also shows other members that the life
is there, and one last word that it goes (`nominee`).
"""

from typing import Literal

from trimtab.protocol import LifeRef, Release


class Mark:
    """Whether the mark of one incarnation has to be written."""

    def __init__(self, life: LifeRef, *, needed: bool) -> None:
        self._life = life
        self._wanted = self._needed = self._unsaid = needed
        self._counts_from: int | None = None
        """The sequence of the first one that was written after the answer."""

    @property
    def due(self) -> bool:
        """Whether it is to be written, with a join or a beat."""
        return self._needed

    def again(self) -> None:
        """A join goes out: the controller may not have read the mark, or Kafka has lost it."""
        self._needed = self._wanted

    def last_word(self) -> Literal[True] | None:
        """Say, with a release or before the leave, that this life goes."""
        self._unsaid = False
        return True

    @property
    def goes_unsaid(self) -> bool:
        """Whether nobody has been told yet that this life goes."""
        return self._unsaid

    def sent(self, sequence: int, *, answered: bool) -> None:
        """It is on its way."""
        if answered and self._counts_from is None:
            self._counts_from = sequence

    def heard(self, release: Release) -> None:
        """A release was read; it may be one of this incarnation."""
        is_own = release.life == self._life
        if is_own and self._counts_from is not None and release.sequence >= self._counts_from:
            self._needed = False
