"""Dispatch: for each topic an endless sequence of partitions, prepared beforehand.

To ask for every message which brokers are to be avoided would cost more than sending it, but the
answer changes seldom. So the turns of a topic are prepared as an iterator, which sending takes the
next one from. They are prepared again when something changed: a slow delivery, a verdict, the end
of an ejection, another leader. `BrokerSelector` makes all judgements.

In a stream of messages a turn lasts for some of them, as in the clients' own partitioners: a batch
for each broker instead of a batch for each message.

Called by the senders (`turns`, `again`, `tick`) and by ``keeper``. Its one rule: taking a turn
of a topic that is known takes no lock, and runs no Python code.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, cycle, repeat
from threading import Lock
from typing import Final, Generic, NamedTuple, NoReturn, TypeVar

from trimtab.errors import ConfigurationError
from trimtab.faults import WriteQueues
from trimtab.protocol import BrokerLatency, QueueRef
from trimtab.selector import BrokerSelector
from trimtab.sending.broker_times import EIGHTH, BrokerTimes, Unread

STREAM: Final = 400
"""Messages a second that make a stream."""
STICKY_S: Final = 0.025
"""How long a turn lasts in a stream: some five of librdkafka's `linger.ms`, so that few of a turn's
batches are cut short by its end."""
PACE_MAX: Final = 1_024
"""The most messages of one turn."""

E = TypeVar("E")
"""What a sender wants to have at hand for each broker."""
Turn = tuple[int, E, bool]
"""A partition, what is at hand for its leader, and whether the sender is to ask for reports."""
Hands = tuple[E, E, E]
"""The same for one message; in a stream, for seven of eight, and for the eighth."""
ANYWHERE: Final = -1
"""Instead of a partition: the client is to choose one."""


class Leaders(NamedTuple):
    """Who leads a topic's partitions."""

    brokers: Sequence[str | None]
    """By partition; None: it has no leader for the moment."""
    addresses: Mapping[str, str]
    """Where each broker of the cluster is."""


Row = Callable[[], Turn[E]]
"""The endless row of a topic's turns: called, it gives the next one."""


class Turns(dict[str, Row[E]]):
    """The turns of each topic; for an unknown topic, the client's own choice.

    When there are none any more, all topics are unknown: so `send` asks nothing of each message.
    """

    def __init__(self, anywhere: Turn[E]) -> None:
        super().__init__()
        self._anywhere = anywhere
        self._shut: str | None = None

    def __missing__(self, topic: str) -> Row[E]:
        """Let the first messages go at once, and remember to look who leads the topic.

        Raises:
            ConfigurationError: There are no turns any more.
        """
        if self._shut is not None:
            raise ConfigurationError(self._shut)
        row = self[topic] = repeat(self._anywhere).__next__
        return row

    def deal(self, topic: str, row: Row[E]) -> None:
        """Prepare a topic's."""
        if self._shut is None:
            self[topic] = row

    def shut(self, why: str) -> None:
        """Give none any more. It takes no lock: in a fork nobody would give that back."""
        self._shut = why
        self.clear()

    def refuse(self, *_: object, **__: object) -> NoReturn:
        """Stand in for `send`."""
        raise ConfigurationError(self._shut or "send: it is over")


