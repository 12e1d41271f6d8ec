"""The controller as a running process: session, query and feeds, from start to stop.

It starts Spark, checks the checkpoint, and takes over from an earlier controller; a standby waits
for its turn first (``standing_by``). Then it starts the feeds and the query, which is started again
after failures that pass (``query``). If a feed ends, or the query for good, everything is stopped
and the process ends with an error, so that a supervisor can start it again from the checkpoint.
Nothing is decided here, and nothing is lost by ending at any moment.

Called by ``console``. Its one rule: it ends without an error only when it was told to stop.
"""

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from threading import Event
from types import FrameType
from typing import Final, NamedTuple

import pyspark
import structlog
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from streaming.cell_operator import CellOperator
from streaming.feeds import (
    FeedFailed,
    HostWatcher,
    RouteWatcher,
    StatusWriter,
    TickProducer,
    feeding,
)
from streaming.feeds.feed import Feed
from streaming.metrics.account import Account
from streaming.metrics.catalogue import Metrics
from streaming.metrics.endpoint import Asked, Check, EndpointNotServed, served
from streaming.metrics.group_gauges import GroupGauges
from streaming.metrics.probes import alive, ready
from streaming.metrics.status import About, Status
from streaming.options import Options
from streaming.process.ending import ending_of
from streaming.process.horizon import Horizon
from streaming.process.readiness import taken_down
from streaming.process.watchdog import SILENCE_S, Signs, Watchdog, watched
from streaming.query import QueryFailed, QueryLife
from streaming.query_listener import QueryListener
from streaming.session import SparkNotStarted, logs, start_session
from streaming.spark_figures import SparkFigures
from streaming.standing_by import turn_of
from streaming.startup.activation import Activation
from streaming.startup.checkpoint import Checkpoint, CheckpointUnusable
from streaming.startup.delivery import StartWriter, Undelivered
from streaming.startup.losses import NotSurveyed, looking, survey
from streaming.startup.reminder import NotReminded, locate
from streaming.startup.standby import NameTaken
from streaming.startup.supersession import TAKEN_OVER
from streaming.startup.takeover import NotTold, new_start, take_over
from streaming.startup.terms import (
    CheckpointRefused,
    dealt_otherwise,
    differences,
    frozen,
    present_terms,
)
from trimtab.protocol import HEARTBEATS

_DISTRIBUTION: Final = "trimtab-controller"


class ControllerFailed(Exception):  # noqa: N818 - it names what happened
    """The query, a feed or Spark itself ended without being told to."""


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
        TakenOver: A younger controller goes on.
        ControllerFailed: It ended for any other reason.
    """
    stop, metrics = Event(), Metrics()
    horizon = Horizon(f"{options.topics.prefix}{HEARTBEATS.name}")
    metrics.build.set(1, version(_DISTRIBUTION), pyspark.__version__)
    try:
        with (
            taken_down(options.home),
            _told_by_signals(stop),
            _endpoint(options, metrics) as endpoint,
            watched(_watchdog(options, horizon, end_at_once)),
            _session(options) as spark,
        ):
            if not stop.is_set():
                _run(spark, options, _Seen(metrics, horizon, endpoint), stop, further)
    except QueryFailed as error:
        raise _failure(error, options) from error
    except (
        CheckpointUnusable,
        FeedFailed,
        NameTaken,
        NotReminded,
        NotSurveyed,
        NotTold,
        EndpointNotServed,
        SparkNotStarted,
        Undelivered,
    ) as error:
        raise ControllerFailed(str(error)) from error
    except (Py4JJavaError, PySparkException) as error:
        cause = ending_of(str(error)).cause
        raise ControllerFailed(f"Spark refused: {cause}; see {logs(options)}") from error
    except (Py4JError, ConnectionError) as error:
        raise ControllerFailed(f"Spark ended by itself; see {logs(options)}") from error
    except OSError as error:
        raise ControllerFailed(
            f"home is {options.home}, which cannot be used: {error}; give this user the right to "
            "write there, or make room"
        ) from error


def _failure(error: QueryFailed, options: Options) -> ControllerFailed:
    if str(error).startswith(TAKEN_OVER):
        return TakenOver(str(error))
    return ControllerFailed(f"the query ended: {error}; see {logs(options)}")


class _Seen(NamedTuple):
    """What is known of the controller's work."""

    metrics: Metrics
    horizon: Horizon
    endpoint: str | None


