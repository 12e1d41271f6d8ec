"""A controller that is behind: its batches have a limit, so a backlog comes to it in pieces.

What Spark and the driver do about that, for the model: each batch ends anywhere in each topic, now
and then after a few records for seconds on end; ticks say how far the controller had come when they
were written; and a controller that starts tells itself what is published, and waits until it has
read that.
"""

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Protocol

from streaming.cell.gate import Gate, Opening, Passed, passed, tick_of
from streaming.topics import URGENT
from streaming.wire.rows import Row, in_log_order
from tests.simulation.model_kafka import Broker
from tests.simulation.rules import DECODER, GROUP, PREFIX
from trimtab.protocol import HEARTBEATS, ROUTES, TICK_KEY, TOLD_KEY, Record, Tick, Told, encode

SHUT = Gate(shut=True)
"""Of a controller that begins."""
_PHASE_MS = 4_000
_NARROW = (0, 1, 2, 4)
"""Records of a topic in a batch, while the controller can hardly do anything."""
_WIDE = (3, 10, 30, 1_000)
_URGENT = [f"{PREFIX}{topic.name}" for topic in URGENT]


class Reader(Protocol):
    """A controller, as far as it reads."""

    broker: Broker
    read: dict[str, int]
    starting: bool


def bounded_ends(reader: Reader, chance: Random, now: int) -> Mapping[str, int]:
    """Return up to which place each topic is read in a batch.

    What is urgent is read whole when a controller goes on from an old copy: so it is as long as
    that is less than a batch may hold.
    """
    most = _NARROW if now // _PHASE_MS % 3 == 0 else _WIDE
    ends = {}
    for name, log in reader.broker.logs.items():
        few = reader.read[name] + chance.randint(0, chance.choice(most))
        whole = reader.starting and name in _URGENT
        ends[name] = len(log) if whole else min(len(log), few)
    return ends


class Punctual:
    """A controller that reads all there is, in every batch."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self.gate = Gate()

    def begins(
        self, gate: Gate, number: int, records: Iterable[Record], now: int, after: int = -1
    ) -> None:
        """A controller starts: it tells itself what is published."""
        del gate, number, after
        for record in records:
            self._broker.append(ROUTES, GROUP.encode(), encode(record), now)

    def passed(self, rows: Sequence[Row]) -> Passed:
        """Let rows through, or have them wait."""
        return Passed(self.gate, in_log_order(rows))

    def is_whole(self, read: Mapping[str, int]) -> bool:
        """Whether all that is urgent has been read."""
        del read
        return True

    def committed(self, gate: Gate, rows: Iterable[Row], *, whole: bool) -> None:
        """Note a batch whose decisions are out."""
        del rows, whole
        self.gate = gate


class Behind(Punctual):
    """One whose batches have a limit, and what it knows of how far it has come."""

    def __init__(self, broker: Broker) -> None:
        super().__init__(broker)
        self.gate = SHUT
        self.start = ""
        self.number = 0
        self.seen: int | None = None
        self.losing = 0
        """So much of what the next start tells itself Kafka loses."""
        self._after = -1

    def begins(
        self, gate: Gate, number: int, records: Iterable[Record], now: int, after: int = -1
    ) -> None:
        """A controller starts: it tells itself what is published, and ticks."""
        self.gate, self.start, self._after = gate, f"{number:013}-0b5e55ed", after
        self.number, self.seen = 0, None
        told = list(records)
        self._tell(Told(controller="c", start=self.start, whole=False), now)
        super().begins(gate, number, told, now)
        lost, self.losing = min(self.losing, len(told)), 0
        routes = self._broker.log(ROUTES)
        del routes[len(routes) - lost :]
        last = Told(controller="c", start=self.start, whole=True, counts=(len(told),))
        self._tell(last, now)
        self.tick(now)

    def _tell(self, told: Told, now: int) -> None:
        self._broker.append(ROUTES, TOLD_KEY, encode(told), now)

    def tick(self, now: int) -> None:
        """Say that time goes by, and how far the controller has come."""
        tick = Tick(controller="c", number=self.number, start=self.start, seen=self.seen)
        self._broker.append(HEARTBEATS, TICK_KEY, encode(tick), now)
        self.number += 1

    def passed(self, rows: Sequence[Row]) -> Passed:
        """Let rows through, or have them wait."""
        return passed(self.gate, in_log_order(rows), DECODER, Opening(self.start, self._after))

    def is_whole(self, read: Mapping[str, int]) -> bool:
        """Whether all that is urgent has been read."""
        return all(read[name] >= len(self._broker.logs[name]) for name in _URGENT)

    def committed(self, gate: Gate, rows: Iterable[Row], *, whole: bool) -> None:
        """Note a batch whose decisions are out."""
        self.gate = gate
        ticks = [it for row in rows if row.key == TICK_KEY and (it := tick_of(row)) is not None]
        for tick in ticks if whole else ():
            if tick.start == self.start:
                self.seen = max(tick.number, self.seen or 0)
