"""The controller as a running thing: session, query and feeds, from start to stop.

A ship's engine room. The session is lit, whoever else has the watch is relieved, and the brain is
reminded of what it has published; then the query and the feeds are set going, and somebody watches
the dials: if the query or a feed dies, everything is stopped and the process ends with an error,
for whoever supervises it to start it again from the checkpoint. Told to stop, it stops. Nothing is
decided here, and nothing is lost by ending here at any moment.

Called by ``console``. Its one rule: it ends well only when it was told to.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType
from typing import Final

import structlog
from py4j.protocol import Py4JError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from streaming.cell_operator import CellOperator
from streaming.feeds import FeedFailed, HostWatcher, RouteWatcher, TickProducer, feeding
from streaming.options import Options
from streaming.pipeline import decisions, publish
from streaming.query_listener import QueryListener
from streaming.readiness import Readiness, put_up, taken_down
from streaming.registered_post import Undelivered
from streaming.reminder import NotReminded, remind
from streaming.session import SparkNotStarted, logs, start_session
from streaming.succession import reason
from streaming.takeover import NotTold, new_start, take_over

_WATCH_S: Final = 0.2
"""How often the dials are looked at."""


class ControllerFailed(Exception):  # noqa: N818 - it names what happened
    """The query, a feed or Spark itself ended without being told to."""


def run(options: Options) -> None:
    """Run the controller until SIGTERM or SIGINT.

    Raises:
        ControllerFailed: It ended for any other reason.
    """
    stop = Event()
    try:
        with taken_down(options.home), _told_by_signals(stop), _session(options) as spark:
            if not stop.is_set():
                _run(spark, options, stop)
    except (FeedFailed, NotReminded, NotTold, SparkNotStarted, Undelivered) as error:
        raise ControllerFailed(str(error)) from error
    except (Py4JError, ConnectionError) as error:
        raise ControllerFailed(f"Spark ended by itself; see {logs(options)}") from error


def _run(spark: SparkSession, options: Options, stop: Event) -> None:
    listener = QueryListener(spark)
    spark.streams.addListener(listener)
    start = new_start()
    starts = take_over(options, start, stop)
    remind(options, start, stop)
    if stop.is_set():
        return
    topics = options.topics
    operator = CellOperator(
        topics.prefix,
        topics.partitions,
        options.policy,
        options.verdicts,
        options.query.cells_per_partition,
        starts,
    )
    feeds = (TickProducer(options), RouteWatcher(options), HostWatcher(options))
    with (
        _query(decisions(spark, options, operator), options) as query,
        feeding(feeds, stop) as look_at_feeds,
    ):
        ready = False
        while not stop.wait(_WATCH_S):
            look_at_feeds()
            _look_at(query, options)
            if not ready and listener.first_batch.is_set():
                ready = True
                ui = spark.sparkContext.uiWebUrl
                _announce(Readiness(os.getpid(), query.id, listener.last_batch, ui), options)


def _announce(readiness: Readiness, options: Options) -> None:
    """Say that whatever is sent from now on will be answered."""
    put_up(options.home, readiness)
    structlog.get_logger().info(
        "controller ready", query=readiness.query, batch=readiness.batch, ui=readiness.ui
    )


def _look_at(query: StreamingQuery, options: Options) -> None:
    if not query.isActive:
        error = query.exception()
        why = reason(error or "")
        raise ControllerFailed(f"the query ended: {why}; see {logs(options)}") from error


@contextmanager
def _session(options: Options) -> Iterator[SparkSession]:
    spark = start_session(options)
    try:
        yield spark
    finally:
        spark.stop()


@contextmanager
def _query(decided: DataFrame, options: Options) -> Iterator[StreamingQuery]:
    query = publish(decided, options)
    try:
        yield query
    finally:
        query.stop()


@contextmanager
def _told_by_signals(stop: Event) -> Iterator[None]:
    """Take SIGTERM and SIGINT for "stop"; a second one is no longer ours.

    From before there is a JVM: one that loses its parent while it starts never ends.
    """

    def told(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, before[signal.Signals(number)])
        stop.set()

    before = {number: signal.signal(number, told) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
