"""The hand-over: who may work on each queue, and what was asked of whom.

Written by ``handover``.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from rebalance.causes import Cause
from rebalance.groups.model.books import DraftedBooks
from rebalance.groups.model.ownership import Ownership
from rebalance.ids import Epoch, Life, Millis, Queue


@dataclass(frozen=True, slots=True)
class Handover:
    """The books, and the records that members still have to act on."""

    books: Mapping[Queue, Ownership] = field(default_factory=dict)
    """By queue, who may be working on it. Invariant: no queue without a holder."""
    loose: tuple[Queue, ...] = ()
    """Queues whose member in the target cannot be promised them as things are: it is away, or
    wishes something else by now. Looked at in each step, so that its return is not missed.
    Invariant: each is in the target."""
    posted: Mapping[Epoch, Millis | None] = field(default_factory=dict)
    """By the epoch of a record that asks members to give: when it was surely in Kafka, on the log
    clock; None: not known yet (``notice``). Invariant: no epoch is above the group's."""
    asked_causes: Mapping[Epoch, Cause] = field(default_factory=dict)
    """The cause of each record that a member still has to act on (``attribution``). Invariant: no
    epoch is above the group's."""
    strangers: Mapping[Life, Millis] = field(default_factory=dict)
    """Lives that hold queues and are no members, and when each was heard last (``strangers``). One
    that has released everything stays until it is silent. Invariant: none is the present life of a
    member."""


class HandoverDraft:
    """The hand-over in the middle of a step."""

    __slots__ = (
        "asked_causes",
        "books",
        "loose",
        "over",
        "posted",
        "retold",
        "served",
        "strangers",
        "taken",
    )

    def __init__(self, before: Handover) -> None:
        """Open it."""
        self.books = DraftedBooks(before.books)
        self.loose: Collection[Queue] = ()
        """As in the state, once ``baton.settle`` has looked."""
        self.posted = before.posted
        self.asked_causes = before.asked_causes
        self.strangers = dict(before.strangers)
        self.served: set[Epoch] = set()
        """Whose records were acted on in this step."""
        self.over: set[Queue] = set()
        """Whose holder was found in this step to be done, and whose release is to be written."""
        self.taken: set[Queue] = set()
        """Handed on in this step, unasked, to lives that were not promised it."""
        self.retold: set[Epoch] = set()
        """What somebody is told again in this step to let go (``notice``)."""

    def closed(self, epoch: Epoch) -> Handover:
        """Return it as it is now, in a group that has drawn ``epoch``."""
        for asked in (self.posted, self.asked_causes):
            assert not asked or max(asked) <= epoch, f"asked after epoch {epoch}: {max(asked)}"
        for queue, owned in self.books.written.items():
            if owned is not None:
                owned.check(queue, epoch)
        books, loose = self.books.merged(), tuple(self.loose)
        return Handover(books, loose, self.posted, self.asked_causes, self.strangers)