def _run(
    spark: SparkSession, options: Options, seen: _Seen, stop: Event, further: Sequence[Feed]
) -> None:
    options = _accepted(spark, options)  # before an earlier controller is replaced
    locate(options, stop)
    account, gauges = (
        Account(seen.metrics, seen.horizon, options.topics.prefix),
        GroupGauges(seen.metrics),
    )
    about = About(options.name, version(_DISTRIBUTION), options.topics.partitions, seen.endpoint)
    status = Status(about, seen.metrics, account, gauges, seen.horizon)
    operator = _operator(options)
    seen.metrics.standby.set(options.query.standby)
    if options.query.standby:
        turn = turn_of(spark, options, operator, status, stop)
    else:
        start, writer = new_start(), StartWriter(options)
        starts = take_over(options, start, writer, stop)
        turn = Activation(start, starts, options.query.checkpoint, writer)
    if turn is None or stop.is_set():
        return
    seen.metrics.standby.set(0)
    options = replace(options, query=replace(options.query, checkpoint=turn.checkpoint))
    listener = QueryListener(spark, seen.horizon, account)
    spark.streams.addListener(listener)
    feeds: Sequence[Feed] = (
        TickProducer(options, seen.horizon),
        RouteWatcher(options, gauges),
        HostWatcher(options),
        StatusWriter(options, status, SparkFigures(spark).show if options.spark.ui_port else None),
        *_redis(options, seen.metrics),
        *further,
    )
    operator = replace(operator, starts=turn.starts)
    with feeding(feeds, stop) as look_at_feeds:
        QueryLife(spark, options, operator, listener, turn, stop, look_at_feeds).run()


def _redis(options: Options, metrics: Metrics) -> Sequence[Feed]:
    if options.redis is None:
        return ()
    from streaming.feeds.redis import RedisWriter  # noqa: PLC0415 - its client is optional

    return (RedisWriter(options, options.redis, metrics),)


def _operator(options: Options) -> CellOperator:
    topics = options.topics
    return CellOperator(
        topics.prefix,
        topics.partitions,
        options.policy,
        options.verdicts,
        options.query.cells_per_partition,
    )


def _accepted(spark: SparkSession, options: Options) -> Options:
    """Find the checkpoint; refuse one that was begun with other settings, unless for a new one."""
    found = Checkpoint(spark, options.query.checkpoint).present()
    if found != options.query.checkpoint:
        structlog.get_logger().info("a standby has moved the checkpoint", checkpoint=found)
        options = replace(options, query=replace(options.query, checkpoint=found))
    checkpoint = Checkpoint(spark, found)
    checkpoint.try_out()
    if options.query.new_checkpoint or not checkpoint.in_use:
        return options
    contents = survey(options, looking())
    now = present_terms(options, contents.cluster, contents.topics)
    options_then = {} if checkpoint.damage() else checkpoint.options()
    options_now = {key: _set_to(spark, key) or was for key, was in options_then.items()}
    before = checkpoint.terms()
    redealt = dealt_otherwise(before, options_then)
    reasons = (*differences(before, now), *frozen(options_then, options_now), *redealt)
    if reasons:
        raise CheckpointRefused("\n".join(map(str, reasons)))
    return options


def _set_to(spark: SparkSession, key: str) -> str | None:
    """Return what an option is, set or by default; None if it is neither."""
    try:
        return spark.conf.get(key)
    except PySparkException:
        return None


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
    with served(where.address, where.port, Asked(checks, metrics.text)) as url:
        structlog.get_logger().info("answering probes", url=url)
        yield url


def _watchdog(options: Options, horizon: Horizon, end_at_once: Callable[[str], None]) -> Watchdog:
    return Watchdog(
        lambda: Signs(horizon.batches, horizon.ticks),
        structlog.get_logger(),
        max(SILENCE_S, 3 * options.rhythm_ms / 1000),
        options.query.stuck_ms / 1000,
        end_at_once,
        time.monotonic,
    )


@contextmanager
def _session(options: Options) -> Iterator[SparkSession]:
    log, begun = structlog.get_logger(), time.monotonic()
    log.info("starting Spark", master=options.spark.master, logs=str(logs(options)))
    spark = start_session(options)
    log.info("Spark has started", took_s=round(time.monotonic() - begun, 1))
    try:
        yield spark
    finally:
        spark.stop()


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
