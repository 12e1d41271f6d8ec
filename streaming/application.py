"""The controller as a running process: session, query and feeds, from start to stop.

It takes signals, answers probes, watches that the process does not hang, and starts Spark. What
follows, up to the first batch, is in ``start``, step by step. If a feed ends, or the query for
good, everything is stopped and the process ends with an error, so that a supervisor can start it
again from the checkpoint. Nothing is decided here, and nothing is lost by ending at any moment.

Called by ``console``. Its one rule: it ends without an error only when it was told to stop.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from threading import Event
from types import FrameType
from typing import Final

import pyspark
import structlog
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from streaming import first_task
from streaming.feeds import (
    FeedFailed,
)
from streaming.feeds.feed import Feed
from streaming.jvm import SparkEnded, has_ended, kill_jvm
from streaming.metrics.catalogue import Metrics
from streaming.metrics.endpoint import Asked, Check, EndpointNotServed, served
from streaming.metrics.probes import alive, could_take_over, ready
from streaming.options import Options
from streaming.process import readiness
from streaming.process.ending import ending_of
from streaming.process.horizon import Horizon
from streaming.process.watchdog import FRESH_S, SILENCE_S, Signs, Watchdog, watched
from streaming.query import QueryFailed
from streaming.session import SparkNotStarted, logs, start_session
from streaming.start import Seen, start
from streaming.startup.activity import NotTold
from streaming.startup.checkpoint import CheckpointUnusable
from streaming.startup.delivery import Undelivered
from streaming.startup.incumbent import AT_WORK, looked_for
from streaming.startup.losses import NotSurveyed
from streaming.startup.reading import NotReminded
from streaming.startup.standby import NameTaken
from streaming.startup.supersession import TAKEN_OVER
from streaming.startup.terms import RELEASE
from trimtab.protocol import HEARTBEATS

_SIGNALLED: Final = 128
"""What a shell adds to the number of the signal that ended a process."""


class ControllerFailed(Exception):  # noqa: N818 - it names what happened
    """The query, a feed or Spark itself ended without being told to."""


class AtWork(ControllerFailed):
    """Another controller is at work, and nobody said that this one should take over."""


class TakenOver(ControllerFailed):
    """Another controller goes on."""


def run(options: Options, further: Sequence[Feed], end_at_once: Callable[[str], None]) -> None:
    """Run the controller until SIGTERM or SIGINT.

    Args:
        options: Which one.
        further: What else it depends on; it ends when one of these does.
        end_at_once: Ends this process and its JVM, from any thread: it hangs, for the reason given.

    Raises:
        CheckpointRefused: The checkpoint was begun with other settings.
        AtWork: Another controller is at work.
        TakenOver: A younger controller goes on.
        ControllerFailed: It ended for any other reason.
    """
    stop, metrics = Event(), _metrics()
    horizon = Horizon(f"{options.topics.prefix}{HEARTBEATS.name}")
    try:
        with (
            readiness.removed(options.home),
            _told_by_signals(stop),
            _ended_by(stop),
            _endpoint(options, metrics) as endpoint,
            watched(_watchdog(options, horizon, end_at_once)),
            looked_for(options, stop) as other,
            _session(options) as spark,
        ):
            if not stop.is_set():
                start(spark, options, Seen(metrics, horizon, endpoint, other), stop, further)
    except QueryFailed as error:
        raise _failure(error, options) from error
    except (
        CheckpointUnusable,
        FeedFailed,
        NameTaken,
        NotReminded,
        NotTold,
        EndpointNotServed,
        SparkNotStarted,
    ) as error:
        raise ControllerFailed(str(error)) from error
    except (Py4JJavaError, PySparkException) as error:
        cause = ending_of(str(error)).cause
        raise ControllerFailed(f"Spark refused: {cause}; see {logs(options)}") from error
    except (SparkEnded, Py4JError, ConnectionError, NotSurveyed, Undelivered) as error:
        raise ControllerFailed(_broken(options, error)) from error
    except OSError as error:
        raise ControllerFailed(_unusable(options, error)) from error


@contextmanager
def _ended_by(stop: Event) -> Iterator[None]:
    """Take for no failure what fails because it was told to stop."""
    try:
        yield
    except Py4JJavaError:
        raise
    except (Py4JError, ConnectionError, NotSurveyed, NotTold, Undelivered) as error:
        if not stop.is_set():
            raise
        structlog.get_logger().info("stopping, as told by a signal", left=str(error))


def _metrics() -> Metrics:
    """Return those of this process."""
    metrics = Metrics()
    metrics.build.set(1, RELEASE, pyspark.__version__)
    metrics.started.set(time.time())
    return metrics


def _broken(options: Options, error: Exception) -> str:
    kafka = isinstance(error, (NotSurveyed, Undelivered))
    return str(error) if kafka else f"Spark ended by itself; see {logs(options)}"


def _unusable(options: Options, error: OSError) -> str:
    return (
        f"home is {options.home}, which cannot be used: {error}; give this user the right to write "
        "there, or make room"
    )


def _failure(error: QueryFailed, options: Options) -> ControllerFailed:
    for begin, failure in ((AT_WORK, AtWork), (TAKEN_OVER, TakenOver)):
        if str(error).startswith(begin):
            return failure(str(error))
    return ControllerFailed(f"the query ended: {error}; see {logs(options)}")


@contextmanager
def _endpoint(options: Options, metrics: Metrics) -> Iterator[str | None]:
    """Answer probes and Prometheus meanwhile, if that is wanted; yields where."""
    where = options.endpoint
    if where.port == 0:
        yield None
        return
    checks: dict[str, Check] = {
        "/livez": alive,
        "/readyz": partial(ready, options.home, options.rhythm_ms),
    }

    def shown() -> str:
        with metrics.lock:
            metrics.standby.set(could_take_over(options.home, options.rhythm_ms))
        return metrics.text()

    with served(where.address, where.port, Asked(checks, shown)) as url:
        structlog.get_logger().info("answering probes", url=url)
        yield url


def _watchdog(options: Options, horizon: Horizon, end_at_once: Callable[[str], None]) -> Watchdog:
    return Watchdog(
        lambda: Signs(horizon.batches, horizon.ticks, horizon.failures),
        structlog.get_logger(),
        max(SILENCE_S, 3 * options.rhythm_ms / 1000),
        max(FRESH_S, 3 * options.feeds.tick_interval_ms / 1000),
        options.query.stuck_ms / 1000,
        end_at_once,
        time.monotonic,
    )


@contextmanager
def _session(options: Options) -> Iterator[SparkSession]:
    log, begun = structlog.get_logger(), time.monotonic()
    log.info("starting Spark", master=options.spark.master, logs=str(logs(options)))
    interrupted = signal.getsignal(signal.SIGINT)
    spark = start_session(options)
    signal.signal(signal.SIGINT, interrupted)  # PySpark's asks a JVM that may hang, each time
    log.info("Spark has started", took_s=round(time.monotonic() - begun, 1))
    try:
        with first_task.under_way(spark, options):
            yield spark
    finally:
        if not has_ended(spark):
            spark.stop()


@contextmanager
def _told_by_signals(stop: Event) -> Iterator[None]:
    """Take SIGTERM and SIGINT for "stop", and a second one for "at once".

    Then the JVM is not asked to end: it may be why a second one comes. As long as there is none, a
    second one is no longer ours. From before that: one that loses its parent while it starts never
    ends.
    """
    numbers = set[int]()

    def told(number: int, frame: FrameType | None) -> None:
        numbers.add(number)
        if not stop.is_set():
            stop.set()
        elif kill_jvm():
            os._exit(0 if number == signal.SIGTERM else _SIGNALLED + number)
        elif callable(first := before[signal.Signals(number)]):
            first(number, frame)

    before = {number: signal.signal(number, told) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if signal.SIGINT in numbers:
        raise KeyboardInterrupt
