"""The controller: the real cell fold with its codec, driven over a log as Spark drives it.

A batch is chosen once and stays chosen until it is committed; a crash publishes some of its records
and repeats it. Between batches there is nothing but bytes.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

from allocators import allocator
from rebalance.groups.model.policy import Policy
from sinks import Outlet, Record
from streaming.cell.codec import Cell, read, write
from streaming.cell.fold import fold
from streaming.cell.hearing import CellRules
from streaming.wire.rows import Row
from tests.simulation.brokers.plan import Plan
from tests.simulation.rules import DECODER, PARTITIONS, PREFIX
from trimtab.protocol import Topic, partition_of

CLUSTER = "east"
PARTITION = partition_of(CLUSTER, PARTITIONS)


class Differs(Exception):  # noqa: N818 - it names what was found
    """A repeated batch makes other records."""


class Log:
    """The cluster's partition of each topic."""

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {name: [] for name in DECODER.topics}

    def append(self, topic: Topic[Any], key: bytes, value: bytes, now: int) -> None:
        """Take a record."""
        name = f"{PREFIX}{topic.name}"
        rows = self.rows[name]
        rows.append(Row(name, PARTITION, len(rows), now, key, value, len(value)))


class Controller:
    """One controller."""

    def __init__(self, plan: Plan, log: Log) -> None:
        strategy = allocator("STICKY")
        outlet = Outlet(PREFIX, PARTITIONS)
        self._rules = CellRules(DECODER, Policy(), strategy, outlet, plan.policy)
        self._log = log
        self._read = dict.fromkeys(log.rows, 0)
        self.state = write(Cell())
        self._pending: list[Row] = []
        self._first: list[Record] | None = None

    def choose(self, ends: dict[str, int]) -> list[Row]:
        """Choose the next batch, up to these places; one that was not committed comes first."""
        if not self._pending:
            for name, end in ends.items():
                self._pending += self._log.rows[name][self._read[name] : end]
                self._read[name] = max(end, self._read[name])
        return self._pending

    def decide(self, chance: Random, *, crash: bool) -> Iterator[Record]:
        """Fold the chosen batch and publish its records, or only some of them.

        Raises:
            Differs: It was published before, and not so.
        """
        folded = fold(read(self.state), self._pending, self._rules)
        if self._first is not None and self._first != folded.records:
            raise Differs
        if crash:
            self._first = folded.records
            yield from folded.records[: chance.randint(0, len(folded.records))]
            return
        self.state, self._pending, self._first = write(folded.cell), [], None
        yield from folded.records
