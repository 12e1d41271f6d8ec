"""The commits of a group, read from Kafka's own log of them: each one, in order.

To ask now and then what is committed would miss what is set back and forth in between. The records
of `__consumer_offsets` are Kafka's (OffsetCommitKey and OffsetCommitValue); trimtab says the token
in their metadata.
"""

import re
import struct
import time
from pathlib import Path
from typing import Final, NamedTuple

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)

from chaos.commit_checks import NOTHING
from chaos.history import Event, Recorder
from trimtab.transports.confluent_discarding import discard

_TOPIC: Final = "__consumer_offsets"
_COMMITS: Final = (0, 1)
"""The versions of keys that are commits; others are of groups."""
_VALUES: Final = {3: 16, 4: 15}
"""Where the metadata stands in a value, by its version: after a length of two bytes, or of one."""
_SAID: Final = re.compile(rb"trimtab:(\d+)")
_UNTOLD: Final = -1
_ASK_S: Final = 2.0
_SOON_S: Final = 5.0
_WAIT_S: Final = 0.1
_RENEW_S: Final = 10.0
"""A client of which nothing came for so long may never read again (fault H15)."""


class Commits:
    """Follows the commits of one group."""

    def __init__(self, servers: str, group: str, home: Path) -> None:
        self._settings = {
            "bootstrap.servers": servers,
            "group.id": "chaos",
            "log_level": 0,
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "isolation.level": "read_uncommitted",  # a transaction of others is not waited for
        }
        self._consumer = Consumer(self._settings)
        self._group = group
        self._record = Recorder(home / "commits.events", "kafka")
        self._last_at = 0
        self._places: dict[int, int] = {}
        """Where to read on, by partition; empty: they are not known yet."""
        self._came_at = time.monotonic()
        self.latest: dict[int, int] = {}
        """What is committed of each queue, as far as it was read."""

    def catch_up(self) -> None:
        """Read to where the log ends when this begins; members go on committing meanwhile.

        Raises:
            KafkaException: It was not read in time. Asked again, it is read on.
        """
        over_at = time.monotonic() + _SOON_S
        if time.monotonic() - self._came_at > _RENEW_S:
            self._renew()
        ends = self._ends()
        while any(self._places[it] < end for it, end in ends.items()):
            if time.monotonic() > over_at:
                raise KafkaException(KafkaError(KafkaError._TIMED_OUT))  # noqa: SLF001 - its public name
            for it in self._consumer.consume(500, _WAIT_S):
                self._came_at = time.monotonic()
                self._take(it)
        self._came_at = time.monotonic()

    def close(self) -> None:
        """Read nothing more."""
        self._consumer.close()
        self._record.close()

    def _ends(self) -> dict[int, int]:
        if not self._places:
            topic = self._consumer.list_topics(_TOPIC, _ASK_S).topics[_TOPIC]
            self._places = dict.fromkeys(topic.partitions, OFFSET_BEGINNING)
            self._follow()
        places = {it: TopicPartition(_TOPIC, it) for it in self._places}
        ask = self._consumer.get_watermark_offsets
        return {it: ask(place, _ASK_S)[1] for it, place in places.items()}

    def _renew(self) -> None:
        held: list[object] = [self._consumer]
        self._consumer = Consumer(self._settings)
        discard(held)
        self._follow()
        self._came_at = time.monotonic()

    def _follow(self) -> None:
        self._consumer.assign([TopicPartition(_TOPIC, *it) for it in self._places.items()])

    def _take(self, message: Message) -> None:
        key, value, partition = message.key(), message.value(), message.partition()
        error, offset = message.error(), message.offset() or 0
        if partition is None:
            return
        if error is not None and error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - its public name
            self._places[partition] = offset
        elif error is None:
            self._places[partition] = offset + 1
            if key is not None:
                told = None if value is None else bytes(value)
                self._read(bytes(key), told, message.timestamp()[1])

    def _read(self, key: bytes, value: bytes | None, wall_ms: int) -> None:
        commit = parsed(key, value)
        if commit is None or commit.group != self._group:
            return
        queue, token, offset = commit.queue, commit.token, commit.offset
        self.latest[queue] = offset
        self._last_at = max(self._last_at + 1, wall_ms * 1_000_000 - _AHEAD_NS)
        self._record.write([Event(self._last_at, "kafka", "committed", queue, token, offset)])


class Commit(NamedTuple):
    """What a record says."""

    group: str
    queue: int
    token: int
    offset: int


def parsed(key: bytes, value: bytes | None) -> Commit | None:
    """Read a record; None if it is not a commit. Without a value it deletes one."""
    if struct.unpack_from(">h", key)[0] not in _COMMITS:
        return None
    group, at = _text(key, 2)
    _, at = _text(key, at)
    (queue,) = struct.unpack_from(">i", key, at)
    if value is None:
        return Commit(group, queue, _UNTOLD, NOTHING)
    version, offset, _ = struct.unpack_from(">hqi", value)
    assert version in _VALUES, f"unknown version of a commit: {version}"
    said = _SAID.match(value, _VALUES[version])
    token = int(said[1]) if said else _UNTOLD
    return Commit(group, queue, token, offset)


def _text(data: bytes, at: int) -> tuple[str, int]:
    """Read a string and where the rest begins."""
    (length,) = struct.unpack_from(">h", data, at)
    return data[at + 2 : at + 2 + length].decode(), at + 2 + length


_AHEAD_NS: Final = time.time_ns() - time.monotonic_ns()
"""Kafka stamps with the time of day; the history has another clock."""
