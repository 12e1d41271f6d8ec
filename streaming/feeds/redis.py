"""The Redis writer: follows `assignments` and writes them to Redis as well.

It reads what is published like any member, so neither the query nor Kafka's topics wait for it.
While Redis is slow or away, the newest record of each member waits here, up to a limit; beyond it
the oldest are dropped, counted and told. Everything is read again after such a loss, and from time
to time, because hashes expire and a Redis may forget. A key that holds something of somebody else
is passed over until then, counted and told as well: no other member waits for it.

Run by ``start``, if a Redis is set. Its one rule: nobody waits for Redis but this thread.
"""

import time
from collections.abc import Mapping
from threading import Event
from typing import Final
from urllib.parse import urlsplit

import redis
from confluent_kafka import OFFSET_BEGINNING, KafkaError, Message, TopicPartition

from sinks.contract import Outlet
from sinks.redis import FORWARD, Entry, entry_of
from streaming.feeds.clients import FeedConsumer
from streaming.feeds.feed import PROMPT, logger, reader_config
from streaming.metrics.catalogue import Metrics
from streaming.options import Options, RedisOptions
from streaming.process.trouble import Trouble
from trimtab.protocol import ASSIGNMENTS, UndecodableRecord, decode

_LISTEN_S: Final = 0.1
_AT_ONCE: Final = 1_000
"""Messages read at a time."""
_WRITTEN_AT_ONCE: Final = 200
"""Entries sent to Redis at a time: so few that a slow one answers within its patience."""
MOST_WAITING: Final = 10_000
"""Members whose records wait for Redis: some megabytes."""
_PATIENCE_S: Final = 2.0
"""How long Redis may take to answer."""
_PAUSE_S: Final = 1.0
"""Between two tries."""
_RENEWALS: Final = 3
"""So often everything is written again before it would expire."""
_OF_ITS_KEY: Final = ("WRONGTYPE", "attempt to compare")
"""What Redis says of a key that is no hash, or another's: our script does not find what it knows.
All else it may say of every key: that it is full, a replica, or that we may not write."""


def is_understood(url: str) -> bool:
    """Tell whether Redis' client can read this: the port, the options. It does not connect.

    It takes any name for a host until it asks for that, and any word for database 0.
    """
    try:
        redis.ConnectionPool.from_url(url).make_connection()
        asked = urlsplit(url)
        (asked.hostname or "").encode("idna")
    except (ValueError, TypeError, redis.RedisError):
        return False
    database = asked.path.strip("/")
    return asked.scheme == "unix" or not database or database.isdecimal()


