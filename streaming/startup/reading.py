"""Reading what is published, to its end or on and on.

``assignments`` and ``groups`` are compacted: read from the beginning, they say what was said last
under each key. A start reads them once (``reminder``). A standby follows them for days. Kafka
removes the tombstone of a member that is gone after a day: who has not seen the end of a partition
for half of that begins anew, or it would take that member for present.

Kept by ``reminder`` and ``standby``. Its one rule: what Kafka says of itself is not what it says of
groups.
"""

import time
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

from streaming.feeds.clients import RENEWED_S, discard, making, successor
from streaming.feeds.feed import PROMPT, logger, reader_config, taken
from streaming.options import Options
from streaming.process.trouble import Trouble
from streaming.startup.published import PublishedState
from streaming.topics import START_ANEW
from trimtab.protocol import (
    ASSIGNMENTS,
    GROUPS,
    Topic,
    UndecodableRecord,
    partition_of,
    read_group_key,
    read_member_key,
)

NAME: Final = "reminder"
_AT_ONCE: Final = 1_000
"""Messages taken at a time."""
_FIRST: Final = 0
"""Where a partition begins, or Kafka says where. To ask first costs librdkafka half a second: it
tries again by then, because it does not know yet whom to ask."""
_LISTEN_S: Final = 0.5
"""How long it listens at a time, and so how soon it notices that it should stop."""
_PATIENCE_S: Final = 60.0
"""So long Kafka may say nothing, or take nothing, before that is an error."""
now_s: Final = time.time
"""It goes on while the machine sleeps. If it is set on, all is read once more."""
_FRESH_S: Final = 43_200.0
"""For so long what was read may be continued: half as long as ``delete.retention.ms``."""
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
    return Trouble(logger(NAME), "read what is published")


class Reading:
    """One pass over what is published."""

    def __init__(
        self,
        options: Options,
        board: PublishedState,
        topics: Sequence[Topic[Any]],
        trouble: Trouble,
    ) -> None:
        self._log = logger(NAME)
        self._trouble, self._making = trouble, making(trouble)
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
        self._fresh = dict.fromkeys(self._left, now_s())
        """When the end of each partition was last seen; as if so at the beginning."""
        self._config = {
            **reader_config(options, NAME, self._trouble),
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
        if (made := successor(Consumer, self._config, self._making)) is not None:
            self._consumer = made
            discard(held)
        self._consumer.assign(self._places)

    def close(self) -> None:
        """Read no more."""
        self._consumer.close()

    def _note_places(self) -> None:
        """Note where to read on; of what a client has read nothing of, that was noted before."""
        if not self._may_go_on_from(min(self._fresh.values())):
            self._forget()
            return
        at = self._consumer.position(self._places)
        for place, found in zip(self._places, at, strict=True):
            place.offset = max(found.offset, place.offset)

    @staticmethod
    def _may_go_on_from(seen: float) -> bool:
        return now_s() - seen <= _FRESH_S

    def _forget(self) -> None:
        """Begin anew."""
        self._board.forget()
        self._misplaced.clear()
        self._fresh = dict.fromkeys(self._fresh, now_s())
        for place in self._places:
            place.offset = _FIRST

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
            if self._may_go_on_from(self._fresh[partition]):  # or it slept, and reads no tombstone
                self._fresh[partition] = now_s()
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


class Following:
    """What is published, followed by a standby, so that little is left to read when it counts.

    Its client is made anew each minute: where nobody writes, nothing shows whether it still reads
    (fault H15). Its methods raise as ``remind`` does.
    """

    def __init__(self, options: Options) -> None:
        self.board = PublishedState("")
        self.reading = Reading(options, self.board, (ASSIGNMENTS, GROUPS), reading_trouble())
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
