"""Whose turn it is: for each topic an endless row of partitions, dealt beforehand.

A card dealer. Asking for every message which brokers are to be avoided would cost more than sending
it; but the answer changes seldom. So the turns of a topic are dealt as an iterator, which sending
takes the next one from, and dealt anew when something was learnt: a slow delivery, a verdict, a
sentence that is over, another leader. All judgement is `BrokerSelector`'s.

A turn lasts for the messages of some ten milliseconds, as in the clients' own partitioners: a batch
for each broker instead of a batch for each message.

Called by the senders (`turns`, `again`, `tick`) and by ``keeper``. Its one rule: taking a turn
takes no lock and runs no code of ours.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, cycle, repeat
from threading import Lock
from typing import Final, Generic, NamedTuple, TypeVar

from trimtab.faults import WriteQueues
from trimtab.protocol import BrokerLatency, QueueRef
from trimtab.selector import BrokerSelector
from trimtab.sending.ledger import Ledger

STICKY_MS: Final = 10
"""How long a turn lasts in a stream of messages: librdkafka's `sticky.partitioning.linger.ms`."""
PACE_MAX: Final = 1_024
"""The most messages of one turn."""

E = TypeVar("E")
"""What a sender wants to have at hand for each broker."""
Turn = tuple[int, E]
"""A partition, and what is at hand for its leader."""
ANYWHERE: Final = -1
"""Instead of a partition: the client is to choose one."""


class Leaders(NamedTuple):
    """Who leads a topic's partitions."""

    brokers: Sequence[str | None]
    """By partition; None: nobody, for the moment."""
    addresses: Mapping[str, str]
    """Where each broker of the cluster is."""


class Turns(dict[str, Iterator[Turn[E]]]):
    """The row of each topic; of one that nothing is known of, the client's own choice."""

    def __init__(self, anywhere: Turn[E]) -> None:
        super().__init__()
        self._anywhere = anywhere

    def __missing__(self, topic: str) -> Iterator[Turn[E]]:
        """Let the first messages go at once, and remember to look who leads the topic."""
        row = self[topic] = repeat(self._anywhere)
        return row


class Dispatch(Generic[E]):
    """The turns of all topics, and the accounts of all brokers.

    Args:
        selector: Who judges; generation 5.
        at_hand: Makes what a sender wants to have at hand for a broker.
    """

    def __init__(self, selector: BrokerSelector, at_hand: Callable[[Ledger], E]) -> None:
        self._selector = selector
        self._at_hand = at_hand
        self.turns = Turns((ANYWHERE, at_hand(Ledger("?"))))
        self._ledgers: dict[str, Ledger] = {}
        self._hands: dict[str, E] = {}
        self._routes: dict[str, WriteQueues] = {}
        self._leaders: dict[str, Sequence[str | None]] = {}
        self._dealt_for: object = None
        self._pace = 1
        self._lock = Lock()
        """Of all but `turns`: reports of deliveries, leaders and retries come from anywhere."""

    def expect(self, topic: str) -> None:
        """Enter that messages will be sent to a topic."""
        _ = self.turns[topic]

    def topics(self) -> list[str]:
        """Return the topics that messages were sent to, or will be."""
        return list(self.turns)

    def learn(self, topic: str, leaders: Leaders, now: int) -> None:
        """Enter who leads a topic."""
        with self._lock:
            for broker in filter(None, leaders.brokers):
                if broker not in self._ledgers:
                    ledger = self._ledgers[broker] = Ledger(broker)
                    self._hands[broker] = self._at_hand(ledger)
                self._ledgers[broker].address = leaders.addresses.get(broker)
            before, self._leaders[topic] = self._leaders.get(topic), list(leaders.brokers)
            if before == self._leaders[topic]:
                return
            queues = [
                (topic, broker, partition)
                for partition, broker in enumerate(leaders.brokers)
                if broker is not None
            ]
            if queues:  # else nobody leads it for the moment, and whoever did will be back
                self._routes[topic] = WriteQueues.of(queues)
                self._deal(topic, now, ())

    def ledger_of(self, topic: str, partition: int | None) -> Ledger | None:
        """Return the account of whoever leads a partition, if it is known."""
        leaders = self._leaders.get(topic, ())
        if partition is None or not 0 <= partition < len(leaders):
            return None
        return self._ledgers.get(leaders[partition] or "")

    def again(self, topic: str, broker: str, now: int) -> Turn[E] | None:
        """Return the turn of a message that a broker has failed; None: no leader is known."""
        with self._lock:
            route = self._routes.get(topic)
            if route is None:
                return None
            last = broker if broker in self._ledgers else None
            queue = self._selector.select(route, now, last_broker=last, reset=True)
            return queue.id, self._hands[queue.broker]

    def tick(self, now: int, elapsed_s: float) -> int:
        """Enter what was delivered, deal anew if that changes anything; return how much it was."""
        with self._lock:
            read = sum(self._read(ledger, now) for ledger in self._ledgers.values())
            pace = _pace(read, elapsed_s)
            fit = {it for it in self._ledgers if self._selector.is_available(it, now)}
            grounds = (fit, self._selector.avoided(now), pace)
            trials = self._selector.trials(now)
            if trials or grounds != self._dealt_for:
                self._dealt_for, self._pace = grounds, pace
                for topic in self._routes:
                    self._deal(topic, now, trials)
            return read

    def close_window(self) -> tuple[BrokerLatency, ...]:
        """Sum up what every broker did since the last window."""
        with self._lock:
            summed_up = (ledger.close_window() for ledger in self._ledgers.values())
            return tuple(it for it in summed_up if it is not None)

    def _read(self, ledger: Ledger, now: int) -> int:
        """Tell the selector of the slowest and of the last delivery: what lay between says less."""
        latencies, failures = ledger.read()
        if latencies:
            for latency in (max(latencies), latencies[-1]):
                self._selector.report(ledger.broker, round(latency), now)
        if failures:
            self._selector.report(ledger.broker, round(failures[-1]), now, failed=True)
        return len(latencies) + len(failures)

    def _deal(self, topic: str, now: int, trials: Sequence[str]) -> None:
        route = self._routes[topic]
        tried = [next((it for it in route.queues if it[1] == broker), None) for broker in trials]
        first = [self._turn(QueueRef(*queue)) for queue in tried if queue is not None]
        row = [self._turn(queue) for queue in self._selector.usable(route, now)]
        start = random.getrandbits(31) % len(row)  # or the first partition would get most
        turns = cycle(row[start:] + row[:start])
        self.turns[topic] = chain(
            first,
            turns
            if self._pace == 1
            else chain.from_iterable(map(repeat, turns, repeat(self._pace))),
        )

    def _turn(self, queue: QueueRef) -> Turn[E]:
        return queue.id, self._hands[queue.broker]


def _pace(read: int, elapsed_s: float) -> int:
    """Return how many messages a turn lasts: a power of two, so that it seldom changes."""
    messages = int(read * STICKY_MS / 1_000 / max(elapsed_s, 0.001))
    return min(1 << max(messages.bit_length() - 1, 0), PACE_MAX)
