"""Who may be working on a queue: one page of the books.

A page is written by ``handover``, and once by ``adoption``. An epoch is never used twice for a
queue.
"""

from dataclasses import dataclass

from rebalance.errors import BrokenInvariant
from rebalance.ids import Epoch, Life, Millis, OfOneLife, Queue, Tenure


@dataclass(frozen=True, slots=True)
class Asked:
    """A grant's holder was told to let go: by which record, and when on the log clock."""

    epoch: Epoch
    at: Millis


@dataclass(frozen=True, slots=True)
class Grant(OfOneLife):
    """A queue promised to one life of one member, under an epoch never used for it again."""

    life: Life
    epoch: Epoch
    asked: Asked | None = None
    """Set while the member is to let go (or, as an heir, never to start) and has not confirmed."""

    @property
    def tenure(self) -> Tenure:
        """What a release has to name to end it."""
        return Tenure(self.life, self.epoch)


@dataclass(frozen=True, slots=True)
class Ownership:
    """The members that may be working on one queue: a holder and, during a hand-over, an heir.

    From the moment it is published an heir counts as a possible owner, because it starts on the
    holder's release and asks no one. Invariant: holder and heir are different members, and the
    heir's epoch is the later one.
    """

    holder: Grant
    heir: Grant | None = None

    @property
    def grants(self) -> tuple[Grant, ...]:
        """Return the holder's and, if there is one, the heir's."""
        return (self.holder,) if self.heir is None else (self.holder, self.heir)

    def check(self, queue: Queue, epoch: Epoch) -> None:
        """Raise if its invariant does not hold, or if something in it is of a later epoch."""
        holder, heir = self.holder, self.heir
        if heir is not None and heir.member == holder.member:
            raise BrokenInvariant(f"{queue}: {heir.member} would be its own heir")
        if heir is not None and heir.epoch <= holder.epoch:
            raise BrokenInvariant(f"{queue}: epoch {heir.epoch} does not follow {holder.epoch}")
        if self.grants[-1].epoch > epoch:
            raise BrokenInvariant(f"{queue}: {self} is of a later epoch than {epoch}")
