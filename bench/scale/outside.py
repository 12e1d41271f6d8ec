"""A pipeline as it is seen from outside: what it costs, how far it is behind, how it batches.

Read from Linux, from Kafka, and from the files that Spark writes: a plan when a batch begins, a
commit when it is done, and the state. So the controller and the floor are measured alike. Used by
``scenes``.
"""

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from confluent_kafka import Consumer, TopicPartition

from bench.backlog.memory import holder
from bench.floor.writer import Outlet
from bench.processor import of_the_family
from streaming.startup.batch_logs import COMMITS, OFFSETS, positions_in
from trimtab.protocol import HEARTBEATS, Topic

_STATE: Final = "state/0"
_PATIENCE_S: Final = 10.0
_NEWEST: Final = 20
_CHANGES: Final = frozenset({".delta", ".changelog"})
"""What a batch changes, as the two state stores of Spark call it: its own, and RocksDB with a
changelog."""


@dataclass(frozen=True, slots=True)
class Batch:
    """One that is done."""

    number: int
    began: float
    """Of the wall clock, as files have it."""
    seconds: float


class Outside:
    """What can be seen of one pipeline.

    Args:
        pid: Its process.
        checkpoint: Where its checkpoint is.
        outlet: Where it listens.
        beats: The topic of the beats.
    """

    def __init__(
        self, pid: int, checkpoint: Path, outlet: Outlet, beats: Topic[Any] = HEARTBEATS
    ) -> None:
        self._pid, self._checkpoint = pid, checkpoint
        self._topic, self._partitions = f"{outlet.prefix}{beats.name}", outlet.partitions
        self._consumer = Consumer(
            {"bootstrap.servers": outlet.servers, "group.id": "outside", "log_level": 2}
        )
        self._batches: dict[int, Batch] = {}

    def close(self) -> None:
        """Look no more."""
        self._consumer.close()

    def used_s(self) -> dict[str, float]:
        """Return the processor time so far of what is Java, and of what is not."""
        used = {"java": 0.0, "python": 0.0}
        for name, seconds in of_the_family(self._pid):
            used["java" if name == "java" else "python"] += seconds
        return used

    def batches(self) -> list[Batch]:
        """Return all that were seen to be done; Spark keeps the last hundred."""
        for commit in (self._checkpoint / COMMITS).glob("[0-9]*"):
            number = int(commit.name)
            plan = self._checkpoint / OFFSETS / commit.name
            if number not in self._batches and plan.exists():
                began = plan.stat().st_mtime
                self._batches[number] = Batch(number, began, commit.stat().st_mtime - began)
        return sorted(self._batches.values(), key=lambda it: it.number)

    def memory(self) -> int:
        """Return what the process and all below it take, in bytes."""
        return holder(self._pid)

    def behind(self) -> int:
        """Return how many beats are in the log, and not in a batch that is done."""
        done = max((int(it.name) for it in (self._checkpoint / COMMITS).glob("[0-9]*")), default=-1)
        plan = self._checkpoint / OFFSETS / str(done)
        at = positions_in(plan.read_text()) if plan.exists() else {}
        places = [(self._topic, it) for it in range(self._partitions)]
        ends = [
            self._consumer.get_watermark_offsets(TopicPartition(*it), _PATIENCE_S)[1]
            for it in places
        ]
        return sum(end - at.get(it, 0) for it, end in zip(places, ends, strict=True))

    def state_bytes(self) -> int:
        """Return what the largest of the last batches has written, compressed as Spark does it."""
        written = Counter[int]()
        for file in (self._checkpoint / _STATE).glob("*/*.*"):
            if file.suffix in _CHANGES and file.stem.isdecimal():
                with suppress(FileNotFoundError):  # Spark has tidied up meanwhile
                    written[int(file.stem)] += file.stat().st_size
        return max((written[it] for it in sorted(written)[-_NEWEST:]), default=0)
