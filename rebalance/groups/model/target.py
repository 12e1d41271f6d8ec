"""The target: who should own what.

Written by ``rebalance.groups.target``.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from rebalance.ids import Epoch, MemberId, Millis, Queue
from rebalance.owners import Owners, Renamed


@dataclass(frozen=True, slots=True)
class Target:
    """What the strategy answered last."""

    owners: Owners = field(default_factory=dict)
    """The member that each queue is meant for. Invariant: of a target that is not behind the group,
    all are members."""
    epoch: Epoch = Epoch(0)
    """The ``group_epoch`` that it was computed for. Invariant: never greater than that."""
    at: Millis | None = None
    """When it was last computed with any queue, on the log clock."""
    shortage: Mapping[str, int] = field(default_factory=dict)
    """Why the strategy could not assign queues, and how many. Invariant: none is 0."""
    heirs: Mapping[Queue, MemberId] = field(default_factory=dict)
    """By queue, who would own it if its owner went (``dealing``). Invariant: each queue
    has an owner, and its heir is another member."""
    asked: str = ""
    """Which strategy the group counted on when it last changed, and how it was set (``in_force``);
    empty: not known."""


@dataclass(slots=True)
class TargetDraft:
    """The target in the middle of a step."""

    owners: Owners
    epoch: Epoch
    at: Millis | None
    shortage: Mapping[str, int]
    heirs: Mapping[Queue, MemberId]
    asked: str

    is_new: bool = False
    """It was computed in this step."""
    aimed: Collection[Queue] = ()
    """Queues whose owner in the new target is another one, or none."""
    renamed: set[Queue] = field(default_factory=set)
    """Queues whose owner was replaced or succeeded before the strategy was asked."""
    redealt: Collection[Queue] = ()
    """Queues whose standing heir is another one, or none."""
    urgent: bool = False
    """It waits for no interval, and each queue is looked at (``baton``)."""
    deferred: bool = False
    """It waits for the next step, which is due at once."""

    @classmethod
    def of(cls, before: Target) -> "TargetDraft":
        """Open it."""
        owners, heirs = before.owners, before.heirs
        return cls(owners, before.epoch, before.at, before.shortage, heirs, before.asked)

    def hasten(self) -> None:
        """Wait for no interval between targets: an operator does not want to."""
        self.urgent = True

    def defer(self) -> None:
        """Wait for the next step, which is due at once: the strategy changed."""
        self.deferred = True

    def rename(self, renamed: Owners) -> None:
        """Mean some queues for other members, before the strategy is asked."""
        if renamed:
            self.owners = Renamed(self.owners, renamed)
            self.renamed.update(renamed)

    def replace_owners(self, owners: Owners) -> None:
        """Mean the queues for whoever is published to have them; nobody stands by for them yet."""
        self.owners, self.heirs = owners, dict(self.heirs)

    def drop(self) -> None:
        """Drop the target."""
        self.owners, self.shortage, self.heirs = {}, {}, {}

    def closed(self, group_epoch: Epoch) -> Target:
        """Return the target as it is now."""
        epoch = group_epoch if self.is_new else self.epoch
        assert epoch <= group_epoch, f"the target is of epoch {epoch}, the group of {group_epoch}"
        assert all(self.shortage.values()), "a shortage has queues"
        for queue in (*self.renamed, *self.redealt):
            heir = self.heirs.get(queue)
            owner = None if heir is None else self.owners.get(queue)
            assert heir is None or owner not in {None, heir}, f"{heir} stands by for {owner}"
        # Nor is the next step to wait.
        at = None if self.deferred and self.urgent else self.at
        return Target(self.owners, epoch, at, self.shortage, self.heirs, self.asked)
