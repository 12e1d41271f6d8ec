"""The account: each committed batch, entered into the metrics.

What was read follows from the offsets that Spark reports, and is exact: whatever is between two of
them is a record, and was read by one committed batch. What was decided comes with the batch
(``tally``). A record counts by what became of it in the batch that read it: a dead letter with its
reason, or ok. So the results add up to what was read. A dead letter of a record that had to wait
before counts as a dead letter only.

Called by ``query_listener``, once for each committed batch. Its one rule: a batch counts once.
"""

import json
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from streaming.metrics.catalogue import Metrics
from streaming.metrics.ejections import Ejections
from streaming.metrics.tally import Letters, Tally
from streaming.process.horizon import Horizon

OK: Final = "ok"
UNKNOWN: Final = "unknown"
"""Of which topics the first batch of a checkpoint has read how much: Spark says only the sum."""
_RECENT: Final = 1_000
"""More batches than there can be between two records of ``status``."""
_Ends = Mapping[str, Mapping[str, int]]


class Source(NamedTuple):
    """What Spark says of one source of a batch; offsets as JSON."""

    start: str | None
    end: str | None
    latest: str | None
    rows: int


class Batch(NamedTuple):
    """What Spark says of a batch."""

    number: int
    durations: Mapping[str, int]
    sources: tuple[Source, ...]
    tallies: tuple[Tally, ...]


class Account:
    """Enters batches.

    Args:
        metrics: Where.
        horizon: How far the controller has read.
        prefix: Of our topics.
    """

    def __init__(self, metrics: Metrics, horizon: Horizon, prefix: str) -> None:
        self._metrics, self._horizon, self._prefix = metrics, horizon, prefix
        self._recent: list[int] = []
        """How long the batches took since somebody asked, in milliseconds."""
        self._ejections = Ejections()

    def enter(self, batch: Batch) -> None:
        """Enter one batch that was committed."""
        with self._metrics.lock:
            self._enter_run(batch)
            self._enter_input(batch)
            for tally in batch.tallies:
                self._enter_tally(tally)

    def recent(self) -> list[int]:
        """Return how long each batch took since the last call, in milliseconds."""
        with self._metrics.lock:
            recent, self._recent = self._recent, []
        return recent

    def _enter_run(self, batch: Batch) -> None:
        query = self._metrics.query
        query.batches.add(1)
        query.batch.set(batch.number)
        query.at.set(time.time())
        lag_ms = self._horizon.lag_ms()
        if lag_ms is not None:
            query.lag.set(lag_ms / 1000)
        for partition, at_ms in self._horizon.clocks().items():
            query.clock.set(at_ms / 1000, str(partition))
        for phase, took_ms in batch.durations.items():
            if phase == "triggerExecution":
                query.duration.observe(took_ms / 1000)
                self._recent = [*self._recent[-_RECENT:], took_ms]
            else:
                query.phases.add(took_ms / 1000, phase)

    def _enter_input(self, batch: Batch) -> None:
        """Count each record that was read by one result, and each dead letter."""
        letters = [it for tally in batch.tallies for it in tally.letters]
        for topic, reason, number, fresh in letters:
            self._metrics.query.letters.add(number, topic, reason)
            self._metrics.query.read.add(fresh, topic, reason)
        for source in batch.sources:
            self._enter_source(source, letters)

    def _enter_source(self, source: Source, letters: Iterable[Letters]) -> None:
        """Count as ok what a source has read and is no dead letter."""
        query, (start, end, latest) = self._metrics.query, map(_ends, source[:3])
        bad, read = Counter[str](), Counter[str]()
        for topic, places in end.items():
            name = topic.removeprefix(self._prefix)
            query.left.set(_between(places, latest.get(topic, places)), name)
            counted = name if start else UNKNOWN
            read[counted] += _between(start.get(topic, {}), places) if start else 0
            bad[counted] += sum(fresh for found_on, _, _, fresh in letters if found_on == name)
        if end and not start:
            read[UNKNOWN] = source.rows
        for counted, records in read.items():
            # One of RocketMQ's heartbeats may be refused by several groups.
            query.read.add(max(0, records - bad[counted]), counted, OK)

    def _enter_tally(self, tally: Tally) -> None:
        for topic, records in tally.written.items():
            self._metrics.query.written.add(records, topic)
        self._enter_rebalances(tally)
        self._enter_members(tally)
        for kind, number in tally.notes.items():
            self._metrics.brain.notes.add(number, kind)
        self._enter_verdicts(tally)

    def _enter_rebalances(self, tally: Tally) -> None:
        brain = self._metrics.brain
        for group, cause, number, moves in tally.rebalances:
            brain.rebalances.add(number, group, cause)
            brain.moves.add(moves, group, cause)
        if tally.oldest_ms is not None:
            brain.delay.observe(max(0.0, time.time() - tally.oldest_ms / 1000))
        for ending, number in tally.handovers.items():
            brain.handovers.add(number, ending)
        if tally.durations:
            brain.move_duration.add(tally.durations, tally.duration_s)

    def _enter_members(self, tally: Tally) -> None:
        brain = self._metrics.brain
        for event, cause, number in tally.changes:
            brain.members.add(number, event)
            if event == "expired":
                brain.expired.add(number, cause)
            elif event == "fenced":
                brain.fenced.add(number, cause)

    def _enter_verdicts(self, tally: Tally) -> None:
        brokers = self._metrics.brokers
        for cluster, broker, available, panic in tally.verdicts:
            brokers.available.set(available, cluster, broker)
            brokers.panic.set(panic, cluster)
        for cluster, broker, since_ms, detector in tally.ejections:
            if self._ejections.is_new(cluster, broker, since_ms):
                brokers.ejections.add(1, broker, detector)
        for place in tally.gone:
            brokers.available.drop(*place)
            self._ejections.forget(*place)
        if tally.gone:
            left = {cluster for cluster, _ in brokers.available.values()}
            for cluster in {it[0] for it in tally.gone} - left:
                brokers.panic.drop(cluster)


def _ends(offsets: str | None) -> _Ends:
    """Read where a source stands: by topic, by partition."""
    read: Any = json.loads(offsets or "null")
    return read if isinstance(read, dict) else {}


def _between(start: Mapping[str, int], end: Mapping[str, int]) -> int:
    """Count records between two places; a partition that is new begins at its first."""
    return sum(max(0, offset - start.get(place, 0)) for place, offset in end.items())
