"""The query's life: started, watched, and started again after failures that pass.

A failure outside the query (a worker that was killed, a Kafka that does not answer) passes. The
controller stays: it logs the failure once, tries again ever more rarely, and logs once that it
works again. The same batch is repeated from the same offsets, so nothing moves. A failure that
would come back ends the controller (``ending``); so does a query that fails a few times and never
worked: that is probably a wrong setting.

Before each start it checks that no record is gone that is still to be read (``losses``), and tells
the brain again what is published (``reminder``): whatever happened to the checkpoint meanwhile,
epochs go on above it. A checkpoint for which more urgent records wait than one batch may hold
is set aside, because its first batch would be decided before all of them are read. A restart of the
query does not make the controller newer: one that has taken over since then stays, and this one
ends.

Run by ``application``. It ends when it is told to, or with the cause.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any, Final

import structlog
from confluent_kafka import KafkaException
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from streaming.cell_operator import CellOperator
from streaming.options import Options
from streaming.pipeline import MOST_WAITING, decisions, publish
from streaming.process.age import age_s
from streaming.process.ending import Ending, ending_of, may_pass
from streaming.process.readiness import Readiness, put_up, renew, taken_down
from streaming.process.tries import Tries
from streaming.process.trouble import Trouble
from streaming.query_listener import QueryListener
from streaming.startup.activation import Activation
from streaming.startup.checkpoint import Checkpoint, CheckpointUnusable
from streaming.startup.delivery import StartWriter, Undelivered
from streaming.startup.losses import NotSurveyed, looking, losses, survey, unread
from streaming.startup.opening import begin_telling, end_telling
from streaming.startup.reminder import NotReminded, reading, remind
from streaming.startup.supersession import TAKEN_OVER
from streaming.startup.takeover import new_start
from streaming.startup.terms import continued, present_terms
from streaming.topics import URGENT, names

_WATCH_S: Final = 0.2
"""How often the dials are looked at."""
_LOOK_OUT_S: Final = 0.02
"""The same until it is ready, for which others wait."""


_TOO_OLD: Final = (
    "more records wait than the first batch can read; continuing from what is published, with a "
    "new checkpoint"
)


_DAMAGED: Final = (
    "the checkpoint is damaged; continuing from what is published, with a new checkpoint"
)


class QueryFailed(Exception):  # noqa: N818 - it names what happened
    """The query ended without being told to."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending.cause)
        self.passes = ending.passes


