"""The route watcher: tells each group which queues the topics that it asks for have.

It listens to joins, which say at once that a group wants a topic, and to the groups' summaries,
which say what each brain knows. The summaries are compacted, so a watcher that starts reads them
all and has forgotten nothing. It looks at the ``sources`` every second, and at once for a topic
that is new to it; for groups that ask by pattern it lists all topics each time. ``route_plan``
works out what must be told to which group.

Run by ``start``. Its one rule: it decides nothing; a route is a fact for the log.
"""

import time
from collections import Counter
from threading import Event
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, KafkaError, Message, TopicPartition

from rebalance.ids import TopicName
from streaming.feeds.clients import FeedConsumer, FeedProducer
from streaming.feeds.feed import client_config, logger, reader_config
from streaming.feeds.kafka_racks import Racks
from streaming.feeds.metadata import Metadata
from streaming.feeds.pace_plan import PacePlan
from streaming.feeds.route_plan import Announcement, RoutePlan
from streaming.feeds.sources import Sources
from streaming.metrics.group_gauges import GroupGauges
from streaming.options import Options
from streaming.process.trouble import Trouble
from streaming.topics import names
from trimtab.protocol import (
    GROUPS,
    MEMBERS,
    ROUTES,
    TOPICS,
    Join,
    Route,
    Topic,
    UndecodableRecord,
    decode,
    encode,
    partition_of,
    read_group_key,
)

_LISTEN_S = 0.2
"""How long it listens at a time, and so how soon it notices that it should stop."""
_AT_ONCE = 1_000
"""Messages that are heard before anything is said about them."""
_NAMED = 20
"""Routes that the log names of those that one group is told at a time; it counts the others."""


