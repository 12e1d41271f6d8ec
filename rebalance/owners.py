"""Owners: who is meant to own each queue, told without going through all queues.

A group may have 100,000 queues, and most changes concern a few. So a strategy may return owners
that can be asked about members (``OwnersByMember``), and a change of some queues is laid over what
was there (``Renamed``). A plain dictionary will do as well: then every queue is looked at.

Its one rule: owners are never changed once they are made.
"""

from abc import abstractmethod
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, ValuesView

from rebalance.ids import MemberId, Queue

Owners = Mapping[Queue, MemberId]
Which = Callable[[MemberId], bool]


class OwnersByMember(Mapping[Queue, MemberId]):
    """Owners that can be asked about members."""

    @abstractmethod
    def owned_by(self, which: Which) -> Iterable[Queue]:
        """Return the queues of those members; asked once for each member."""

    @abstractmethod
    def _listed(self) -> dict[Queue, MemberId]:
        """Return all of them."""

    def items(self) -> ItemsView[Queue, MemberId]:
        """Return all of them at once; one by one takes ten times as long."""
        return self._listed().items()

    def values(self) -> ValuesView[MemberId]:
        """Return who owns each of them, at once as well."""
        return self._listed().values()


class Renamed(OwnersByMember):
    """Owners as they were, but for some queues that had an owner, too."""

    __slots__ = ("owners", "renamed")

    def __init__(self, owners: Owners, renamed: Owners) -> None:
        """Lay them over ``owners``."""
        assert all(queue in owners for queue in renamed), "only what is owned changes its owner"
        self.owners: Owners = owners
        self.renamed: Owners = renamed
        if isinstance(owners, Renamed):
            self.owners, self.renamed = owners.owners, {**owners.renamed, **renamed}

    def owned_by(self, which: Which) -> Iterable[Queue]:
        """Return the queues of those members."""
        yield from (it for it in owned_by(self.owners, which) if it not in self.renamed)
        yield from (queue for queue, name in self.renamed.items() if which(name))

    def _listed(self) -> dict[Queue, MemberId]:
        return {**dict(self.owners.items()), **self.renamed}

    def __getitem__(self, queue: Queue) -> MemberId:
        """Return the owner of ``queue``."""
        renamed = self.renamed.get(queue)
        return self.owners[queue] if renamed is None else renamed

    def __len__(self) -> int:
        return len(self.owners)

    def __iter__(self) -> Iterator[Queue]:
        return iter(self.owners)


def owned_by(owners: Owners, which: Which) -> Iterable[Queue]:
    """Return the queues of those members."""
    if isinstance(owners, OwnersByMember):
        return owners.owned_by(which)
    return (queue for queue, name in owners.items() if which(name))
