"""The rehearsal: a standby runs the query with what comes, and drops what it decides.

A first batch takes seconds: Java compiles, and a Python worker starts and imports everything. A
worker that has nothing to do for a minute ends. So a standby reads a little every ten seconds,
through the same dataflow and the same brain, but remembers and writes nothing. On a cluster there
is no rehearsal, because its workers cannot reach the place for it: the first batch takes longer,
and a controller that fails is not relieved.

Run by ``standing_by``. Its one rule: nothing of it is ever published.
"""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from threading import Thread
from typing import Any, Final

import pandas as pd
import structlog
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.listener import StreamingQueryProgress
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.state import GroupState

from streaming.cell_operator import CellOperator
from streaming.options import Options
from streaming.pipeline import folded, observed, sink, source
from streaming.process.trouble import Trouble
from streaming.session import scratch
from streaming.topics import ROUTINE, URGENT, names
from trimtab.protocol import Topic

_EVERY: Final = "10 seconds"
_RECENT_MS: Final = 60_000
"""What was written in the last minute is read at first, so that there is something. Who has read
nothing for as long does not work."""
_MOST: Final = "1000"
"""Records of each source at a time."""
_PATIENCE_S: Final = 20.0
"""So long a standby waits for the first batch before it says that it is ready; if nobody ticks,
there is none."""
_PLACE: Final = "rehearsal-"
_PAUSE_S: Final = 30.0
"""Between a rehearsal that failed and the next."""


@dataclass(frozen=True)
class Rehearsed:
    """What the operator decides, dropped."""

    operator: CellOperator

    def __call__(
        self, place: tuple[int], frames: Iterator[pd.DataFrame], _state: GroupState
    ) -> Iterator[pd.DataFrame]:
        """Fold as if nothing had ever been."""
        blank: Any = _Blank()
        for _ in self.operator(place, frames, blank):
            pass
        yield from ()


class _Blank:
    """A state that is never there."""

    exists = False

    def update(self, _value: object) -> None:
        """Forget it."""


class Rehearsal:
    """The rehearsals of one standby.

    Args:
        spark: Where.
        options: Which controller.
        operator: What it will fold with.
    """

    def __init__(self, spark: SparkSession, options: Options, operator: CellOperator) -> None:
        self._spark, self._options, self._operator = spark, options, operator
        self._trouble = Trouble(structlog.get_logger(), "rehearse")
        self._begun, self._has_run = time.monotonic(), False
        self._query: StreamingQuery | None = None

    def is_done(self) -> bool:
        """See that it goes on; tell whether there was one, or will be none."""
        if self._query is not None and not self._query.isActive:
            self._trouble.met(self._query.exception() or "it ended")
            if time.monotonic() - self._begun < _PAUSE_S:
                return self._has_run
            self._query = None
        if self._query is None and self._options.spark.is_here:
            self._begun, self._query = time.monotonic(), self._start()
        if not self._has_run:
            self._has_run = self._has_read() or time.monotonic() - self._begun > _PATIENCE_S
        return self._has_run

    def works(self) -> bool:
        """Tell whether the query works here; where there is no rehearsal nobody can know."""
        return self._has_read(time.time() - _RECENT_MS / 1000)

    def _has_read(self, since_s: float = 0.0) -> bool:
        """Tell whether the one that runs has, in a batch that began since then."""
        query = self._query
        if query is None or not query.isActive:
            return False
        return any(it.numInputRows and _begun_s(it) > since_s for it in query.recentProgress)

    def stop(self) -> None:
        """End it."""
        if self._query is not None:
            try:
                self._query.stop()
            except PySparkException as error:  # it hangs: the watchdog sees to what hangs
                self._trouble.met(error)
            except (Py4JError, ConnectionError):
                pass  # Spark itself has ended meanwhile

    def _start(self) -> StreamingQuery:
        records = self._source(URGENT).union(self._source(ROUTINE))
        dropped = observed(folded(records, self._options, Rehearsed(self._operator)))
        for earlier in scratch(self._options).glob(f"{_PLACE}*"):
            shutil.rmtree(earlier, ignore_errors=True)  # of one that failed
        place = scratch(self._options) / f"{_PLACE}{time.monotonic_ns()}"
        writer = dropped.writeStream.queryName(f"{self._options.name}-rehearsal")
        writer = writer.outputMode("update").format("kafka").trigger(processingTime=_EVERY)
        writer = writer.options(**sink(self._options))  # connected, and nothing to write
        return writer.option("checkpointLocation", str(place.absolute())).start()

    def _source(self, topics: tuple[Topic[Any], ...]) -> DataFrame:
        chosen = {
            **source(names(self._options.topics.prefix, topics), self._options),
            "startingTimestamp": str(time.time_ns() // 1_000_000 - _RECENT_MS),
            "startingOffsetsByTimestampStrategy": "latest",
            "maxOffsetsPerTrigger": _MOST,
            "failOnDataLoss": "false",
        }
        return self._spark.readStream.format("kafka").options(**chosen).load()


def _begun_s(progress: StreamingQueryProgress) -> float:
    return datetime.fromisoformat(progress.timestamp).timestamp()


@contextmanager
def rehearsing(
    spark: SparkSession, options: Options, operator: CellOperator
) -> Iterator[Rehearsal]:
    """Rehearse meanwhile; that it ends is not waited for, since nothing of it is published."""
    rehearsal = Rehearsal(spark, options, operator)
    try:
        yield rehearsal
    finally:
        Thread(target=rehearsal.stop, name="rehearsal", daemon=True).start()
