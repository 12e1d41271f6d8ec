"""The query's life: begun, watched until it is ready and after, and begun again after failures.

A failure outside the query (a worker that was killed, a Kafka that does not answer) passes. The
controller stays: it logs the failure once, tries again ever more rarely, and logs once that it
works again. The same batch is repeated from the same offsets, so nothing moves. A failure that
would come back ends the controller (``ending``); so does a query that fails a few times and never
worked: that is probably a wrong setting.

How it is begun is in ``start``. To begin it again does not make the controller newer: one that has
taken over since then stays, and this one ends.

Run by ``start``. It ends when it is told to, or with the cause.
"""

import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from threading import Event
from typing import Any, Final

import structlog
from confluent_kafka import KafkaException
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from streaming.jvm import SparkEnded, has_ended
from streaming.options import Options
from streaming.process import readiness
from streaming.process.age import age_s
from streaming.process.ending import Ending, ending_of, may_pass
from streaming.process.tries import Tries
from streaming.process.trouble import Trouble
from streaming.process.wall_clock import WallClock
from streaming.query_listener import QueryListener
from streaming.startup.activation import Activation
from streaming.startup.checkpoint import CheckpointUnusable
from streaming.startup.delivery import Undelivered
from streaming.startup.losses import NotSurveyed
from streaming.startup.reading import NotReminded
from streaming.startup.takeover import new_start

_WATCH_S: Final = 0.2
"""How often the dials are looked at."""
_LOOK_OUT_S: Final = 0.02
"""The same until it is ready, for which others wait."""
_SET_BACK: Final = Ending(
    "this machine's clock was set back, and Spark would leave beats until it is as late again",
    passes=True,
)


class QueryFailed(Exception):  # noqa: N818 - it names what happened
    """The query ended without being told to."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending.cause)
        self.passes, self.is_kafkas = ending.passes, ending.is_kafkas


_FAILURES: Final = (
    CheckpointUnusable,
    QueryFailed,
    NotSurveyed,
    NotReminded,
    Undelivered,
    KafkaException,  # a client could not be made: somebody may just be replacing its files
)


def _by_kafka(error: Exception) -> bool:
    """Tell whether it is Kafka's failure: a standby on another machine would meet it, too."""
    if isinstance(error, QueryFailed):
        return error.is_kafkas
    return not isinstance(error, (CheckpointUnusable, KafkaException))


def _may_pass(error: Exception) -> bool:
    """Tell whether another try is worth while, by the failure itself or by what Kafka said."""
    cause = error.__cause__
    refused = isinstance(cause, KafkaException) and not may_pass(cause.args[0])
    return bool(getattr(error, "passes", True)) and not refused


@dataclass(slots=True)
class QueryLife:
    """One query, however often it is started.

    Args:
        spark: Where it runs.
        options: What it is.
        begin: Begins it, and ends it after use; None: it was told to stop meanwhile.
        listener: Who is told of its batches.
        activation: How this controller has begun to be the active one.
        stop: Set when it should end.
        look_at_feeds: Raises when a feed has ended.
    """

    spark: SparkSession
    options: Options
    begin: Callable[[Activation], AbstractContextManager[StreamingQuery | None]]
    listener: QueryListener
    activation: Activation
    stop: Event
    look_at_feeds: Callable[[], None]
    _trouble: Trouble = field(init=False)
    _tries: Tries = field(default_factory=Tries)
    _is_start: bool = field(default=False, init=False)
    """Whether it was never ready before; a standby has waited, so its time says nothing."""

    def __post_init__(self) -> None:
        self._trouble = Trouble(structlog.get_logger(), "run the query")
        self._is_start = self.activation.following is None
        if self.activation.persists:
            self._tries.worked()

    def run(self) -> None:
        """Live until told to stop.

        Raises:
            QueryFailed: It ended, and would again.
            NotSurveyed, NotReminded, Undelivered: It could not even begin.
            SparkEnded: Spark is not there any more.
        """
        activation = self.activation
        while not self.stop.is_set():
            begun = time.monotonic()
            try:
                self._live(activation)
            except _FAILURES as error:
                if self.stop.is_set():
                    structlog.get_logger().info("the query did not end well", reason=str(error))
                    return
                self.listener.horizon.failed(by_kafka=_by_kafka(error))
                # The first question of a try. What fails later has read or published a lot by then.
                answered = not isinstance(error, NotSurveyed)
                pause = self._tries.failed(time.monotonic() - begun, answered=answered)
                self.look_at_feeds()  # the end of one explains it, and does not pass
                if has_ended(self.spark):
                    raise SparkEnded from error
                if pause is None or not _may_pass(error):
                    raise
                self._trouble.met(error)
                self.stop.wait(pause)
                activation = activation._replace(start=new_start(), writer=None, following=None)

    def _live(self, activation: Activation) -> None:
        """Live once: begin, and watch."""
        try:
            with self.begin(activation) as query:
                if query is not None:
                    self._watch(query)
        except (Py4JJavaError, PySparkException) as error:
            raise QueryFailed(ending_of(str(error))) from error
        except (Py4JError, ConnectionError) as error:
            if not self.stop.is_set():  # else a supervisor has told Java to end as well
                raise SparkEnded from error

    def _watch(self, query: StreamingQuery) -> None:
        ready, renewed, clock = False, -1, WallClock()
        while not self.stop.wait(_WATCH_S if ready else _LOOK_OUT_S):
            self.look_at_feeds()
            if not query.isActive:
                raise QueryFailed(ending_of(self._trace(query)))
            if clock.was_set_back():
                raise QueryFailed(_SET_BACK)
            if not ready and self.listener.last_run == str(query.runId):
                ready, renewed = True, self.listener.last_batch
                self._say_ready(query)
            if ready and renewed != self.listener.last_batch:
                renewed = self.listener.last_batch
                readiness.renew(self.options.home)
        structlog.get_logger().info("stopping, as told by a signal")

    def _trace(self, query: StreamingQuery) -> str:
        """Return all that Java says of the end, with the causes of causes."""
        java: Any = self.spark._jvm  # noqa: SLF001 - PySpark's own answer leaves the causes out
        found = query._jsq.exception()  # noqa: SLF001 - as above
        if not found.isDefined():
            return ""
        return str(java.org.apache.spark.util.Utils.exceptionString(found.get()))

    def _say_ready(self, query: StreamingQuery) -> None:
        """Say that whatever is sent from now on will be answered."""
        self._trouble.over()
        self._tries.worked()
        ui = self.spark.sparkContext.uiWebUrl
        ready = readiness.Readiness(os.getpid(), str(query.id), self.listener.last_batch, ui)
        readiness.write(self.options.home, ready)
        log = structlog.get_logger()
        if self._is_start:
            log = log.bind(took_s=round(age_s(), 1))
            self._is_start = False
        log.info("controller ready", query=ready.query, batch=ready.batch, ui=ready.ui)