class Dispatch(Generic[E]):
    """The turns of all topics, and the times of all brokers.

    Args:
        selector: Who judges; generation 5.
        at_hand: Makes what a sender wants to have at hand for a broker.
    """

    def __init__(
        self, selector: BrokerSelector, at_hand: Callable[[BrokerTimes], Hands[E]]
    ) -> None:
        self._selector = selector
        self._at_hand = at_hand
        self.turns: Turns[E] = Turns((ANYWHERE, at_hand(Unread())[0], False))
        self._times: dict[str, BrokerTimes] = {}
        self._hands: dict[str, Hands[E]] = {}
        self._routes: dict[str, WriteQueues] = {}
        self._leaders: dict[str, Sequence[str | None]] = {}
        self._dealt_for: object = None
        self._pace = 1
        self._lock = Lock()
        """Of all but `turns`: reports of deliveries, leaders and retries come from anywhere."""

    def expect(self, topic: str) -> None:
        """Enter that messages will be sent to a topic."""
        _ = self.turns[topic]

    def close(self, why: str) -> None:
        """Give no more turns."""
        with self._lock:
            self._routes.clear()
            self.turns.shut(why)

    def topics(self) -> list[str]:
        """Return the topics that messages were sent to, or will be."""
        return list(self.turns)

    def learn(self, topic: str, leaders: Leaders, now: int) -> None:
        """Enter who leads a topic."""
        with self._lock:
            for broker in filter(None, leaders.brokers):
                if broker not in self._times:
                    times = self._times[broker] = BrokerTimes(broker)
                    self._hands[broker] = self._at_hand(times)
                self._times[broker].address = leaders.addresses.get(broker)
            before, self._leaders[topic] = self._leaders.get(topic), list(leaders.brokers)
            if before == self._leaders[topic]:
                return
            queues = [
                (topic, broker, partition)
                for partition, broker in enumerate(leaders.brokers)
                if broker is not None
            ]
            if queues:  # else it has no leader for the moment, and the former one will be back
                self._routes[topic] = WriteQueues.of(queues)
                self._deal(topic, now, ())

    def forget(self, topic: str) -> None:
        """Keep nothing of a topic that is not there any more."""
        with self._lock:
            self._routes.pop(topic, None)
            self._leaders.pop(topic, None)
            self.turns.pop(topic, None)

    def times_of(self, topic: str, partition: int | None) -> BrokerTimes | None:
        """Return the times of a partition's leader, if it is known."""
        leaders = self._leaders.get(topic, ())
        if partition is None or not 0 <= partition < len(leaders):
            return None
        return self._times.get(leaders[partition] or "")

    def whose(self, times: BrokerTimes, topic: str, partition: int | None) -> BrokerTimes:
        """Return whose failure it is, also of a message that was sent before that was known."""
        is_known = times.broker in self._times
        return times if is_known else self.times_of(topic, partition) or times

    def again(self, topic: str, broker: str, now: int) -> Turn[E] | None:
        """Return the turn of a message that a broker has failed; None: no leader is known."""
        with self._lock:
            route = self._routes.get(topic)
            if route is None:
                return None
            queue = self._selector.select(route, now, last_broker=broker, reset=True)
            return self._turn(queue)

    def tick(self, now: int, elapsed_s: float) -> bool:
        """Enter what was delivered, and deal anew if that changes anything.

        Returns:
            Whether there is a stream of messages, whose senders ask for reports.
        """
        with self._lock:
            read = sum(self._read(times, now) for times in self._times.values())
            pace = _pace(read, elapsed_s)
            fit = {it for it in self._times if self._selector.is_available(it, now)}
            grounds = (fit, self._selector.avoided(now), pace)
            trials = self._selector.trials(now)
            if trials or grounds != self._dealt_for:
                self._dealt_for, self._pace = grounds, pace
                for topic in self._routes:
                    self._deal(topic, now, trials)
            return pace > 1

    def close_window(self) -> tuple[BrokerLatency, ...]:
        """Sum up what every broker did since the last window."""
        with self._lock:
            summed_up = (times.close_window() for times in self._times.values())
            return tuple(it for it in summed_up if it is not None)

    def _read(self, times: BrokerTimes, now: int) -> int:
        """Tell the selector of the slowest and of the last delivery: what lay between says less."""
        latencies, failures, deliveries = times.read()
        if latencies:
            for latency in (max(latencies), latencies[-1]):
                self._selector.report(times.broker, round(1_000 * latency), now)
        if failures:
            took = round(1_000 * failures[-1])
            self._selector.report(times.broker, took, now, failed=True)
        return deliveries + len(failures)

    def _deal(self, topic: str, now: int, trials: Sequence[str]) -> None:
        route = self._routes[topic]
        tried = [next((it for it in route.queues if it[1] == broker), None) for broker in trials]
        first = [self._turn(QueueRef(*queue)) for queue in tried if queue is not None]
        row = list(self._selector.usable(route, now))
        start = random.getrandbits(31) % len(row)  # or the first partition would get most
        row = row[start:] + row[:start]
        if self._pace == 1:
            turns: Iterator[Turn[E]] = cycle([self._turn(queue) for queue in row])
        else:
            dealt = [self._eight(queue) for queue in row]  # `map` would do it while a message waits
            eights = map(repeat, cycle(dealt), repeat(self._pace // EIGHTH))
            turns = chain.from_iterable(chain.from_iterable(eights))
            for _ in range(random.getrandbits(31) % EIGHTH):
                next(turns)  # begin anywhere in an eight, or of short streams too few would count
        self.turns.deal(topic, chain(first, turns).__next__)

    def _turn(self, queue: QueueRef) -> Turn[E]:
        return queue.id, self._hands[queue.broker][0], self._pace > 1

    def _eight(self, queue: QueueRef) -> tuple[Turn[E], ...]:
        """Eight messages of a stream, of which the last is measured, and asks for reports."""
        _, seven, eighth = self._hands[queue.broker]
        return *[(queue.id, seven, False)] * (EIGHTH - 1), (queue.id, eighth, True)


def broker_name(leader: int | None) -> str | None:
    """Return the name of a leader by its number, if there is one."""
    return None if leader is None or leader < 0 else str(leader)


def is_stream(messages: int, elapsed_s: float) -> bool:
    """Return whether so many messages in that time come fast enough to ask for reports by."""
    return messages >= STREAM * elapsed_s and messages > 0


def _pace(messages: int, elapsed_s: float) -> int:
    """Return how many messages a turn lasts: 1, 8 or twice that, so that it seldom changes."""
    if not is_stream(messages, elapsed_s):
        return 1
    in_a_turn = int(messages * STICKY_S / max(elapsed_s, STICKY_S))
    return min(max(EIGHTH, 1 << in_a_turn.bit_length()), PACE_MAX)