class RedisWriter:
    """Writes until it is told to stop.

    Args:
        options: Where Kafka is.
        chosen: Where Redis is.
        metrics: Where it counts.
    """

    name = "redis"

    def __init__(self, options: Options, chosen: RedisOptions, metrics: Metrics) -> None:
        self._options, self._chosen, self._metrics = options, chosen, metrics
        self._outlet = Outlet(options.topics.prefix, options.topics.partitions)
        self._log = logger(self.name)
        self._reading = Trouble(self._log, "read assignments for Redis")
        self._writing = Trouble(self._log, "write to Redis")
        self._passing = Trouble(self._log, "write to a key of Redis that holds something else")
        self._client = redis.Redis.from_url(
            chosen.url, socket_timeout=_PATIENCE_S, socket_connect_timeout=_PATIENCE_S
        )
        self._forward = self._client.register_script(FORWARD)
        self._waiting: dict[bytes, Entry] = {}
        """The newest of each member, the one that waits longest first."""
        self._dropped = 0
        """Since Redis worked last."""
        self._foreign: set[bytes] = set()
        """Keys that hold something else."""

    def run(self, stop: Event) -> None:
        """Read and write; begin anew before anything expires, and after a loss."""
        consumer, interval_s = self._consumer(), self._chosen.expire_ms / 1_000 / _RENEWALS
        try:
            while not stop.is_set():
                self._follow(consumer, stop, time.monotonic() + interval_s)
                consumer.begin_anew()
        finally:
            consumer.close()
            self._client.close()

    def _consumer(self) -> FeedConsumer:
        config = reader_config(self._options, self.name, self._reading)
        topic = self._outlet.topic(ASSIGNMENTS)
        partitions = range(self._options.topics.partitions)
        places = [TopicPartition(topic, it, OFFSET_BEGINNING) for it in partitions]
        # Where the topic is made anew, or cut: not its end, which would skip some.
        config = {**config, **PROMPT, "auto.offset.reset": "earliest"}
        return FeedConsumer(config, self._reading, places)

    def _follow(self, consumer: FeedConsumer, stop: Event, until: float) -> None:
        """Follow from the first record on, until everything is to be written again."""
        while not stop.is_set() and time.monotonic() < until:
            self._listen(consumer)
            if self._waiting and not self.write(stop):
                stop.wait(_PAUSE_S)
            elif self.has_lost():
                return

    def _listen(self, consumer: FeedConsumer) -> None:
        """Take what there is; wait only for the first message."""
        wait_s = _LISTEN_S
        for _ in range(_AT_ONCE):
            if (message := consumer.poll(wait_s)) is None:
                return
            self.take(message)
            wait_s = 0.0

    def has_lost(self) -> bool:
        """Tell whether something was dropped, and Redis takes records again; say so once."""
        dropped, self._dropped = self._dropped, 0
        if dropped:
            reason = "Redis was away and records were dropped; reading everything again"
            self._log.warning(reason, records=dropped)
        return dropped > 0

    def take(self, message: Message) -> None:
        """Keep a record until Redis takes it."""
        error = message.error()
        if error is not None and error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - its name
            return
        if error is not None:
            self._reading.met(error)
            return
        self._reading.over()
        key, value = message.key() or b"", message.value()
        try:
            record = None if value is None else decode(ASSIGNMENTS, value)
        except UndecodableRecord:
            return  # whoever starts next says so
        entry = entry_of(self._outlet, key, message.offset() or 0, value, record)
        self._waiting.pop(entry.key, None)
        self._waiting[entry.key] = entry
        if len(self._waiting) > MOST_WAITING:
            del self._waiting[next(iter(self._waiting))]
            self._dropped += 1
            self._count("dropped", 1)

    def write(self, stop: Event) -> bool:
        """Write what waits, unless told to stop meanwhile; tell whether Redis took it."""
        while self._waiting and not stop.is_set():
            entries = list(self._waiting.values())[:_WRITTEN_AT_ONCE]
            try:
                changed = self._sent(entries)
            except redis.RedisError as error:
                self._writing.met(error)
                # Its name may mean another server by now, while this one answers that it is none.
                self._client.connection_pool.disconnect()
                return False
            self._writing.over()
            for entry in entries:
                del self._waiting[entry.key]
            self._count("written", sum(changed))
            self._count("known", len(changed) - sum(changed))
            self._count("dropped", len(entries) - len(changed))
        return True

    def _sent(self, entries: list[Entry]) -> list[int]:
        """Send entries; return of each that Redis has whether it changed anything."""
        with self._client.pipeline(transaction=False) as pipeline:
            for entry in entries:
                given = entry.arguments(self._chosen.expire_ms)
                self._forward(keys=[entry.key], args=given, client=pipeline)
            answers = pipeline.execute(raise_on_error=False)
        said = {entry.key: answer for entry, answer in zip(entries, answers, strict=True)}
        refused = {key: it for key, it in said.items() if isinstance(it, redis.ResponseError)}
        for error in refused.values():
            said_of_it = str(error).rpartition("caused error: ")[2]  # before that stands our key
            if not any(words in said_of_it for words in _OF_ITS_KEY):
                raise error
        self._pass_over(refused, set(said) - refused.keys())
        return [int(answer) for key, answer in said.items() if key not in refused]

    def _pass_over(self, refused: Mapping[bytes, redis.ResponseError], taken: set[bytes]) -> None:
        """Say of which keys Redis refuses ours; they come again with the next reading."""
        for key, error in refused.items():
            self._passing.met(f"{key.decode(errors='replace')}: {error}")
        had, self._foreign = len(self._foreign), (self._foreign - taken) | refused.keys()
        if had and not self._foreign:
            self._passing.over()

    def _count(self, result: str, records: int) -> None:
        with self._metrics.lock:
            self._metrics.redis.add(records, result)
