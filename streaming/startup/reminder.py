"""The reminder: before the query starts, it writes into the log what is published.

The checkpoint may be gone or old (faults A6, A7), and nothing here can see that. So at every start
``assignments`` and ``groups``, both compacted, are read to their ends, and what they say is
appended to ``routes``. The brain ignores it unless it is news (``adoption``). It goes through the
log, because a batch that is repeated must find the same records (A1).

All of one start is in Kafka before the query starts, between two ``told`` of the driver
(``opening``): nothing is decided before all of it has been read (``gate``).

Called by ``start``, before the query. Its one rule: all is written, or the
controller does not start.
"""

from collections import Counter
from threading import Event

from streaming.feeds.feed import logger
from streaming.options import Options
from streaming.process.trouble import Trouble
from streaming.startup.delivery import StartWriter
from streaming.startup.published import PublishedState
from streaming.startup.reading import NAME, Following, Reading, reading_trouble
from streaming.wire.slots import CellKey, slot_of
from trimtab.protocol import ASSIGNMENTS, GROUPS, partition_of


def locate(options: Options, stop: Event) -> None:
    """See that groups are where they belong, before an earlier controller is replaced.

    Raises:
        NotReminded: Kafka did not say what is published.
        Misplaced: Topics have been given more partitions since.
    """
    Reading(options, PublishedState(""), (GROUPS,), reading_trouble()).run(stop)


def remind(
    options: Options,
    start: str,
    writer: StartWriter,
    stop: Event,
    trouble: Trouble,
    following: Following | None = None,
) -> Counter[CellKey]:
    """Tell the controller what it has published, unless it is told to stop meanwhile; count it.

    Args:
        options: Which controller.
        start: Which start of it.
        writer: What it writes with.
        stop: When to stop.
        trouble: Who hears of failures.
        following: Who has read it until now; no longer needed afterwards.

    Raises:
        NotReminded: Kafka did not say what is published.
        Misplaced: Topics have been given more partitions since.
        Undelivered: Kafka did not take it back.
    """
    if following is None:
        board = PublishedState(start)
        Reading(options, board, (ASSIGNMENTS, GROUPS), trouble).run(stop)
    else:
        board = following.board
        board.start = start
        following.reading.go_on()
        following.reading.run(stop)
    return Counter() if stop.is_set() else _tell(options, board, writer)


def _tell(options: Options, board: PublishedState, writer: StartWriter) -> Counter[CellKey]:
    log, told = logger(NAME), Counter[CellKey]()
    delivery = writer.delivery("telling the controller what is published")
    for found in board.found():
        key, partition = (
            found.group.encode(),
            partition_of(found.group, options.topics.partitions),
        )
        delivery.send(found.record, key, partition)
        told[partition, slot_of(key, options.query.cells_per_partition)] += 1
    delivery.arrived()
    if board.skipped:
        log.warning("skipped records that trimtab did not write", records=board.skipped)
    if told:
        done = "wrote all published assignments into the log for this start"
        log.info(done, records=told.total())
    return told
