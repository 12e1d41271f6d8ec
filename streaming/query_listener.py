"""What Spark reports of the query: for the log, and to know when the controller is ready.

It notes each batch, and sums up once a minute. It also sets the names of jobs and stages in Spark's
UI, which otherwise say "start at NativeMethodAccessorImpl.java:0": Spark calls ``onQueryStarted``
in the very thread that will run the batches, and only there can they be set.

Registered by ``start``. It watches and never interferes.
"""

import json
import time
from functools import cached_property
from typing import Final

import structlog
from py4j.java_gateway import JavaObject
from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import (
    JStreamingQueryListener,
    QueryIdleEvent,
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
    StreamingQueryProgress,
)

from streaming.metrics.account import Account, Batch, Source
from streaming.metrics.history_log import HistoryLog
from streaming.metrics.tally import read
from streaming.process.horizon import Horizon
from streaming.process.trouble import Trouble

STAGE_NAME: Final = "rebalance: records to cells to decisions"
STAGE_DETAILS: Final = (
    "The stage that writes a shuffle reads new records from Kafka and deals them to cells;\n"
    "the stage that reads it folds each cell with its groups and writes decisions to Kafka."
)
OBSERVED: Final = "decisions"
TALLIES: Final = "tallies"
"""What Spark observes of a batch, and under what name (``pipeline``)."""
_SUMMARY_S: Final = 60.0


class QueryListener(StreamingQueryListener):
    """Keeps the diary of the query."""

    def __init__(self, spark: SparkSession, horizon: Horizon, account: Account) -> None:
        self._spark, self.horizon, self._account = spark, horizon, account
        self._log = structlog.get_logger()
        self._summary = _Summary()
        self._decided = HistoryLog(self._log, time.monotonic)
        self._silence = Trouble(self._log, "read the log")
        self.last_run: str | None = None
        """Which run of the query has committed a batch last: it will read what is sent now."""
        self.last_batch = -1

    @cached_property
    def _jlistener(self) -> JavaObject:
        """Whom Spark calls: PySpark makes one of its own unless there is one."""
        java = self._spark._jvm  # noqa: SLF001 - there is no other door, and PySpark is pinned
        assert java is not None, "a session without Java"
        return java.PythonStreamingQueryListenerWrapper(_Courier(self))

    def onQueryStarted(self, event: QueryStartedEvent) -> None:  # noqa: N802 - Spark's name
        """Name the stages of all batches to come."""
        self._spark.sparkContext.setLocalProperty("callSite.short", STAGE_NAME)
        self._spark.sparkContext.setLocalProperty("callSite.long", STAGE_DETAILS)
        self._log.debug("query started", query=str(event.id), run=str(event.runId))

    def onQueryProgress(self, event: QueryProgressEvent) -> None:  # noqa: N802 - Spark's name
        """Note a batch: for all that depends on it first, and then in the log.

        If nobody reads stderr, a line takes for ever, or fails; and the next ticks say how far this
        has come.
        """
        progress = event.progress
        self.horizon.committed((it.endOffset, it.latestOffset) for it in progress.sources)
        self.last_batch = progress.batchId
        self.last_run = str(progress.runId)
        batch = _batch(progress)
        self._account.enter(batch)
        self._silence.over()
        self._log.debug(
            "batch", batch=progress.batchId, rows=progress.numInputRows, **progress.durationMs
        )
        self._summary.add(progress.numInputRows, progress.durationMs.get("triggerExecution", 0))
        if self._summary.age_s >= _SUMMARY_S:
            summary, self._summary = self._summary, _Summary()
            self._log.info("batches", last=progress.batchId, **summary.figures())
            self._decided.sum_up()
        self._decided.tell(batch.tallies)

    def onQueryIdle(self, _event: QueryIdleEvent) -> None:  # noqa: N802 - Spark's name
        """Nothing came for a while."""
        self._silence.met("no records for 10 s, not even ticks")

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802 - Spark's name
        """Note the end; why it ended is for ``query`` to say."""
        self._log.debug("query ended", query=str(event.id))


def _batch(progress: StreamingQueryProgress) -> Batch:
    """Return what is accounted for."""
    sources = tuple(
        Source(it.startOffset, it.endOffset, it.latestOffset, it.numInputRows)
        for it in progress.sources
    )
    observed = progress.observedMetrics.get(OBSERVED)
    tallies = () if observed is None else tuple(map(read, observed[TALLIES]))
    return Batch(progress.batchId, progress.durationMs, sources, tallies)


class _Courier(JStreamingQueryListener):
    """Brings the diary of a batch in one piece.

    PySpark asks Java for every figure by itself, hundreds of questions a batch. They took a quarter
    of its processor time, at the expense of the next one: a tenth of a second of every answer.
    """

    def onQueryProgress(self, jevent: JavaObject) -> None:  # noqa: N802 - Spark's name
        """Ask once."""
        progress = StreamingQueryProgress.fromJson(json.loads(jevent.progress().json()))
        self.pylistener.onQueryProgress(QueryProgressEvent(progress))


class _Summary:
    """Figures of the batches of a while."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._batches = 0
        self._rows = 0
        self._longest_ms = 0

    @property
    def age_s(self) -> float:
        return time.monotonic() - self._begun

    def add(self, rows: int, duration_ms: int) -> None:
        self._batches += 1
        self._rows += rows
        self._longest_ms = max(self._longest_ms, duration_ms)

    def figures(self) -> dict[str, int]:
        return {"count": self._batches, "rows": self._rows, "longest_ms": self._longest_ms}
