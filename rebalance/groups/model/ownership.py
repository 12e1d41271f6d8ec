"""Who may be working on a queue: one page of the books.

A page is written by ``handover``, and once by ``adoption``. An epoch is never used twice for a
queue.
"""

from dataclasses import dataclass

from rebalance.errors import BrokenInvariant
from rebalance.groups.model.decisions import Ending
from rebalance.ids import Epoch, Life, Millis, Naming, OfOneLife, Queue, Tenure


@dataclass(frozen=True, slots=True)
class Asked:
    """A grant's holder was told to let go: by which record, and when on the log clock."""

    epoch: Epoch
    at: Millis


@dataclass(frozen=True, slots=True)
class Over:
    """A grant's holder has ended."""

    ending: Ending
    at: Millis
    """When that was found, or its release last written, on the log clock."""
    since: Millis | None = None
    """Since when it may have done no work, on the same clock; None: not known. For people."""


@dataclass(frozen=True, slots=True)
class Grant(OfOneLife):
    """A queue promised to one life of one member, under an epoch never used for it again."""

    life: Life
    epoch: Epoch

    @property
    def tenure(self) -> Tenure:
        """What a release has to name to end it."""
        return Tenure(self.life, self.epoch)


@dataclass(frozen=True, slots=True)
class Ownership:
    """A queue's holder, and those that were promised the queue after it.

    Only the heir that the first release of the holder's grant names will begin. Which of them that
    is can change as long as no release was read; so a promise stays until then. Invariant: the
    epochs grow, no life stands here twice, and ``named`` is an heir's.
    """

    holder: Grant
    heirs: tuple[Grant, ...] = ()
    """In the order of their epochs."""
    named: Epoch | None = None
    """Whom the holder was last told to name; None: nobody."""
    asked: Asked | None = None
    """Set when the holder was told to let go, or has ended."""
    over: Over | None = None
    """Set when the holder has ended. Then the controller has written its release, and waits to read
    it, because another one may stand in the log before it."""
    former: tuple[Grant, ...] = ()
    """Promised to lives that have ended. The holder may name them, and they may have handed the
    queue on before they ended."""
    begun: bool = False
    """The holder has begun on a release. It may name somebody whom nobody has promised the queue:
    a younger life of the member that it has the queue from."""

    @property
    def ending(self) -> Ending | None:
        """How the holder has ended."""
        return None if self.over is None else self.over.ending

    @property
    def grants(self) -> tuple[Grant, ...]:
        """Return the holder's and the heirs'."""
        return (self.holder, *self.heirs)

    @property
    def heir(self) -> Grant | None:
        """Return the heir that the holder is to name."""
        return next((heir for heir in self.heirs if heir.epoch == self.named), None)

    def named_by(self, naming: Naming) -> Grant | None:
        """Return the grant that a release of the holder's names; epochs of a queue grow."""
        if naming.next is None or naming.next <= self.holder.epoch:
            return None
        if naming.to is not None:
            return Grant(naming.to, naming.next)
        return next((it for it in (*self.heirs, *self.former) if it.epoch == naming.next), None)

    @property
    def may_be_handed_on(self) -> bool:
        """Tell whether a release of the holder's may name somebody."""
        return bool(self.heirs or self.former) or self.begun

    @property
    def moves(self) -> bool:
        """Tell whether the queue is on its way to somebody, or is being taken back."""
        return self.asked is not None

    def check(self, queue: Queue, epoch: Epoch) -> None:
        """Raise if its invariant does not hold, or if something in it is of a later epoch."""
        epochs = [grant.epoch for grant in self.grants]
        if len({grant.life for grant in self.grants}) < len(epochs):
            raise BrokenInvariant(f"{queue}: a life would be its own heir in {self}")
        if sorted(set(epochs)) != epochs:
            raise BrokenInvariant(f"{queue}: epochs do not grow in {self}")
        if self.named is not None and self.heir is None:
            raise BrokenInvariant(f"{queue}: {self.named} is no heir in {self}")
        if self.over is not None and self.asked is None:
            raise BrokenInvariant(f"{queue}: {self} has ended and moves nowhere")
        if max([*epochs, *(grant.epoch for grant in self.former)]) > epoch:
            raise BrokenInvariant(f"{queue}: {self} is of a later epoch than {epoch}")
