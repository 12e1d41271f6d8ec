"""The controller as a running thing: session, query and feeds, from start to stop.

A ship's engine room. The session is lit, the query and the feeds are set going, and then somebody
watches the dials: if the query or a feed dies, everything is stopped and the process ends with an
error, for whoever supervises it to start it again from the checkpoint. Told to stop, it stops.
Nothing is decided here, and nothing is lost by ending here at any moment.

Called by ``console``. Its one rule: it ends well only when it was told to.
"""

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from types import FrameType
from typing import Final

import structlog
from py4j.protocol import Py4JError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from streaming.cell_operator import CellOperator
from streaming.feeds import Feed, RouteWatcher, TickProducer
from streaming.options import Options
from streaming.pipeline import decisions, publish
from streaming.query_listener import QueryListener
from streaming.readiness import Readiness, put_up, taken_down
from streaming.session import SparkNotStarted, logs, start_session

_WATCH_S: Final = 0.2
"""How often the dials are looked at."""

Running = Mapping[str, Future[None]]
"""The feeds, by name."""


class ControllerFailed(Exception):  # noqa: N818 - it names what happened
    """The query, a feed or Spark itself ended without being told to."""


def run(options: Options) -> None:
    """Run the controller until SIGTERM or SIGINT.

    Raises:
        ControllerFailed: It ended for any other reason.
    """
    try:
        with taken_down(options.home), _session(options) as spark:
            _run(spark, options)
    except SparkNotStarted as error:
        raise ControllerFailed(str(error)) from error
    except (Py4JError, OSError) as error:
        raise ControllerFailed(f"Spark ended by itself; see {logs(options)}") from error


def _run(spark: SparkSession, options: Options) -> None:
    stop = Event()
    listener = QueryListener(spark)
    spark.streams.addListener(listener)
    operator = CellOperator(options.topics.prefix, options.topics.partitions, options.policy)
    feeds: tuple[Feed, ...] = (TickProducer(options), RouteWatcher(options))
    with (
        _told_by_signals(stop),
        _query(decisions(spark, options, operator), options) as query,
        _feeding(feeds, stop) as running,
    ):
        ready = False
        while not stop.wait(_WATCH_S):
            _check(query, running, options)
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


def _check(query: StreamingQuery, running: Running, options: Options) -> None:
    """Look at the dials."""
    for name, feed in running.items():
        if feed.done():
            raise ControllerFailed(f"the feed of {name} ended by itself") from feed.exception()
    if not query.isActive:
        error = query.exception()
        reason = str(error).splitlines()[0] if error else "it was stopped"
        raise ControllerFailed(f"the query ended: {reason}; see {logs(options)}") from error


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
def _feeding(feeds: Sequence[Feed], stop: Event) -> Iterator[Running]:
    with ThreadPoolExecutor(len(feeds), thread_name_prefix="feed") as pool:
        try:
            yield {feed.name: pool.submit(feed.run, stop) for feed in feeds}
        finally:
            stop.set()  # or the pool would wait for its threads for ever


@contextmanager
def _told_by_signals(stop: Event) -> Iterator[None]:
    """Take SIGTERM and SIGINT for "stop"; a second one is no longer ours."""

    def told(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, before[signal.Signals(number)])
        stop.set()

    before = {number: signal.signal(number, told) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
