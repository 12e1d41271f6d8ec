"""`BrokerSelector`: which queue a producer's next message goes to.

RocketMQ's latency fault tolerance for a producer of any broker: tell it how each send went, ask it
where the next one should go. It judges by its own table. If it gets the controller's verdicts, it
applies them as well, so that a producer that has just started avoids a broker which others have
found out about. Without them, or when they are old, the table alone decides.

Called by producers, from any number of threads, once a message. Its one rule: it never waits. Time
is passed in (milliseconds since 1970, as in the records); chance only decides where a thread
starts.
"""

import random
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Literal, final, get_args

from trimtab.errors import ConfigurationError, NoQueueError
from trimtab.faults import FaultTable, Rotation
from trimtab.faults.rules import RULES
from trimtab.faults.selection import Judge, Selector, WriteQueues, select, usable
from trimtab.faults.verdicts import FRESH_FOR_MS, VerdictBoard
from trimtab.protocol import QueueRef, Verdict

SelectorState = Literal["local", "central", "stale"]
"""What decides: the local table, central verdicts too, or the table because verdicts are old."""


def _anywhere() -> int:
    return random.getrandbits(31)


class _Counters(threading.local):
    """One thread's counters: of each topic, and of the last resort."""

    def __init__(self, seed: Callable[[], int]) -> None:
        self.topics: dict[str, Rotation] = defaultdict(lambda: Rotation(seed()))
        self.worst = Rotation(seed())


@final
class BrokerSelector:
    """Queue selection that avoids bad brokers, by ``trimtab.faults.selection``."""

    def __init__(
        self,
        generation: Selector = "5",
        *,
        table: FaultTable | None = None,
        reporter: str | None = None,
        fresh_for_ms: int = FRESH_FOR_MS,
        seed: Callable[[], int] = _anywhere,
    ) -> None:
        """Start with an empty table.

        Args:
            generation: Whose rules of selection: `4.2`, `4.9` or `5`.
            table: What to judge by; default: a table with that generation's ladder. One that is
                not `enabled` leaves plain round robin.
            reporter: Under which name this producer reports to the controller, which may ask it to
                try a broker that is out of use now and then.
            fresh_for_ms: For how long after the last word of the controller its verdicts count.
            seed: Where a thread's counter starts.

        Raises:
            ConfigurationError: There is no such generation.
        """
        if generation not in get_args(Selector):
            known = ", ".join(get_args(Selector))
            raise ConfigurationError(f"generation: {generation!r} must be one of {known}")
        rules = RULES["rocketmq-5" if generation == "5" else "rocketmq-4"]
        self.generation: Selector = generation
        self.table = table or FaultTable(rules)
        self._reporter = reporter
        self._board = VerdictBoard(fresh_for_ms)
        self._counters = _Counters(seed)
        self._seed = seed

    def select(
        self,
        topic: WriteQueues | Sequence[QueueRef],
        now: int,
        *,
        last_broker: str | None = None,
        reset: bool = False,
    ) -> QueueRef:
        """Return the queue for the next message, or the next try of one.

        Args:
            topic: The queues of one topic that can be written to.
            now: The time.
            last_broker: The broker of the try before, if this is a retry.
            reset: Start anywhere again, as RocketMQ 5 does for a retry.

        Raises:
            NoQueueError: There is no queue.
        """
        known = _known(topic)
        rotation = self._counters.topics[known.queues[0][0]]
        tried = None if last_broker is not None else self._to_try(known, now)
        if tried is not None:
            return QueueRef(*tried.queues[rotation.next() % len(tried.queues)])
        if reset and self.table.enabled and self.generation == "5":
            rotation.value = self._seed()
        return QueueRef(*select(self.generation, known, rotation, self._judge(now), last_broker))

    def usable(self, topic: WriteQueues | Sequence[QueueRef], now: int) -> tuple[QueueRef, ...]:
        """Return the queues that first tries go round while nothing is learnt (generation 5).

        Raises:
            NoQueueError: There is no queue.
        """
        return tuple(QueueRef(*queue) for queue in usable(_known(topic), self._judge(now)))

    def _judge(self, now: int) -> Judge:
        return Judge(self.table, now, self._counters.worst, self._board.avoided(now))

    def _to_try(self, topic: WriteQueues, now: int) -> WriteQueues | None:
        """A tester's message goes to a broker that is out of use, whatever its own table says.

        Never a retry: that message has waited enough.
        """
        for broker in self._board.to_try(now):
            queues = [queue for queue in topic.queues if queue[1] == broker]
            if queues:
                self._board.tried(broker, now)
                return WriteQueues.of(queues)
        return None

    def report(
        self,
        broker: str,
        latency_ms: int,
        now: int,
        *,
        failed: bool = False,
        reachable: bool = True,
    ) -> None:
        """Enter how a send went.

        Args:
            broker: Which broker it went to.
            latency_ms: How long it took, whatever came of it.
            now: The time at which it ended.
            failed: Whether it failed: RocketMQ's `isolation`.
            reachable: Whether the broker answered.
        """
        self.table.update(broker, latency_ms, now, isolation=failed, reachable=reachable)

    def hear(self, verdict: Verdict, appended_ms: int, now: int | None = None) -> None:
        """Enter a record of the topic `brokers`, with the time that Kafka gave it.

        Of your cluster alone: brokers of others may have the same names, and share its partition.

        Args:
            verdict: The record.
            appended_ms: When it was written, by Kafka's clock.
            now: The time, if it has just been written. Then verdicts are judged by Kafka's clock,
                however wrong yours is. Of a backlog say none.
        """
        if now is not None:
            self._board.set_clock(appended_ms, now)
        self._board.post(
            verdict.broker,
            available=verdict.available,
            until=verdict.until_ms,
            at=appended_ms,
            trial=self._reporter in (verdict.testers or ()),
        )

    def forget(self, broker: str) -> None:
        """Enter that the record of a broker of your cluster is gone from the topic `brokers`."""
        self._board.forget(broker)

    def trials(self, now: int) -> tuple[str, ...]:
        """Return brokers that are out of use and that this producer is to test now.

        Asking counts as trying: the next one is due a second later. `select` does so by itself.
        """
        due = tuple(self._board.to_try(now))
        for broker in due:
            self._board.tried(broker, now)
        return due

    def avoided(self, now: int) -> frozenset[str]:
        """Return the brokers that are out of use by a verdict, whatever the table says."""
        return self._board.avoided(now)

    def state(self, now: int) -> SelectorState:
        """Return what decides at present."""
        if self._board.age(now) is None:
            return "local"
        return "central" if self._board.is_fresh(now) else "stale"

    def is_available(self, broker: str, now: int) -> bool:
        """Return whether a message may go to the broker, by table and verdict."""
        return broker not in self._board.avoided(now) and self.table.is_available(broker, now)


def _known(topic: WriteQueues | Sequence[QueueRef]) -> WriteQueues:
    known = topic if isinstance(topic, WriteQueues) else WriteQueues.of(topic)
    if not known.queues:
        raise NoQueueError("there is no queue to write to")
    return known
