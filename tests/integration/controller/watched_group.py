"""A group whose members must keep what they have, whatever becomes of their controller.

watched = WatchedGroup(published, group, [a, b])
with watched.unmoved(lasting=10):
    controller.kill()
    controller.start()
"""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.integration.published import Published
from trimtab import Grant, Member
from trimtab.protocol import Handover, MemberChanged

QUEUES = 8


class WatchedGroup:
    """The members of one group, and what is published of it."""

    def __init__(self, published: Published, group: str, members: list[Member]) -> None:
        self.published = published
        self.group = group
        self.members = members

    def settle(self) -> None:
        """Wait until all is shared out, and known to be."""
        names = [it.member_id for it in self.members]
        self.published.wait_until(lambda: self.published.is_stable(self.group, names, QUEUES))
        self.published.wait_until(lambda: all(map(self.published.is_read_by, self.members)))
        self.published.catch_up()

    def assignments(self) -> list[tuple[Grant, ...]]:
        """What each member works on."""
        return [it.assignment for it in self.members]

    @contextmanager
    def unmoved(self, lasting: float) -> Iterator[None]:
        """See members keep what they have, in the block and for a while afterwards."""
        self.settle()
        before = self.assignments()
        yield
        self.published.watch(lasting)
        assert before == self.assignments()

    @contextmanager
    def adopted(self, lasting: float, *, repeated: bool = False) -> Iterator[None]:
        """See the same, under a greater epoch: whoever starts in the block has read it back.

        Args:
            lasting: For how long to look, in seconds.
            repeated: Whether it may tell again what was told before.
        """
        self.settle()
        epoch, told = self.published.groups[self.group].epoch, len(self._moves())
        with self.unmoved(lasting):
            yield
            self.published.wait_until(lambda: self.published.groups[self.group].epoch > epoch)
            assert "adoption" == self.published.groups[self.group].cause.kind
        if not repeated:
            assert [] == self._moves()[told:]
        assert "adoption" not in {it.cause.kind for it in self._moves()}
        self.settle()

    def _moves(self) -> list[Handover | MemberChanged]:
        said = self.published.of_group(self.group)
        return [it for it in said if isinstance(it, Handover | MemberChanged)]
