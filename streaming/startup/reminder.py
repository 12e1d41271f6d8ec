"""The reminder: before the query starts, it writes into the log what is published.

The checkpoint may be gone or old (faults A6, A7), and nothing here can see that. So at every start
``assignments`` and ``groups``, both compacted, are read to their ends, and what they say is
appended to ``routes``. The brain ignores it unless it is news (``adoption``). It goes through the
log, because a batch that is repeated must find the same records (A1).

All of one start is in Kafka before the query starts, between two ``told`` of the driver
(``opening``): nothing is decided before all of it has been read (``gate``).

Called by ``application``, before it starts the query. Its one rule: all is written, or the
controller does not start.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from threading import Event
from typing import Any, Final

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)

from streaming.feeds.feed import logger, reader_config
from streaming.options import Options
from streaming.process.trouble import Trouble
from streaming.startup.delivery import Delivery
from streaming.startup.published import PublishedState
from streaming.wire.slots import Place, slot_of
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


def reading() -> Trouble:
    """Return the ``Trouble`` of reading: one for all tries, so that a failure is logged once."""
    return Trouble(logger(_NAME), "reading of what is published")


def locate(options: Options, stop: Event) -> None:
    """See that groups are where they belong, before an earlier controller is replaced.

    Raises:
        NotReminded: Kafka did not say what is published.
        Misplaced: Topics have been given more partitions since.
    """
    _Reading(options, PublishedState(""), (GROUPS,), reading()).run(stop)


def remind(options: Options, start: str, stop: Event, trouble: Trouble) -> Counter[Place]:
    """Tell the controller what it has published, unless it is told to stop meanwhile; count it.

    Raises:
        NotReminded: Kafka did not say what is published.
        Misplaced: Topics have been given more partitions since.
        Undelivered: Kafka did not take it back.
    """
    board = PublishedState(start)
    _Reading(options, board, (ASSIGNMENTS, GROUPS), trouble).run(stop)
    return Counter() if stop.is_set() else _tell(options, board)


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
        self._left = {
            (f"{prefix}{topic.name}", partition)
            for topic in topics
            for partition in range(options.topics.partitions)
        }
        self._consumer = Consumer(
            {
                **reader_config(options, _NAME, self._trouble),
                "enable.partition.eof": True,
            }
        )

    def run(self, stop: Event) -> None:
        """Read each partition to its end: nothing is written there before the query runs."""
        self._consumer.assign([TopicPartition(*it, OFFSET_BEGINNING) for it in self._left])
        heard = reported = time.monotonic()
        try:
            while self._left and not stop.is_set():
                messages = self._consumer.consume(_AT_ONCE, _LISTEN_S)
                now = time.monotonic()
                if sum(map(self._hear, messages)):
                    heard = now
                elif now - heard > _PATIENCE_S:
                    reason = f"Kafka did not say what is published in {_PATIENCE_S:g} s"
                    raise NotReminded(reason) from self._failure
                if now - reported > _REPORT_S:
                    reported = now
                    self._log.info("reading what is published", records=self._read)
        finally:
            self._consumer.close()
        for misplaced in self._misplaced.values():
            raise Misplaced(misplaced)

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
            "look: topics cannot get more partitions while groups use them; stop all members and "
            "start again under another topics.prefix"
        )


def _tell(options: Options, board: PublishedState) -> Counter[Place]:
    log, told = logger(_NAME), Counter[Place]()
    delivery = Delivery(options, _NAME, "telling the controller what is published", _PATIENCE_S)
    for found in board.found():
        key, partition = (
            found.group.encode(),
            partition_of(found.group, options.topics.partitions),
        )
        delivery.send(found.record, key, partition)
        told[partition, slot_of(key, options.query.cells_per_partition)] += 1
    delivery.arrived()
    if board.skipped:
        log.warning("skipped records that no controller can have published", records=board.skipped)
    if told:
        log.info("gave the controller what is published", records=told.total())
    return told
