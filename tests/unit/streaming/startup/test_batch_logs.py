"""What Spark has written down is read as Spark means it."""

import pytest

from streaming.startup.batch_logs import frozen_options, positions_in, superfluous

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


@pytest.mark.parametrize(
    ("aside", "deleted"),
    [
        ([1, 2, 3], []),
        ([3, 9, 5, 7, 1], [1, 3]),
        ([1, 96, 97, 98, 99, 100], [1]),
    ],
    ids=["few", "many", "many of the last hour"],
)
def test_only_the_last_that_were_set_aside_are_kept(aside: list[int], deleted: list[int]) -> None:
    """Of this checkpoint only, whatever it was called then; and none of the last hour."""
    moved = {it: ".at-1767312000000-0b5e55ed" if it % 2 else "" for it in aside}
    name = {it: f"checkpoint{moved[it]}.{start_of(it)}" for it in aside}
    others = [
        "checkpoint",
        f"checkpoint.at-{start_of(0)}",
        f"another.{start_of(0)}",
        "checkpoint.7",
    ]

    found = superfluous([*name.values(), *others], "checkpoint", start_of(100))
    assert [name[it] for it in deleted] == found


def start_of(hundredth: int) -> str:
    """A start in one of a hundred parts of a day."""
    return f"{1_767_312_000_000 + 864_000 * hundredth}-0b5e55ed"
