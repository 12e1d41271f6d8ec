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

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from threading import Event
from typing import Any, Final

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)

from streaming.feeds.clients import RENEWED_S, discard
from streaming.feeds.feed import PROMPT, logger, reader_config, taken
from streaming.options import Options
from streaming.process.trouble import Trouble
from streaming.startup.delivery import StartWriter
from streaming.startup.published import PublishedState
from streaming.topics import START_ANEW
from streaming.wire.slots import CellKey, slot_of
from trimtab.protocol import (
    ASSIGNMENTS,
    GROUPS,
    Topic,
    UndecodableRecord,
    partition_of,
    read_group_key,
    read_member_key,
)

_NAME: Final = "reminder"
_AT_ONCE: Final = 1_000
"""Messages taken at a time."""
_FIRST: Final = 0
"""Where a partition begins, or Kafka says where. To ask first costs librdkafka half a second: it
tries again by then, because it does not know yet whom to ask."""
_LISTEN_S: Final = 0.5
"""How long it listens at a time, and so how soon it notices that it should stop."""
_PATIENCE_S: Final = 60.0
"""So long Kafka may say nothing, or take nothing, before that is an error."""
_REPORT_S: Final = 5.0
"""How often it says how far it is."""

_GROUPS_OF: Final[Mapping[str, Callable[[bytes | None], str]]] = {
    ASSIGNMENTS.name: lambda key: read_member_key(key).group,
    GROUPS.name: read_group_key,
}


class NotReminded(Exception):  # noqa: N818 - it names what happened
    """What is published could not be read."""

    passes = True
    """Whether it is worth another try."""


class Misplaced(NotReminded):
    """What is published is not where it belongs."""

    passes = False


def reading_trouble() -> Trouble:
    """Return the ``Trouble`` of reading: one for all tries, so that a failure is logged once."""
    return Trouble(logger(_NAME), "read what is published")


def locate(options: Options, stop: Event) -> None:
    """See that groups are where they belong, before an earlier controller is replaced.

    Raises:
        NotReminded: Kafka did not say what is published.
        Misplaced: Topics have been given more partitions since.
    """
    _Reading(options, PublishedState(""), (GROUPS,), reading_trouble()).run(stop)


class Following:
    """What is published, followed by a standby, so that little is left to read when it counts.

    Its client is made anew each minute: where nobody writes, nothing shows whether it still reads
    (fault H15). Its methods raise as ``remind`` does.
    """

    def __init__(self, options: Options) -> None:
        self.board = PublishedState("")
        self.reading = _Reading(options, self.board, (ASSIGNMENTS, GROUPS), reading_trouble())
        self._renewed = time.monotonic()

    def go_on(self) -> None:
        """Take what is there."""
        self.reading.take(0)
        if time.monotonic() - self._renewed > RENEWED_S:
            self._renewed = time.monotonic()
            self.reading.renew()

    def close(self) -> None:
        """Follow no more."""
        self.reading.close()


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
        _Reading(options, board, (ASSIGNMENTS, GROUPS), trouble).run(stop)
    else:
        board = following.board
        board.start = start
        following.reading.go_on()
        following.reading.run(stop)
    return Counter() if stop.is_set() else _tell(options, board, writer)


class _Reading:
    """One pass over what is published."""

    def __init__(
        self,
        options: Options,
        board: PublishedState,
        topics: Sequence[Topic[Any]],
        trouble: Trouble,
    ) -> None:
        self._log = logger(_NAME)
        self._trouble = trouble
        self._board, self._read = board, 0
        self._failure: KafkaException | None = None
        """What Kafka said last instead."""
        self._partitions = options.topics.partitions
        self._misplaced: dict[tuple[str, bytes | None], str] = {}
        self._prefix = prefix = options.topics.prefix
        self._takers = {
            f"{prefix}{ASSIGNMENTS.name}": board.assignment,
            f"{prefix}{GROUPS.name}": board.summary,
        }
        self._places = [
            TopicPartition(f"{prefix}{topic.name}", partition, _FIRST)
            for topic in topics
            for partition in range(options.topics.partitions)
        ]
        self._left = {(it.topic, it.partition) for it in self._places}
        self._config = {
            **reader_config(options, _NAME, self._trouble),
            **PROMPT,
            "auto.offset.reset": "earliest",
            "enable.partition.eof": True,
        }
        self._consumer = Consumer(self._config)
        self._consumer.assign(self._places)

    def run(self, stop: Event) -> None:
        """Read each partition to its end: nothing is written there before the query runs."""
        heard = reported = time.monotonic()
        try:
            while self._left and not stop.is_set():
                has_heard, now = self.take(_LISTEN_S), time.monotonic()
                if has_heard:
                    heard = now
                elif now - heard > _PATIENCE_S:
                    reason = f"Kafka did not say what is published in {_PATIENCE_S:g} s"
                    raise NotReminded(reason) from self._failure
                if now - reported > _REPORT_S:
                    reported = now
                    self._log.info("reading what is published", records=self._read)
        finally:
            self.close()
        for misplaced in self._misplaced.values():
            raise Misplaced(misplaced)

    def take(self, patience_s: float) -> bool:
        """Take what is there, or comes soon; tell whether that says anything."""
        return sum(map(self._hear, taken(self._consumer, patience_s, _AT_ONCE))) > 0

    def go_on(self) -> None:
        """Look for the ends anew, from where it is."""
        self._note_places()
        self._left = {(it.topic, it.partition) for it in self._places}
        self._consumer.assign(self._places)

    def renew(self) -> None:
        """Read on with another client, from where it is."""
        self._note_places()
        held: list[object] = [self._consumer]
        self._consumer = Consumer(self._config)
        discard(held)
        self._consumer.assign(self._places)

    def close(self) -> None:
        """Read no more."""
        self._consumer.close()

    def _note_places(self) -> None:
        """Note where it is; of what a client has read nothing of, that was noted before."""
        at = self._consumer.position(self._places)
        for place, found in zip(self._places, at, strict=True):
            place.offset = max(found.offset, place.offset)

    def _hear(self, message: Message) -> bool:
        """Take a message; tell whether it says anything of what is published."""
        error = message.error()
        if error is None:
            self._trouble.over()
            self._take(message)
            return True
        if error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - librdkafka's own name
            partition = (str(message.topic()), message.partition() or 0)
            is_news = partition in self._left
            self._left.discard(partition)
            return is_news
        self._failure = KafkaException(error)
        self._trouble.met(error)
        return False

    def _take(self, message: Message) -> None:
        self._read += 1
        try:
            self._takers[str(message.topic())](message.key(), message.value())
            self._locate(message)
        except UndecodableRecord as error:
            self._log.warning(
                "unreadable",
                topic=message.topic(),
                partition=message.partition(),
                offset=message.offset(),
                reason=str(error),
            )

    def _locate(self, message: Message) -> None:
        """Note what stands in another partition than its group: members follow the one it is in."""
        topic, key, partition = str(message.topic()), message.key(), message.partition()
        group = _GROUPS_OF[topic.removeprefix(self._prefix)](key)
        belongs = partition_of(group, self._partitions)
        if partition == belongs:
            return
        if message.value() is None:
            self._misplaced.pop((topic, key), None)
            return
        self._misplaced[topic, key] = (
            f"group {group} is published in partition {partition} of {topic}, but with "
            f"{self._partitions} partitions it belongs in {belongs}, where its members do not "
            f"look: topics cannot get more partitions while groups use them; {START_ANEW}"
        )


def _tell(options: Options, board: PublishedState, writer: StartWriter) -> Counter[CellKey]:
    log, told = logger(_NAME), Counter[CellKey]()
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
