"""RocketMQ's contract of a strategy, answered for a whole group at once.

In RocketMQ every client asks "what is my share?" by itself: ``allocate(group, me, queues,
clients)``. Asking that for each of N clients costs N times the whole computation (its hash ring:
37 s a client at 10,000). Here a strategy deals to everybody in one pass, and ``Round`` answers
each client from that, with the checks, the refusals and the messages of the Java classes
(``AbstractAllocateMessageQueueStrategy.check``, 5.3.3; 4.9.8 is the same).

Lists are used as they come: never sorted, never freed of duplicates. A repeated client counts at
its first place. Called by ``per_topic`` for the brain and by ``pop``; `trimtab allocate` shows it
as it is. On every input they do what Java does.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rebalance.ids import Queue

Client = str | None
"""A client id as Java may hold one."""


class Refused(ValueError):  # noqa: N818 - it names what happened
    """Java's IllegalArgumentException, with its message."""

    def __init__(self, message: str | None) -> None:
        super().__init__(message)
        self.message = message


class NullRefused(Refused):
    """Java's NullPointerException; those that the JVM throws by itself have no message."""


Share = Sequence[Queue] | None
"""What one client gets, in order. None is Java's null: the list of ``CONFIG`` was never set."""

Deal = Callable[[Sequence[Queue], Sequence[Client]], Mapping[Client, Share | Refused]]
"""Each client's share. Clients that get nothing may be left out."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """A named way to deal."""

    name: str
    deal: Deal
    checked: bool = True
    """Whether RocketMQ's check comes first. Only ``CONFIG`` does without."""


class Round:
    """One deal: some queues, some clients, and each client's answer."""

    def __init__(
        self,
        strategy: Strategy,
        queues: Sequence[Queue] | None,
        clients: Sequence[Client] | None,
    ) -> None:
        self.queues = queues
        self.clients = clients
        self.places = first_places(clients or ())
        self._strategy = strategy
        self._dealt: Mapping[Client, Share | Refused] | Refused | None = None

    def share(self, client: Client) -> Share:
        """Return what ``allocate`` returns to ``client``, or raise what it throws."""
        if not self._strategy.checked:
            return _told(self._strategy.deal(self.queues or (), (client,)).get(client))
        if not client:
            raise Refused("currentCID is empty")
        if not self.queues:
            raise Refused("mqAll is null or mqAll empty")
        if not self.clients:
            raise Refused("cidAll is null or cidAll empty")
        return self._answer(client) if client in self.places else ()

    def _answer(self, client: Client) -> Share:
        dealt = self._deal()
        return _told(dealt if isinstance(dealt, Refused) else dealt.get(client, ()))

    def _deal(self) -> Mapping[Client, Share | Refused] | Refused:
        if self._dealt is None:
            try:
                self._dealt = self._strategy.deal(self.queues or (), self.clients or ())
            except Refused as refused:
                self._dealt = refused
        return self._dealt


def _told(answer: Share | Refused) -> Share:
    if isinstance(answer, Refused):
        raise answer
    return answer


def first_places(clients: Sequence[Client]) -> dict[Client, int]:
    """Return each client's first index, as ``List.indexOf`` finds it."""
    places: dict[Client, int] = {}
    for place, client in enumerate(clients):
        places.setdefault(client, place)
    return places