_FAILURES: Final = (CheckpointUnusable, QueryFailed, NotSurveyed, NotReminded, Undelivered)


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
        operator: The state function.
        listener: Who is told of its batches.
        turn: How this controller has begun to be the active one.
        stop: Set when it should end.
        look_at_feeds: Raises when a feed has ended.
    """

    spark: SparkSession
    options: Options
    operator: CellOperator
    listener: QueryListener
    turn: Activation
    stop: Event
    look_at_feeds: Callable[[], None]
    _trouble: Trouble = field(init=False)
    _looking: Trouble = field(default_factory=looking)
    _reading: Trouble = field(default_factory=reading)
    _checkpoint: Checkpoint = field(init=False)
    _tries: Tries = field(default_factory=Tries)
    _moves_over: bool = field(default=False, init=False)
    """A new checkpoint was asked for, and has not been begun yet."""
    _is_start: bool = field(default=False, init=False)
    """Whether it was never ready before; a standby has waited, so its time says nothing."""

    def __post_init__(self) -> None:
        self._trouble = Trouble(structlog.get_logger(), "the query")
        self._checkpoint = Checkpoint(self.spark, self.options.query.checkpoint)
        self._moves_over = self.options.query.new_checkpoint
        self._is_start = self.turn.following is None

    def run(self) -> None:
        """Live until told to stop.

        Raises:
            QueryFailed: It ended, and would again.
            NotSurveyed, NotReminded, Undelivered: It could not even begin.
        """
        turn = self.turn
        while not self.stop.is_set():
            begun = time.monotonic()
            try:
                self._live(turn)
            except _FAILURES as error:
                # The first question of a try. What fails later has read or published a lot by then.
                answered = not isinstance(error, NotSurveyed)
                pause = self._tries.failed(time.monotonic() - begun, answered=answered)
                if not self.stop.is_set():
                    self.look_at_feeds()  # the end of one explains it, and does not pass
                    if pause is None or not _may_pass(error):
                        raise
                self._trouble.met(error)
                self.stop.wait(pause)
                turn = turn._replace(start=new_start(), writer=None, following=None)

    def _live(self, turn: Activation) -> None:
        """Live once: look at what there is, begin, and watch."""
        options, start = self.options, turn.start
        writer = turn.writer or StartWriter(options)
        try:
            self._provide(start)
            told = begin_telling(options, start, writer)
            counts = remind(options, start, writer, self.stop, self._reading, turn.following)
            if not self.stop.is_set():
                end_telling(options, start, counts, writer)
                self.listener.horizon.begin(start)
                with (
                    taken_down(options.home),
                    self._query(start, told, counts.total()) as query,
                ):
                    self._watch(query)
        except (Py4JJavaError, PySparkException) as error:
            raise QueryFailed(ending_of(str(error))) from error

    def _provide(self, start: str) -> None:
        """See to a checkpoint that the query can go on with, or begin one."""
        checkpoint, contents = self._checkpoint, survey(self.options, self._looking)
        if (elsewhere := checkpoint.moved_to()) is not None:
            raise QueryFailed(
                Ending(f"{TAKEN_OVER}: the checkpoint is {elsewhere} now", passes=False)
            )
        damage = checkpoint.damage()
        if damage or checkpoint.in_use:
            before, at = checkpoint.terms(), {} if damage else checkpoint.positions()
            lost = losses(at, before.topics if before else {}, contents)
            waiting = (
                0 if damage else unread(at, contents, names(self.options.topics.prefix, URGENT))
            )
            if not (damage or lost or self._moves_over or waiting > MOST_WAITING):
                if before is not None and before != continued(before):
                    checkpoint.begin(continued(before))
                return
            kept, log = checkpoint.set_aside(start), structlog.get_logger()
            if damage:
                log.warning(_DAMAGED, damage=damage, old=kept)
            elif lost:
                log.warning(
                    "records were deleted before they were read; continuing from what is "
                    "left, with a new checkpoint",
                    lost=lost,
                    old=kept,
                )
            elif self._moves_over:
                log.info("starting a new checkpoint", old=kept)
            else:
                log.warning(_TOO_OLD, waiting=waiting, old=kept)
        checkpoint.begin(present_terms(self.options, contents.cluster, contents.topics))
        self._moves_over = False

    @contextmanager
    def _query(self, start: str, told: tuple[int, ...], count: int) -> Iterator[StreamingQuery]:
        operator = replace(self.operator, told=told, start=start)
        query = publish(decisions(self.spark, self.options, operator, count), self.options)
        try:
            yield query
        finally:
            query.stop()

    def _watch(self, query: StreamingQuery) -> None:
        ready, renewed = False, -1
        while not self.stop.wait(_WATCH_S if ready else _LOOK_OUT_S):
            self.look_at_feeds()
            if not query.isActive:
                raise QueryFailed(ending_of(self._page(query)))
            if not ready and self.listener.last_run == str(query.runId):
                ready, renewed = True, self.listener.last_batch
                self._announce(query)
            if ready and renewed != self.listener.last_batch:
                renewed = self.listener.last_batch
                renew(self.options.home)

    def _page(self, query: StreamingQuery) -> str:
        """Return all that Java says of the end, with the causes of causes."""
        java: Any = self.spark._jvm  # noqa: SLF001 - PySpark's own answer leaves the causes out
        found = query._jsq.exception()  # noqa: SLF001 - as above
        if not found.isDefined():
            return ""
        return str(java.org.apache.spark.util.Utils.exceptionString(found.get()))

    def _announce(self, query: StreamingQuery) -> None:
        """Say that whatever is sent from now on will be answered."""
        self._trouble.over()
        self._tries.worked()
        ui = self.spark.sparkContext.uiWebUrl
        readiness = Readiness(os.getpid(), str(query.id), self.listener.last_batch, ui)
        put_up(self.options.home, readiness)
        log = structlog.get_logger()
        if self._is_start:
            log = log.bind(took_s=round(age_s(), 1))
            self._is_start = False
        log.info("controller ready", query=readiness.query, batch=readiness.batch, ui=readiness.ui)
