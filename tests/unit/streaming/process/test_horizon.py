"""The horizon: which tick has been read, with all that followed from it written."""

import json
import tracemalloc
from collections.abc import Mapping

import pytest

from streaming.process.horizon import Horizon

BEATS = "t.heartbeats"


def ended(**topics: int) -> str:
    """Where a source was read to, in partition 0."""
    return json.dumps({f"t.{topic}": {"0": end} for topic, end in topics.items()})


def ticked(*offsets: int) -> Horizon:
    """Ticks 1, 2, … stand at these offsets."""
    horizon = Horizon(BEATS)
    horizon.begin("s")
    for number, offset in enumerate(offsets, 1):
        horizon.ticked("s", 0, offset, number)
    return horizon


def test_ticks_do_not_pile_up_while_there_is_no_query() -> None:
    """For days, while the checkpoint cannot be used; how far behind it is stays known."""
    horizon = ticked(10)
    horizon.committed([(ended(heartbeats=11), ended(heartbeats=11))])
    tracemalloc.start()
    horizon.failed(by_kafka=False)
    for offset in range(11, 10_011):
        horizon.ticked("s", 0, offset, offset, at_ms=offset)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert held < 10_000
    assert (1, 10_010) == (horizon.seen(0), horizon.lag_ms())
    horizon.begin("t")
    horizon.ticked("t", 0, 20_000, 1)
    horizon.committed([(ended(heartbeats=20_001), ended(heartbeats=20_001))])
    assert 1 == horizon.seen(0)


SOURCES: Mapping[str, tuple[list[tuple[str, str]], int | None]] = {
    "nothing was read": ([(ended(heartbeats=10), ended(heartbeats=40))], None),
    "one was": ([(ended(heartbeats=11), ended(heartbeats=40))], 1),
    "two were": ([(ended(heartbeats=40), ended(heartbeats=40))], 2),
    "all that is urgent as well": (
        [
            (ended(members=7, routes=2), ended(members=7, routes=2)),
            (ended(heartbeats=40), ended(heartbeats=40)),
        ],
        2,
    ),
    "something urgent is left": (
        [
            (ended(members=6, routes=2), ended(members=7, routes=2)),
            (ended(heartbeats=40), ended(heartbeats=40)),
        ],
        None,
    ),
    "an urgent topic was not begun": (
        [(ended(routes=2), ended(members=7, routes=2)), (ended(heartbeats=40), "null")],
        None,
    ),
    "nobody says where it ends": ([("null", "null"), (ended(heartbeats=40), "")], 2),
}


@pytest.mark.parametrize(("sources", "seen"), SOURCES.values(), ids=SOURCES.keys())
def test_a_batch_shows_which_ticks_were_read(
    sources: list[tuple[str, str]], seen: int | None
) -> None:
    """Beats may be left, as a batch has a limit; what is urgent may not."""
    horizon = ticked(10, 20)
    horizon.committed(sources)

    assert seen == horizon.seen(0)


@pytest.mark.parametrize("seen", [{}, {"1": 700}], ids=["nowhere", "elsewhere"])
def test_a_backlog_before_the_first_tick_is_not_nothing(seen: Mapping[str, int]) -> None:
    """Whoever was away for long reads for minutes before it comes to a tick of its own."""
    horizon = Horizon(BEATS)
    horizon.begin("s")
    for second in range(600):
        for partition in (0, 1):
            horizon.ticked("s", partition, 100 + second, second, 1_000 * second)
    horizon.committed([(json.dumps({BEATS: {"0": 50, **seen}}), "null")])

    assert horizon.seen(0) is None
    assert 599_000 == horizon.lag_ms()
    horizon.failed(by_kafka=True)
    assert 599_000 == horizon.lag_ms()


def test_another_start_begins_anew() -> None:
    """What was ticked before is of another start, and so is what is told of late."""
    horizon = ticked(10)
    horizon.committed([(ended(heartbeats=40), ended(heartbeats=40))])
    horizon.begin("other")
    horizon.ticked("s", 0, 50, 2)
    horizon.committed([(ended(heartbeats=60), ended(heartbeats=60))])

    assert horizon.seen(0) is None


def test_nothing_is_behind_by_less_than_nothing() -> None:
    """The broker's clock is set back (B2): what was read says a later time than what is newer."""
    horizon = Horizon(BEATS)
    horizon.begin("s")
    assert horizon.lag_ms() is None
    horizon.ticked("s", 0, 10, 9_000)
    horizon.committed([(ended(heartbeats=11), ended(heartbeats=40))])
    horizon.ticked("s", 0, 20, 4_000)

    assert 0 == horizon.lag_ms()
