"""The books: for each queue, its holder and its heir; and indexes to find them.

A step that concerns three members must not look at every queue of a group that has 100,000. So
beside the pages there are two indexes: what each member has, and which queues are moving. They are
built when they are first needed, kept up from step to step, and never packed, because they add
nothing to the pages.

``Books`` are a part of the state; a step writes into ``DraftedBooks`` (``draft``). Their one rule:
the same pages give the same answers in the same order, however the indexes came about.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from rebalance.groups.model.cards import filed, refiled
from rebalance.groups.model.overlay import Overlay, apply
from rebalance.groups.model.ownership import Ownership
from rebalance.ids import MemberId, Queue

Cards = Mapping[MemberId, frozenset[Queue]]


class Books(dict[Queue, Ownership]):
    """All pages. Never changed once a step has ended."""

    __slots__ = ("_cards", "_moving", "_promised")

    def __init__(self, pages: Mapping[Queue, Ownership]) -> None:
        """Take the pages, without any card yet."""
        super().__init__(pages)
        self._cards: Cards | None = None
        self._moving: frozenset[Queue] | None = None
        self._promised: Counter[MemberId] | None = None

    @property
    def cards(self) -> Cards:
        """By member, the queues whose pages name it."""
        if self._cards is None:
            self._cards = filed(self, concerned)
        return self._cards

    @property
    def promised(self) -> Mapping[MemberId, int]:
        """By member, how many queues it is promised that do not move."""
        if self._promised is None:
            self._promised = _promised(self.values())
        return self._promised

    @property
    def moving(self) -> frozenset[Queue]:
        """The queues that are asked back."""
        if self._moving is None:
            self._moving = frozenset(queue for queue, owned in self.items() if owned.moves)
        return self._moving

    def rewritten(self, written: Mapping[Queue, Ownership | None]) -> "Books":
        """Return the books with some pages written anew, or removed."""
        books = Books(self)
        apply(written, books)
        if self._moving is not None:
            now = (queue for queue, owned in written.items() if owned is not None and owned.moves)
            books._moving = self._moving.difference(written).union(now)
        if self._promised is not None:
            before = _promised(self[queue] for queue in written if queue in self)
            after = _promised(it for it in written.values() if it is not None)
            books._promised = promised = self._promised.copy()
            promised.update(after)
            promised.subtract(before)
            for name in before:
                if not promised[name]:
                    del promised[name]
        if self._cards is not None:
            books._cards = refiled(self._cards, self, written, concerned)
        return books


class DraftedBooks(Overlay[Queue, Ownership]):
    """The books of a step: the pages as they were, and those written since."""

    __slots__ = ("_books",)

    def __init__(self, pages: Mapping[Queue, Ownership]) -> None:
        """Open the books."""
        self._books = pages if isinstance(pages, Books) else Books(pages)
        super().__init__(self._books)

    def concerning(self, members: AbstractSet[MemberId]) -> list[Queue]:
        """Return, in order, the queues whose pages name one of the members."""
        if not members:
            return []
        found = self._books.cards
        queues = {queue for member in members for queue in found.get(member, ())}
        queues.difference_update(self.written)
        for queue, owned in self.written.items():
            if owned is not None and not members.isdisjoint(concerned(owned)):
                queues.add(queue)
        return sorted(queues)

    def before(self, member: MemberId) -> frozenset[Queue]:
        """Return the queues whose pages named a member when the step began."""
        return self._books.cards.get(member, frozenset())

    def moving(self) -> list[Queue]:
        """Return, in order, the queues that are asked back."""
        written = self.written
        queues = [queue for queue in self._books.moving if queue not in written]
        queues += (queue for queue, owned in written.items() if owned is not None and owned.moves)
        return sorted(queues)

    def merged(self) -> Books:
        """Return the books as they are now; the same ones when nothing was written."""
        merged = super().merged()
        assert isinstance(merged, Books), "books are rewritten as books"
        return merged

    def _rewritten(self) -> Books:
        return self._books.rewritten(self.written)


def _promised(pages: Iterable[Ownership]) -> Counter[MemberId]:
    """Count the promises of queues that do not move."""
    resting = (owned.heirs for owned in pages if not owned.moves)
    return Counter(heir.member for heirs in resting for heir in heirs)


def concerned(owned: Ownership) -> Iterable[MemberId]:
    """Return the members that a page names."""
    if not owned.heirs:
        return (owned.holder.member,)
    return {grant.member for grant in owned.grants}