class RouteWatcher:
    """Watches routes until it is told to stop."""

    name = "routes"

    def __init__(self, options: Options, gauges: GroupGauges, paces: PacePlan) -> None:
        self._options, self._gauges, self._paces = options, gauges, paces
        self._log = logger(self.name)
        self._reading = Trouble(self._log, "read joins and summaries")
        self._writing = Trouble(self._log, "write routes")
        self._sources = Sources(options.feeds, self._log)
        self._plan = RoutePlan()
        self._unread = set[int | None](range(options.topics.partitions))
        """Partitions of summaries that have not been read to their end yet."""
        self._own = frozenset(map(TopicName, names(options.topics.prefix, tuple(TOPICS.values()))))

    def run(self, stop: Event) -> None:
        """Watch: listen, look, tell."""
        consumer, producer = self._consumer(), self._producer()
        metadata = self._metadata()
        interval = self._options.feeds.route_poll_interval_ms / 1000
        next_look = time.monotonic()
        while not stop.is_set():
            heard = self._listen(consumer)
            producer.poll()  # what Kafka did not take is said again
            new, now = self._plan.unseen(), time.monotonic()
            if now >= next_look or self._plan.unlisted():
                self._list(metadata)
                self._look(metadata, self._plan.wanted())
                next_look = now + interval
            elif new:
                self._look(metadata, new)
            elif not heard:
                continue
            self._tell_all(producer)
            self._warn()
        producer.flush(_LISTEN_S)
        consumer.close()
        self._sources.close()

    def _producer(self) -> FeedProducer:
        config = client_config(self._options, self.name, self._writing)
        return FeedProducer(config, self._writing)

    def _metadata(self) -> Metadata:
        trouble = Trouble(self._log, "read topic metadata")
        racks = Racks() if self._options.feeds.racks else None
        return Metadata(client_config(self._options, self.name, trouble), trouble, racks)

    def _consumer(self) -> FeedConsumer:
        config = reader_config(self._options, self.name, self._reading)
        places = [
            TopicPartition(self._name(topic), partition, offset)
            for topic, offset in ((GROUPS, OFFSET_BEGINNING), (MEMBERS, OFFSET_END))
            for partition in range(self._options.topics.partitions)
        ]
        config |= {"auto.offset.reset": "earliest"}
        return FeedConsumer(config, self._reading, places)

    def _listen(self, consumer: FeedConsumer) -> bool:
        """Hear what there is, and say whether there was anything."""
        heard, wait = 0, _LISTEN_S
        while heard < _AT_ONCE and (message := consumer.poll(wait)) is not None:
            self._hear(message)
            heard, wait = heard + 1, 0.0
        return heard > 0

    def _hear(self, message: Message) -> None:
        error = message.error()
        if error is not None and error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - its name
            self._note_end(message)
            return
        if error is not None:
            self._reading.met(error)
            return
        self._reading.over()
        try:
            group = read_group_key(message.key())
            if message.topic() == self._name(MEMBERS):
                if message.partition() == partition_of(group, self._options.topics.partitions):
                    self._hear_member(group, message.value())  # or else the cell refuses it
            else:
                self._hear_summary(group, message.value())
        except UndecodableRecord:
            # The cell reads the same record and buries it with its reason.
            self._log.debug("unreadable", topic=message.topic(), offset=message.offset())

    def _note_end(self, message: Message) -> None:
        """Note that a partition has been read; after all summaries it is known who is there."""
        if message.topic() == self._name(GROUPS):
            self._unread.discard(message.partition())
            if not self._unread:
                self._paces.know_all()

    def _hear_member(self, group: str, value: bytes | None) -> None:
        record = decode(MEMBERS, value)
        if isinstance(record, Join):
            patterns = record.patterns or ()
            self._plan.joined(group, record.topics, time.monotonic(), patterns)

    def _hear_summary(self, group: str, value: bytes | None) -> None:
        if value is None:  # only a person can write that
            self._gauges.gone(group)
            self._paces.gone(group)
            return
        summary = decode(GROUPS, value)
        self._gauges.note(summary)
        self._paces.note(summary)
        self._plan.summarised(
            group,
            summary.topics,
            members=summary.members,
            now=time.monotonic(),
            patterns=summary.patterns or (),
            cut=summary.more_topics is not None,
        )

    def _list(self, metadata: Metadata) -> None:
        """Find out which topics patterns may stand for: all but our own."""
        if self._plan.asks_by_pattern() and (found := metadata.names()) is not None:
            written = frozenset(map(TopicName, self._sources.written()))
            self._plan.listed((found - self._own) | written)

    def _look(self, metadata: Metadata, topics: set[str]) -> None:
        """Find out what topics are like."""
        self._plan.looked_up(topics)
        for topic, seen in self._sources.look(metadata, topics, self._plan.seen).items():
            self._plan.saw(topic, seen)

    def _warn(self) -> None:
        """Say who keeps queues that no source of ours knows."""
        for group, topic in self._plan.disputes() if self._sources.are_known else ():
            self._log.warning(
                "a topic is not in Kafka, but the group has queues of it. The queues stay. "
                "Were routes.name_servers or routes.file set before?",
                group=group,
                topic=topic,
            )

    def _tell_all(self, producer: FeedProducer) -> None:
        """Tell groups what is due, and the log about it: whoever joins may ask for very many."""
        told = Counter[str]()
        for announcement in self._plan.due(time.monotonic()):
            if self._tell(producer, announcement):
                told[announcement.group] += 1
                if told[announcement.group] <= _NAMED:
                    self._note(*announcement)
        for group, count in told.items():
            if count > _NAMED:
                self._log.info("announced more routes", group=group, more=count - _NAMED)

    def _tell(self, producer: FeedProducer, announcement: Announcement) -> bool:
        """Tell a group a route; return whether Kafka's client took it."""
        group, route = announcement
        partition = partition_of(group, self._options.topics.partitions)

        def heard(error: KafkaError | None, _message: Message) -> None:
            if error is not None:
                self._plan.lost(announcement, time.monotonic())

        taken = producer.write(self._name(ROUTES), encode(route), group.encode(), partition, heard)
        if not taken:
            self._plan.lost(announcement, time.monotonic())
        return taken

    def _note(self, group: str, route: Route) -> None:
        self._log.info(
            "announced a route",
            group=group,
            topic=route.topic,
            version=route.version,
            queues=sum(run.length for run in route.runs) if route.exists else None,
        )

    def _name(self, topic: Topic[Any]) -> str:
        return f"{self._options.topics.prefix}{topic.name}"
