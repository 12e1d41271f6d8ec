"""Standing by: what a controller does from its start to its turn, and how its turn begins.

It rehearses, says that it is there, and follows the active controller (``startup.standby``). When
its turn has come it announces its start, and takes the checkpoint to a place of its own: the other
controller may be frozen, and would write to the old one when it wakes.

Called by ``start``. Its one rule: nothing is opened that the other one may still use.
"""

from threading import Event

from pyspark.sql import SparkSession

from streaming.cell_operator import CellOperator
from streaming.feeds import StatusWriter, feeding
from streaming.jvm import SparkEnded, has_ended
from streaming.metrics.status import Status
from streaming.options import Options
from streaming.rehearsal import rehearsing
from streaming.startup.activation import Activation
from streaming.startup.checkpoint import Checkpoint, CheckpointUnusable
from streaming.startup.delivery import StartWriter
from streaming.startup.examination import refuse_others
from streaming.startup.standby import Standby
from streaming.startup.takeover import new_start


def activation_of(
    spark: SparkSession, options: Options, operator: CellOperator, status: Status, stop: Event
) -> Activation | None:
    """Wait for a standby's turn, and take it; None: it was told to stop.

    Raises:
        CheckpointRefused: Meanwhile another one was begun there, with other settings.
        CheckpointUnusable: The checkpoint cannot be moved.
        NameTaken: It needs a name of its own.
        NotTold: Kafka does not say where its topics end.
        SparkEnded: Spark is not there any more.
        Undelivered: Kafka did not take the start.
    """
    says, writer = StatusWriter(options, status, None), StartWriter(options, stop)
    with (
        feeding((says,), Event()) as look_at_feeds,
        rehearsing(spark, options, operator) as rehearsal,
    ):

        def is_fit() -> bool:
            look_at_feeds()
            if has_ended(spark):
                raise SparkEnded  # what took over could not go on
            can_go_on = writer.stay_ready(counts_now=standby.asked is not None)
            return rehearsal.is_done() and can_go_on

        def would_do() -> bool:
            works = rehearsal.works() and _can_write(spark, options)
            return works and writer.stay_ready(counts_now=True)

        standby = Standby(options, stop, is_fit, would_do)
        following = standby.wait()
        if following is None:
            return None
        if (found := _present(spark, options)).in_use:
            refuse_others(spark, options, found, damaged=bool(found.damage()))
        start = new_start()
        starts = standby.take_over(start, writer)
    moved = _present(spark, options).take_away(start)
    return Activation(start, starts, moved, writer, following, standby.has_relieved)


def _can_write(spark: SparkSession, options: Options) -> bool:
    """Tell whether this one can write the checkpoint."""
    try:
        _present(spark, options).try_out()
    except CheckpointUnusable:
        return False
    return True


def _present(spark: SparkSession, options: Options) -> Checkpoint:
    """Return the checkpoint where it is now."""
    return Checkpoint(spark, Checkpoint(spark, options.query.checkpoint).present())
