"""The whole data flow: read it aloud from ``decisions`` and ``publish`` down.

Records of two sources, the urgent and the routine, are cut to size, get fingerprints, are dealt out
to cells, folded by the state function, and its decisions are written to Kafka. A cell is a
heartbeat partition, or one of several parts of it: all topics have the same partitions, so all
records of a group, or of a cluster, come to the same cell. The state function is a parameter, so
that the bench can measure this very pipeline with a function that only counts.

Started by ``start``. Its one rule: no branch, no lambda, no decision.
"""

import time
from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.query import StreamingQuery

from streaming.cell_operator import StateFunction
from streaming.fingerprints import fingerprinted
from streaming.metrics.tally import NO_TOPIC
from streaming.options import Options
from streaming.query_listener import OBSERVED, TALLIES
from streaming.session import readers
from streaming.topics import ROUTINE, URGENT, names
from streaming.wire.beats import ADDED
from streaming.wire.places import TASKS, places
from streaming.wire.rows import LARGE_BYTES, Row
from trimtab.protocol import HEARTBEATS, ROCKETMQ, ROUTES, TICK_KEY, TOLD_KEY, limits

OUTPUT: Final = (
    "topic string, partition int, key binary, value binary, "
    "headers array<struct<key: string, value: binary>>"
)
STATE: Final = "cell binary"

_LARGEST_BYTES: Final = limits.RECORD_BYTES + limits.AROUND_BYTES
"""What our topics take: the largest value, its key and its headers. Kafka's default is less."""
MOST_WAITING: Final = 100_000
"""Urgent records that may wait since the last checkpoint: about 80 MB in Python and two seconds of
work, or a week of a thousand members' joins and releases. A batch may be twice as large, because
more comes while the controller starts. What this start has written is taken on top (``urgent``)."""
_MOST_ROUTINE: Final = 100_000
"""The same for beats: three seconds of 100,000 members. What is left waits for the next batch.
While very much is left, log time stands still (``LogClock.ticked``)."""
_RECENT_MS: Final = 300_000
"""More than twice as long as RocketMQ's clients may be silent (120 s)."""
_PATIENCE_MS: Final = 3_000
"""How long a source waits for an answer before it asks another broker. Each batch begins by asking
any broker for the list of topics. A broker that hung, even if it led none of our topics, stopped
the query for as long, or for Kafka's minute. Members tolerate a third of a session."""
_MOST_AT_ONCE: Final = 10_000
_MOST_BYTES_AT_ONCE: Final = 2 * 1024 * 1024
"""What one fetch brings of a partition. After each, Spark asks the broker where the partition
begins and ends, so with Kafka's 500 records a controller that caught up spent a sixth of its time
asking."""
_WAKE_MS: Final = 2_000
"""How often a source looks up the leaders. Its client has no timer of its own: it notices a missing
answer only when it has something else to do (kafka-clients 3.9, ``KafkaAdminClient``)."""


def decisions(
    spark: SparkSession, options: Options, fold: StateFunction, reminders: int = 0
) -> DataFrame:
    """Fold all records into decisions; ``reminders`` of them were written at this start."""
    records = urgent(spark, options, reminders).union(routine(spark, options))
    # Fewer tasks than partitions read: a task costs more than the few rows that it brings.
    return folded(records.coalesce(readers(spark, options)), options, fold)


def folded(records: DataFrame, options: Options, fold: StateFunction) -> DataFrame:
    """Fold these records."""
    rows = records.select(*cut_to_size(options.topics.prefix))
    cells = dealt(fingerprinted(rows, options), options).groupBy("cell")
    return cells.applyInPandasWithState(fold, OUTPUT, STATE, "update", "NoTimeout")


def publish(decided: DataFrame, options: Options) -> StreamingQuery:
    """Write decisions to their topics, for as long as the query runs."""
    writer = (
        observed(decided).writeStream.queryName(options.name).outputMode("update").format("kafka")
    )
    writer = writer.options(**sink(options))
    return writer.option("checkpointLocation", options.query.checkpoint).start()


def observed(decided: DataFrame) -> DataFrame:
    """Take out the rows without a topic: each cell's ``tally`` of the batch, which is observed.

    Spark brings what it observes to the driver with the commit, so a repeated batch counts once.
    """
    is_tally = f.col("topic") == f.lit(NO_TOPIC)
    tallies = f.collect_list(f.when(is_tally, f.col("value").cast("string")))
    return decided.observe(OBSERVED, tallies.alias(TALLIES)).where(~is_tally)


def urgent(spark: SparkSession, options: Options, reminders: int = 0) -> DataFrame:
    """Joins, leaves, releases, routes, commands: read as soon as they are there."""
    topics = names(options.topics.prefix, URGENT)
    bounded = {"maxOffsetsPerTrigger": str(2 * MOST_WAITING + reminders)}
    return spark.readStream.format("kafka").options(**source(topics, options), **bounded).load()


