"""Which queue a message goes to, in RocketMQ's three generations.

Round robin: the next queue in turn, unless its broker is being avoided. The generations differ in
the rest, and are called after the release that many run or read of:

``4.2`` looks only among the brokers of the *last* try, when there was one, and else falls to the
better half of the fault table. So a retry goes back to the broker that has just failed. ``4.9`` the
same without that condition; the last try counts for nothing. ``5`` never the last try's broker
while another will do: first one that is available, then one that can be reached, then anything.

RocketMQ up to 4.9.4 wrote its last resort into the list that all threads share, so that a topic's
queues drifted to one broker for ever (#5672, #7779). These functions change no list.

Called by the producer's ``BrokerSelector``. Its one rule: a queue is always found; nothing waits.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from trimtab.faults.java import INT_MIN, wrap_int
from trimtab.faults.rotation import Rotation
from trimtab.faults.table import FaultTable

Place = tuple[str, str, int]
"""A queue: topic, broker, id."""
Selector = Literal["4.2", "4.9", "5"]


@dataclass(frozen=True, slots=True)
class WriteQueues:
    """A topic's queues that can be written to: RocketMQ's `TopicPublishInfo`. Never empty."""

    queues: tuple[Place, ...]
    counts: Mapping[str, int]
    """Writable queues by broker, as the route says; 4.x counts by it, whatever is listed."""

    @classmethod
    def of(cls, queues: Iterable[Place]) -> "WriteQueues":
        """Take the counts from the list itself."""
        listed = tuple(queues)
        return cls(listed, Counter(broker for _, broker, _ in listed))


@dataclass(frozen=True, slots=True)
class Judge:
    """What is known of the brokers at one instant."""

    table: FaultTable
    now: int
    worst: Rotation
    """The counter of 4.x's last resort."""
    avoided: frozenset[str] = frozenset()
    """Who is out of use by a central verdict, whatever this producer saw itself."""

    def is_available(self, broker: str) -> bool:
        """Return whether neither the table nor a verdict has anything against the broker."""
        return broker not in self.avoided and self.table.is_available(broker, self.now)

    def passes(self) -> "tuple[Callable[[str], bool], ...]":
        """Return what 5 asks of a broker, pass by pass, as long as none will do.

        The one in the middle is ours: when all that are left have just been slow, one that nobody
        else complains of is better than one which a verdict has taken out of use.
        """
        if not self.avoided:
            return self.is_available, self.table.is_reachable
        return self.is_available, self._is_spared, self.table.is_reachable

    def _is_spared(self, broker: str) -> bool:
        return broker not in self.avoided and self.table.is_reachable(broker)


def select(
    generation: Selector,
    topic: WriteQueues,
    rotation: Rotation,
    judge: Judge,
    last_broker: str | None,
) -> Place:
    """Return the queue for the next message, or the next try of one.

    Args:
        generation: Whose rules.
        topic: Where it may go.
        rotation: The thread's counter of this topic.
        judge: What is known of the brokers; when its table is off, all that counts is the turn.
        last_broker: The broker of the try before, if this is a retry.
    """
    if judge.table.enabled:
        return _GENERATIONS[generation](topic, rotation, judge, last_broker)
    if generation == "4.2":
        return _plain_4_2(topic, rotation, last_broker)
    return plain(topic, rotation, last_broker)


def usable(topic: WriteQueues, judge: Judge) -> tuple[Place, ...]:
    """Return the queues that generation 5 goes round, as long as nothing is learnt.

    For a producer that cannot afford to ask before every message.
    """
    passes = judge.passes() if judge.table.enabled else ()
    for is_fit in passes:
        fit = tuple(queue for queue in topic.queues if is_fit(queue[1]))
        if fit:
            return fit
    return topic.queues


def plain(topic: WriteQueues, rotation: Rotation, last_broker: str | None) -> Place:
    """Return the next queue in turn, of another broker than the last one if there is one."""
    if last_broker is not None:
        for _ in topic.queues:
            queue = _next(topic, rotation)
            if queue[1] != last_broker:
                return queue
    return _next(topic, rotation)


def _plain_4_2(topic: WriteQueues, rotation: Rotation, last_broker: str | None) -> Place:
    """As ``plain``, but a retry advances the counter once, however many queues it passes over."""
    others = _scan(topic, rotation) if last_broker is not None else ()
    found = next((queue for queue in others if queue[1] != last_broker), None)
    return _next(topic, rotation) if found is None else found


def _next(topic: WriteQueues, rotation: Rotation) -> Place:
    return topic.queues[rotation.next() % len(topic.queues)]


def _select_4_2(
    topic: WriteQueues, rotation: Rotation, judge: Judge, last_broker: str | None
) -> Place:
    for queue in _scan(topic, rotation):
        if judge.is_available(queue[1]) and last_broker in (None, queue[1]):
            return queue
    return _last_resort(topic, rotation, judge)


def _select_4_9(
    topic: WriteQueues, rotation: Rotation, judge: Judge, _last_broker: str | None
) -> Place:
    for queue in _scan(topic, rotation):
        if judge.is_available(queue[1]):
            return queue
    return _last_resort(topic, rotation, judge)


def _scan(topic: WriteQueues, rotation: Rotation) -> Iterable[Place]:
    """Walk all queues from the next one on, advancing the shared counter only once."""
    start, count = rotation.next(), len(topic.queues)
    for step in range(count):
        index = wrap_int(start + step)
        # Math.abs(Integer.MIN_VALUE) is negative, and 4.x takes the first queue then.
        yield topic.queues[0 if index == INT_MIN else abs(index) % count]


def _last_resort(topic: WriteQueues, rotation: Rotation, judge: Judge) -> Place:
    """Take any queue number of one of the better brokers, which may not even have that queue."""
    broker = judge.table.pick_one_at_least(judge.now, judge.worst)
    if broker is None or broker in judge.avoided:
        return _next_spared(topic, rotation, judge)
    count = topic.counts.get(broker, 0)
    if count <= 0:
        judge.table.remove(broker)
        return _next_spared(topic, rotation, judge)
    name = _next(topic, rotation)[0]
    return name, broker, rotation.next() % count


def _next_spared(topic: WriteQueues, rotation: Rotation, judge: Judge) -> Place:
    """Take the next queue in turn, of a broker without a verdict against it if there is one."""
    for _ in topic.queues:
        queue = _next(topic, rotation)
        if queue[1] not in judge.avoided:
            return queue
    return _next(topic, rotation)


def _select_5(
    topic: WriteQueues, rotation: Rotation, judge: Judge, last_broker: str | None
) -> Place:
    for is_fit in judge.passes():
        for _ in topic.queues:
            queue = _next(topic, rotation)
            if is_fit(queue[1]) and queue[1] != last_broker:
                return queue
    return _next(topic, rotation)


_GENERATIONS: Mapping[Selector, Callable[[WriteQueues, Rotation, Judge, str | None], Place]] = {
    "4.2": _select_4_2,
    "4.9": _select_4_9,
    "5": _select_5,
}
