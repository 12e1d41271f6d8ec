"""The controller's driver: it ticks once a second and watches the topics.

Every look is said under a version of its own, so that a second look confirms the first.
"""

from dataclasses import dataclass

from tests.simulation.behind import Behind, Punctual
from tests.simulation.model_kafka import Broker
from tests.simulation.rules import GROUP, TOPICS
from tests.simulation.scenario import TICK_MS
from trimtab.protocol import HEARTBEATS, ROUTES, TICK_KEY, Route, RunRef, Tick, encode

LOOK_MS = 4 * TICK_MS


@dataclass(frozen=True, slots=True)
class Seen:
    """A topic as it is."""

    version: int
    queues: int


class Driver:
    """What ticks and watches."""

    def __init__(
        self, broker: Broker, queues: tuple[int, ...], reading: Punctual | None = None
    ) -> None:
        self._broker, self._reading = broker, reading
        self.topics = {topic: Seen(1, count) for topic, count in zip(TOPICS, queues, strict=False)}
        self.next_tick = 0
        self._next_look = 0
        self._ticks = 0

    def keep_time(self, now: int) -> None:
        """Tick and look, if it is time."""
        if now >= self.next_tick:
            self._tick(now)
            self.next_tick = now + TICK_MS
        if now >= self._next_look:
            self.look(now)

    def _tick(self, now: int) -> None:
        if isinstance(self._reading, Behind):
            self._reading.tick(now)
            return
        self._ticks += 1
        tick = encode(Tick(controller="c", number=self._ticks))
        self._broker.append(HEARTBEATS, TICK_KEY, tick, now)

    def look(self, now: int) -> None:
        """Say of each topic what is there."""
        self._next_look = now + LOOK_MS
        for topic, seen in self.topics.items():
            self.change(topic, seen.queues, now)

    def change(self, topic: str, queues: int, now: int) -> None:
        """A topic changes, and that is seen at once."""
        self.topics[topic] = Seen(self.topics[topic].version + 1, queues)
        self.publish(topic, now)

    def close(self, topic: str, queue: int, now: int) -> None:
        """A queue can no longer be read, until the topic changes again."""
        seen = self.topics[topic]
        self.topics[topic] = Seen(seen.version + 1, seen.queues)
        before, behind = RunRef("", 0, queue), RunRef("", queue + 1, seen.queues - queue - 1)
        self._say(topic, tuple(run for run in (before, behind) if run.length), now)

    def publish(self, topic: str, now: int, queues: int | None = None) -> None:
        """Say what was seen, or something else."""
        count = self.topics[topic].queues if queues is None else queues
        self._say(topic, (RunRef("", 0, count),) if count else (), now)

    def _say(self, topic: str, runs: tuple[RunRef, ...], now: int) -> None:
        version = self.topics[topic].version
        route = Route(topic=topic, version=version, exists=bool(runs), runs=runs)
        self._broker.append(ROUTES, GROUP.encode(), encode(route), now)
