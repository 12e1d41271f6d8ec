"""The opening: what a starting controller writes before and after all that is published.

Before anything is told, each partition is told that it begins, and after everything, that this was
all. Then a first tick is written, behind all the beats that are there. What the cells read until
then stays undecided (``gate``).

Called by ``start`` around ``reminder``. The query starts when all of it has arrived.
"""

from collections.abc import Mapping, Sequence

from streaming.options import Options
from streaming.process.horizon import FIRST_TICK
from streaming.startup.delivery import StartWriter
from streaming.wire.slots import CellKey
from trimtab.protocol import HEARTBEATS, TICK_KEY, TOLD_KEY, Tick, Told


def begin_telling(options: Options, start: str, writer: StartWriter) -> tuple[int, ...]:
    """Say in each partition that what is published is told from here on; return at which offsets.

    Raises:
        Undelivered: Kafka did not take it.
    """
    opened = Told(controller=options.name, start=start, whole=False)
    return _say(options, writer, [opened] * options.topics.partitions)


def end_telling(
    options: Options, start: str, counts: Mapping[CellKey, int], writer: StartWriter
) -> None:
    """Say in each partition that this was all, and how much of it is for each cell; and tick.

    Args:
        options: Which controller this is.
        start: Which of its starts.
        counts: How many records were told, by partition and slot.
        writer: What it writes with.

    Raises:
        Undelivered: Kafka did not take it.
    """
    slots = range(options.query.cells_per_partition)
    words = [
        Told(
            controller=options.name,
            start=start,
            whole=True,
            counts=tuple(counts.get((partition, slot), 0) for slot in slots),
        )
        for partition in range(options.topics.partitions)
    ]
    _say(options, writer, words)
    delivery = writer.delivery("the first tick", HEARTBEATS)
    tick = Tick(controller=options.name, number=FIRST_TICK, start=start)
    for partition in range(options.topics.partitions):
        delivery.send(tick, TICK_KEY, partition)
    delivery.arrived()


def _say(options: Options, writer: StartWriter, words: Sequence[Told]) -> tuple[int, ...]:
    delivery = writer.delivery("telling the cells where the past begins and ends")
    for partition, told in enumerate(words):
        delivery.send(told, TOLD_KEY, partition)
    receipts = delivery.arrived()
    return tuple(receipts[it].offset() or 0 for it in range(options.topics.partitions))
