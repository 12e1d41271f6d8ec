"""The start: each step from a running Spark to the first batch, in the order in which it is taken.

``console.controller`` goes before: the settings are checked, Kafka answers, the topics are there.
Then ``start`` takes these steps once:

1. The checkpoint is examined: it can be used, and was begun under the same settings
   (``examination``).
2. What is published is looked for, and must be where it belongs (``reminder``).
3. If another controller is at work, this one ends, unless it was told to take over
   (``incumbent``). It says that it starts, and waits until no other one decides (``takeover``). A
   standby first follows the active controller until its turn comes (``standing_by``).
4. The feeds begin: ticks, routes, hosts, and what the controller says of itself.

``QueryLife`` tries the query until it works, and again after failures that pass. For each try
``Beginning.query`` takes these steps:

5. A checkpoint is chosen: the one that is there, compared again, or a new one. No record may be
   gone that it has still to read (``losses``). Nor may more urgent ones wait for it than a batch
   holds: its first batch would be decided before all of them are read.
6. The cells are told what is published, between two ``told`` (``opening``, ``reminder``). Whatever
   happened to the checkpoint meanwhile, epochs go on above it.
7. The query is started (``pipeline``).

8. When its first batch is committed, the controller is ready (``QueryLife``).

Called by ``application``. Its one rule: before step 3 nothing is written that another controller
may read.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Final, NamedTuple

import structlog
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from streaming.cell_operator import CellOperator
from streaming.feeds import HostWatcher, RouteWatcher, StatusWriter, TickProducer, feeding
from streaming.feeds.feed import Feed
from streaming.feeds.pace_plan import PacePlan
from streaming.feeds.pacing import PaceKeeper
from streaming.metrics.account import Account
from streaming.metrics.catalogue import Metrics
from streaming.metrics.group_gauges import GroupGauges
from streaming.metrics.status import About, Status
from streaming.options import Options
from streaming.pipeline import MOST_WAITING, decisions, publish
from streaming.process import readiness
from streaming.process.ending import Ending
from streaming.process.horizon import Horizon
from streaming.process.trouble import Trouble
from streaming.query import QueryFailed, QueryLife
from streaming.query_listener import QueryListener
from streaming.spark_figures import SparkFigures
from streaming.standing_by import activation_of
from streaming.startup.activation import Activation
from streaming.startup.checkpoint import Checkpoint, CheckpointUnusable
from streaming.startup.delivery import StartWriter
from streaming.startup.examination import examined, refuse_others
from streaming.startup.incumbent import AT_WORK, Incumbent
from streaming.startup.losses import Contents, looking_trouble, losses, survey, unread
from streaming.startup.opening import begin_telling, end_telling
from streaming.startup.own_start import OwnStart
from streaming.startup.reading import reading_trouble
from streaming.startup.reminder import locate, remind
from streaming.startup.supersession import TAKEN_OVER
from streaming.startup.takeover import announce, announcing, new_start
from streaming.startup.terms import RELEASE, Terms, continued, deciding, present_terms
from streaming.startup.younger import YoungerStart

_TOO_OLD: Final = (
    "more records wait than the first batch can read; continuing from what is published, with a "
    "new checkpoint"
)
_UNFINISHED: Final = (
    "the last batch was not finished, perhaps under other settings, by another release or with "
    "other code; before it is decided again, all is read that is published"
)
_OTHERS: Final = "settings or release are not the last ones: groups may be rebalanced for it once"
_DAMAGED: Final = (
    "the checkpoint is damaged; continuing from what is published, with a new checkpoint"
)


class Seen(NamedTuple):
    """What is known of the controller's work, and of another one's."""

    metrics: Metrics
    horizon: Horizon
    endpoint: str | None
    other: Incumbent | None


def start(
    spark: SparkSession, options: Options, seen: Seen, stop: Event, further: Sequence[Feed]
) -> None:
    """Take each step of the start, and go on until told to stop.

    Args:
        spark: Where the query runs.
        options: Which controller.
        seen: What its process has for it: metrics, endpoint, and who else is at work.
        stop: Set when it should end.
        further: What else it depends on; it ends when one of these does.
    """
    options = examined(spark, options, stop)  # before an earlier controller is replaced
    locate(options, stop)
    metrics, over = seen.metrics, Event()
    account, gauges = Account(metrics, seen.horizon, options.topics.prefix), GroupGauges(metrics)
    paces = _paces(options)
    about = About(options.name, RELEASE, options.topics.partitions, seen.endpoint)
    status = Status(about, metrics, account, gauges, seen.horizon)
    operator = _operator(options)
    activation = (
        activation_of(spark, options, operator, status, stop)
        if seen.other is None
        else _own_activation(options, seen.other, stop)
    )
    if activation is None or stop.is_set():
        return
    options = replace(options, query=replace(options.query, checkpoint=activation.checkpoint))
    listener = QueryListener(spark, seen.horizon, account)
    spark.streams.addListener(listener)
    show = SparkFigures(spark).show if options.spark.ui_port else None
    feeds: Sequence[Feed] = (
        TickProducer(options, seen.horizon),
        RouteWatcher(options, gauges, paces),
        HostWatcher(options, seen.horizon),
        StatusWriter(options, status, show, over),
        *((PaceKeeper(options, paces),) if options.policy.heartbeat_auto else ()),
        *_redis(options, metrics),
        *further,
    )
    operator = replace(operator, starts=activation.starts)
    beginning = Beginning(spark, options, operator, seen.horizon, stop)
    with feeding(feeds, stop) as look:
        try:
            QueryLife(spark, options, beginning.query, listener, activation, stop, look).run()
        finally:
            over.set()


def _paces(options: Options) -> PacePlan:
    policy, budget = options.policy, options.feeds.heartbeat_budget
    return PacePlan(policy.heartbeat_interval_ms, policy.longest_interval_ms, budget)


def _own_activation(options: Options, other: Incumbent, stop: Event) -> Activation | None:
    """Begin at once, as soon as no other controller decides; None: it was told to stop."""
    if not options.query.takes_over and (name := other.name(stop)) is not None:
        raise QueryFailed(Ending(f"{AT_WORK}: {name}", passes=False))
    if stop.is_set():
        return None  # from here on the other one would end
    start, writer = new_start(), StartWriter(options, stop)
    with announcing(stop):
        starts = announce(options, start, writer)
        other.let_end(stop)
    return Activation(start, starts, options.query.checkpoint, writer)


def _operator(options: Options) -> CellOperator:
    topics = options.topics
    return CellOperator(
        topics.prefix,
        topics.partitions,
        options.policy,
        options.verdicts,
        options.query.cells_per_partition,
    )


def _redis(options: Options, metrics: Metrics) -> Sequence[Feed]:
    if options.redis is None:
        return ()
    from streaming.feeds.redis import RedisWriter  # noqa: PLC0415 - its client is optional

    return (RedisWriter(options, options.redis, metrics),)


@dataclass(slots=True)
class Beginning:
    """The beginning of the query, as often as it is tried.

    Args:
        spark: Where it runs.
        options: What it is.
        operator: The state function.
        horizon: Who is told that it begins.
        stop: Set when it should end.
    """

    spark: SparkSession
    options: Options
    operator: CellOperator
    horizon: Horizon
    stop: Event
    _looking: Trouble = field(default_factory=looking_trouble)
    _reading: Trouble = field(default_factory=reading_trouble)
    _checkpoint: Checkpoint = field(init=False)
    _moves_over: bool = field(default=False, init=False)
    """A new checkpoint was asked for, and has not been begun yet."""
    _own_start: OwnStart = field(init=False)
    _younger: YoungerStart = field(init=False)

    def __post_init__(self) -> None:
        self._checkpoint = Checkpoint(self.spark, self.options.query.checkpoint)
        self._moves_over = self.options.query.new_checkpoint
        self._own_start = OwnStart(self.options.topics.prefix, self.operator.starts)
        self._younger = YoungerStart(self.options, self.operator.starts)

    @contextmanager
    def query(self, activation: Activation) -> Iterator[StreamingQuery | None]:
        """Begin the query, and end it after use; None: it was told to stop meanwhile."""
        options, name = self.options, activation.start
        writer = activation.writer or StartWriter(options, self.stop)
        rules_differ = self._choose_checkpoint(name)
        told = begin_telling(options, name, writer)
        counts = remind(options, name, writer, self.stop, self._reading, activation.following)
        if self.stop.is_set():
            yield None
            return
        end_telling(options, name, counts, writer)
        self.horizon.begin(name)
        operator = replace(self.operator, told=told, start=name, rules_differ=rules_differ)
        with readiness.removed(options.home):
            query = publish(decisions(self.spark, options, operator, counts.total()), options)
            try:
                yield query
            finally:
                query.stop()

    def _choose_checkpoint(self, start: str) -> bool:
        """Go on with the checkpoint that is there, or set it aside and begin a new one.

        Returns:
            Whether what is repeated of it may have been decided otherwise.
        """
        checkpoint, contents = self._checkpoint, survey(self.options, self._looking, self.stop)
        if (over := self._over(contents)) is not None:
            raise QueryFailed(Ending(over, passes=False))
        checkpoint.try_out()  # on a full disk no batch is done, and nothing need be told
        damage = checkpoint.damage()
        if damage or checkpoint.in_use:
            before, at = checkpoint.terms(), {} if damage else checkpoint.positions()
            lost = losses(at, before.topics if before else {}, contents)
            waiting = 0 if damage else unread(at, contents, self.options.topics.prefix)
            if not (damage or lost or self._moves_over or waiting > MOST_WAITING):
                refuse_others(self.spark, self.options, checkpoint, contents.cluster)
                return before is not None and self._go_on(before, contents.topics)
            kept, log = self._set_aside(start), structlog.get_logger()
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
        return False

    def _go_on(self, before: Terms, topics: Mapping[str, str]) -> bool:
        """Go on with a checkpoint; say whether its unfinished batch is one that others decided."""
        unfinished = self._checkpoint.unfinished
        now = continued(before, deciding(self.options), unfinished, topics)
        differ = unfinished is not None and unfinished == now.others
        if differ or now.decides != before.decides:
            structlog.get_logger().info(_UNFINISHED if differ else _OTHERS)
        if now != before:
            self._checkpoint.begin(now)
        return differ

    def _set_aside(self, start: str) -> str:
        """Give the checkpoint up for a new one, and delete those that were given up long ago."""
        kept, log = self._checkpoint.set_aside(start), structlog.get_logger()
        try:
            for name in self._checkpoint.delete_old(start):
                log.info("deleted an old checkpoint that had been set aside", old=name)
        except CheckpointUnusable as error:
            log.warning("cannot delete old checkpoints that were set aside", reason=str(error))
        return kept

    def _over(self, contents: Contents) -> str | None:
        """Say why this controller is not to go on, if so."""
        lost = self._own_start.lost(contents)
        looks = lost is None and self.horizon.fails  # for it may not reach its checkpoint
        if looks and (younger := self._younger.found(contents, self.stop)) is not None:
            return f"{TAKEN_OVER}: {younger}"
        if (elsewhere := self._checkpoint.moved_to()) is not None:
            return f"{TAKEN_OVER}: the checkpoint is {elsewhere} now"
        return lost
