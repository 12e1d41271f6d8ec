"""What Spark has written down is read as Spark means it."""

from streaming.startup.batch_logs import frozen_options, positions_in

BATCH = """\
v1
{"batchWatermarkMs":0,"batchTimestampMs":17,"conf":{"spark.sql.shuffle.partitions":"2"}}
{"t.members":{"0":3,"1":0},"t.routes":{"0":2,"1":2}}
{"t.heartbeats":{"0":44,"1":45}}
"""
"""A file of `offsets`, shortened, as Spark 4.2 writes it."""


def test_positions_are_those_of_all_sources() -> None:
    """A line for each source, a number for each partition."""
    assert {
        ("t.members", 0): 3,
        ("t.members", 1): 0,
        ("t.routes", 0): 2,
        ("t.routes", 1): 2,
        ("t.heartbeats", 0): 44,
        ("t.heartbeats", 1): 45,
    } == positions_in(BATCH)


def test_the_beginning_of_a_source_is_written_alike() -> None:
    """A file of `sources` begins with a zero byte."""
    assert {("t.members", 0): 0} == positions_in('\0v1\n{"t.members":{"0":0}}')


def test_a_source_that_has_not_begun_has_no_positions() -> None:
    """Spark writes a dash."""
    assert {} == positions_in("v1\n{}\n-\n-")


def test_frozen_options_are_those_of_the_batch() -> None:
    """They stand beside its time."""
    assert {"spark.sql.shuffle.partitions": "2"} == frozen_options(BATCH)
    assert {} == frozen_options("v1\n{}")
