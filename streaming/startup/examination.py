"""The examination of the checkpoint that a start finds, before anybody hears of that start.

It can be used and moved, and it was begun under the same settings (``terms``); or
it is damaged, so that nothing of it is gone on with, and a new one takes its place (``start``).
Another controller may begin a new one while a standby waits, so terms are compared again when its
turn has come, and before each try of the query.

Called by ``start`` and ``standing_by``. Its one rule: a controller that would be refused replaces
no other one.
"""

from dataclasses import replace
from threading import Event

import structlog
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from streaming.options import Options
from streaming.startup.checkpoint import Checkpoint
from streaming.startup.losses import looking_trouble, survey
from streaming.startup.takeover import new_start
from streaming.startup.terms import (
    CheckpointRefused,
    dealt_otherwise,
    differences,
    frozen,
    present_terms,
)


def examined(spark: SparkSession, options: Options, stop: Event) -> Options:
    """Find the checkpoint; refuse one that was begun with other settings, unless for a new one.

    Raises:
        CheckpointRefused: It was.
        CheckpointUnusable: It cannot be read or written, or not be moved.
        NotSurveyed: Kafka does not say what its topics hold, or not before it was told to stop.
    """
    found = Checkpoint(spark, options.query.checkpoint).present()
    if found != options.query.checkpoint:
        structlog.get_logger().info("a standby has moved the checkpoint", checkpoint=found)
        options = replace(options, query=replace(options.query, checkpoint=found))
    checkpoint = Checkpoint(spark, found)
    checkpoint.try_out()
    checkpoint.try_to_move(new_start())
    if options.query.new_checkpoint or not checkpoint.in_use:
        return options
    damaged = bool(checkpoint.damage())
    contents = survey(options, looking_trouble(), stop)
    refuse_others(spark, options, checkpoint, contents.cluster, damaged=damaged)
    return options


def refuse_others(
    spark: SparkSession,
    options: Options,
    checkpoint: Checkpoint,
    cluster: str | None = None,
    *,
    damaged: bool = False,
) -> None:
    """Refuse a checkpoint that was begun under other terms.

    Args:
        spark: Where it would be gone on with.
        options: Which controller would.
        checkpoint: One in which a batch was planned.
        cluster: What Kafka calls itself; None: what it did before.
        damaged: Whether nothing of it but its terms can be trusted.

    Raises:
        CheckpointRefused: It was begun with other settings.
        CheckpointUnusable: It cannot be read.
    """
    before = checkpoint.terms()
    if cluster is None:
        cluster = "" if before is None else before.cluster
    now = present_terms(options, cluster, {})
    options_then = {} if damaged else checkpoint.options()
    options_now = {key: _set_to(spark, key) or was for key, was in options_then.items()}
    redealt = dealt_otherwise(before, options_then)
    # Without a record of its start it may be another program's, whatever else is damaged.
    changed = () if checkpoint.has_damaged_terms() else differences(before, now)
    reasons = (*changed, *frozen(options_then, options_now), *redealt)
    if reasons:
        raise CheckpointRefused("\n".join(map(str, reasons)))


def _set_to(spark: SparkSession, key: str) -> str | None:
    """Return what an option is, set or by default; None if it is neither."""
    try:
        return spark.conf.get(key)
    except PySparkException:
        return None