def routine(spark: SparkSession, options: Options) -> DataFrame:
    """Beats, ticks, reports: read together once an interval, or at once when they are very many."""
    query = options.query
    patient = {
        "minOffsetsPerTrigger": str(query.routine_rows),
        "maxTriggerDelay": f"{query.routine_interval_ms}ms",
        "maxOffsetsPerTrigger": str(max(_MOST_ROUTINE, query.routine_rows)),
        # A query that is new needs no beat of the past: it learns who is there from what is
        # published, and all sessions begin anew (``gate``). RocketMQ's clients say everything in
        # each heartbeat, so they say it again before their sessions end.
        "startingTimestamp": str(time.time_ns() // 1_000_000 - _RECENT_MS),
        "startingOffsetsByTimestampStrategy": "latest",
    }
    topics = names(options.topics.prefix, ROUTINE)
    return spark.readStream.format("kafka").options(**source(topics, options), **patient).load()


def cut_to_size(prefix: str) -> list[Column]:
    """Cut what no reader accepts before Python sees it: only its head, for the dead letter, passes.

    That is an oversize key or value, and a large value that is no record of ours: 2,000 of a
    program that writes its own data into our topic would be more than one Arrow batch can hold.
    """
    size = f.coalesce(f.length("value"), f.lit(0))
    kind = f.get_json_object(f.col("value").cast("string"), "$.kind")
    a_clients = f.col("topic").isin(names(prefix, (ROCKETMQ,)))
    is_ours = (size <= LARGE_BYTES) | a_clients | kind.isNotNull()
    fits = (size <= limits.RECORD_BYTES) & is_ours
    kept = f.when(fits, f.lit(limits.RECORD_BYTES)).otherwise(f.lit(limits.DEAD_LETTER_BYTES))
    start = f.lit(1)
    columns = {
        "appended_ms": f.unix_millis("timestamp"),
        "key": f.substring("key", start, f.lit(limits.DEAD_LETTER_BYTES)),
        "value": f.substring("value", start, kept),
        "size": size,
    }
    return [columns.get(name, f.col(name)).alias(name) for name in Row._fields]


def dealt(rows: DataFrame, options: Options) -> DataFrame:
    """Deal each row to the cell of its key; a cell has the number that ``places`` gives it.

    Each tick goes to every cell of its partition, and so does each ``told``, the record before and
    after what a start has found: by it a cell knows that it has read all of that (``gate``). Each
    RocketMQ heartbeat goes to every cell there is, for it names groups of any. What stands in a
    partition that a topic was given later is nobody's, and goes to the first (``cell_operator``).
    """
    prefix, count = options.topics.prefix, f.lit(options.query.cells_per_partition)
    ours = f.col("partition") < f.lit(options.topics.partitions)
    ticks = (f.col("key") == f.lit(TICK_KEY)) & f.col("topic").isin(names(prefix, (HEARTBEATS,)))
    told = (f.col("key") == f.lit(TOLD_KEY)) & f.col("topic").isin(names(prefix, (ROUTES,)))
    heartbeats = f.col("topic").isin(names(prefix, (ROCKETMQ,)))
    first = f.col("partition") * count
    whole = f.sequence(first, first + count - 1)
    every = f.sequence(f.lit(0), f.lit(options.topics.partitions) * count - 1)
    one = f.array(first + f.pmod(f.hash("key"), count))
    cells = f.when(~ours, f.array(f.lit(0)))
    cells = cells.when(ticks | told, whole).when(heartbeats, every).otherwise(one)
    told_to = rows.select(f.explode(cells).alias("cell"), *Row._fields, *ADDED)
    # Spark deals cells to tasks by a hash, unevenly. These numbers give each task as many.
    tasks = int(rows.sparkSession.conf.get(TASKS) or "1")
    numbers = places(options.topics.partitions * options.query.cells_per_partition, tasks)
    place = f.element_at(f.lit(numbers), f.col("cell") + 1)
    # Spark cannot know that each cell has a place, and state has no keys that may be missing.
    return told_to.withColumn("cell", f.coalesce(place, "cell"))


def source(topics: list[str], options: Options) -> dict[str, str]:
    """The options of a source."""
    query = options.query
    return {
        "kafka.request.timeout.ms": str(_PATIENCE_MS + query.fetch_wait_ms),
        "kafka.metadata.max.age.ms": str(_WAKE_MS),
        **client(options),
        # A topic that somebody deletes would be made anew, with the broker's defaults.
        "kafka.allow.auto.create.topics": "false",
        "subscribe": ",".join(topics),
        # A new query folds what the log still holds, oldest first, and learns who is a member and
        # what it asks for; the reminder tells it who owns what. "latest" would miss the joins of
        # living members. Nothing is decided before all of it has been read (``gate``).
        "startingOffsets": "earliest",
        # Offsets that are gone are a gap in the truth: stop and say so, rather than skip it.
        "failOnDataLoss": "true",
        # Kafka holds an empty fetch for 500 ms by default, and Spark waits for it: an idle
        # controller would be half a second late.
        "kafka.fetch.max.wait.ms": str(query.fetch_wait_ms),
        "kafka.max.poll.records": str(_MOST_AT_ONCE),
        "kafka.max.partition.fetch.bytes": str(_MOST_BYTES_AT_ONCE),
    }


def sink(options: Options) -> dict[str, str]:
    """The options of the sink."""
    # An answer that is lost stops the batch until it is asked for again: for Kafka's 30 s, unless
    # told. Nothing is written twice for it: a producer is idempotent unless told otherwise.
    patience = {"kafka.request.timeout.ms": str(_PATIENCE_MS)}
    return {**patience, **client(options), "kafka.max.request.size": str(_LARGEST_BYTES)}


def client(options: Options) -> dict[str, str]:
    """What sources and sink are told about Kafka."""
    kafka = options.kafka
    connection = {**kafka.java, "bootstrap.servers": kafka.bootstrap_servers}
    return {f"kafka.{name}": value for name, value in connection.items()}
