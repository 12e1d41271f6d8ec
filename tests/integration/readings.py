"""A consumer whose grants are given and taken by hand, and topics for it to read."""

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from typing import Any, Final, cast

from confluent_kafka import (
    Consumer,
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient

from tests.builders.application import until
from tests.integration.topics import create_topic
from trimtab import Grant, QueueRef
from trimtab.callbacks import Ownership
from trimtab.clock import now_s
from trimtab.consuming.assembly import Parts, assemble
from trimtab.consuming.choice import ConsumerOptions, Told, read_options
from trimtab.consuming.taking import Taking
from trimtab.session import Profile
from trimtab.transports import Client as Library

PATIENCE_S: Final = 20.0
COORDINATOR_STARTS: Final = {
    KafkaError.NOT_COORDINATOR,
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
}
"""A broker's answers while a group's coordinator starts: the question may be asked again."""


class Reading:
    """The inside of a consumer, without a member."""

    def __init__(
        self,
        servers: str,
        group: str,
        library: Library = "confluent",
        **options: Any,  # noqa: ANN401 - as of it
    ) -> None:
        given = {"group": group, "client": library, **options}
        choice, _ = read_options(cast("ConsumerOptions", given))
        self.lost: set[Grant] = set()
        """What the member would say that it does not own any more."""
        self.promised: tuple[QueueRef, ...] = ()
        """What the member would say that may come."""
        self.told: list[tuple[Grant, ...]] = []
        """What was revoked."""
        self.errors: list[Exception] = []
        self.stuck: list[float] = []
        told = Told(bool, self.told.append, bool, self.errors.append, self.stuck.append)
        self.parts: Parts = assemble(
            Profile(group=group, member="m", topics=("work",), revocation_timeout_ms=20_000),
            self._owned,
            servers,
            {"log_level": 2} if library == "confluent" else {},
            choice,
            told,
        )
        self.intake = self.parts.intake
        self.taking = Taking(self.intake, lambda: self.intake.over)
        self.handover = self.parts.handover
        self._group = group
        self._servers = servers

    @contextmanager
    def running(self) -> Iterator["Reading"]:
        """Run it."""
        self.parts.upkeep.start()
        try:
            yield self
        finally:
            self.parts.close()

    def assign(self, *grants: Grant) -> None:
        """Give it queues."""
        self.handover.on_assigned(grants)

    def take(self, count: int) -> list[Message]:
        """Take so many messages; the last one is in hand then."""
        found: list[Message] = []
        deadline = time.monotonic() + PATIENCE_S
        while len(found) < count and time.monotonic() < deadline:
            if (message := self.poll(0.1)) is not None:  # one without a value is falsy
                found.append(message)
        return found

    def poll(self, timeout: float) -> Message | None:
        """Come back for the next message."""
        return self.taking.next(now_s() + timeout)

    def read(self, count: int) -> list[tuple[int, int]]:
        """Take so many messages, and say that they are done: their partitions and offsets."""
        messages = self.take(count)
        self.come_back()
        return [(it.partition() or 0, it.offset() or 0) for it in messages]

    def come_back(self) -> None:
        """What was taken is done; nothing else is taken."""
        self.intake.hand.at += 1
        with self.intake.turn:
            self.intake.hand.come_back()
        self.intake.came_back.set()

    def collect(self, count: int) -> list[Message]:
        """Take so many at once."""
        self.intake.hand.at += 1
        deadline = time.monotonic() + PATIENCE_S
        while self.intake.collect(count, 0.1) < count and time.monotonic() < deadline:
            pass
        return self.intake.hand_out(count)

    def commit(self, *messages: Message) -> bool:
        """Commit these, or what is done."""
        return self.parts.commit(messages or None)

    def committed(self, queue: QueueRef) -> int:
        """What the group has committed."""
        return committed(self._servers, self._group, TopicPartition(queue.topic, queue.id))

    def waits_for(self, condition: Callable[[], bool]) -> None:
        """Poll, and expect no message, until something is true."""
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline, "it did not happen"
            assert self.poll(0.05) is None

    def _owned(self, grants: Collection[Grant]) -> Ownership:
        """Time alone ends nothing here, but a look is due for each message."""
        return Ownership(frozenset(grants) - self.lost, now_s(), "0-life", self.promised)


def committed(
    servers: str, group: str, place: TopicPartition, patience_s: float = PATIENCE_S
) -> int:
    """What a group has committed; a coordinator that has just started may not know yet."""
    return said_with(servers, group, place, patience_s).offset


def commit_at(servers: str, group: str, queue: QueueRef, offset: int) -> None:
    """Have a group have committed this, as in a log that was longer once."""
    place = TopicPartition(queue.topic, queue.id, offset)
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 2})

    def is_taken() -> bool:
        asked = admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(group, [place])])
        (answer,) = [it.result(PATIENCE_S) for it in asked.values()]
        return answer.topic_partitions[0].error is None

    until(is_taken)  # a coordinator that has just started does not take it yet


def said_with(
    servers: str, group: str, place: TopicPartition, patience_s: float = PATIENCE_S
) -> TopicPartition:
    """The same, with what was said beside it."""
    settings = {"bootstrap.servers": servers, "group.id": group, "log_level": 0}
    deadline = time.monotonic() + patience_s
    with closing(Consumer(settings)) as consumer:
        while True:
            try:
                (found,) = consumer.committed([place], patience_s)
            except KafkaException as error:
                if error.args[0].code() not in COORDINATOR_STARTS or time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
            else:
                return found


def fill(servers: str, topic: str) -> None:
    """Write five messages into each of two partitions."""
    producer = Producer({"bootstrap.servers": servers, "log_level": 2})
    for number in range(10):
        producer.produce(topic, value=b"%d" % number, partition=number % 2)
    assert producer.flush(PATIENCE_S) == 0
    producer.close()


class Effects:
    """What others see of a topic: only what is committed, as any consumer unless told otherwise."""

    def __init__(self, consumer: Consumer, topic: str) -> None:
        self.topic = topic
        self._consumer = consumer
        self._found: list[bytes] = []
        consumer.assign([TopicPartition(topic, 0, 0)])

    def found(self, timeout: float = 0.0) -> list[bytes]:
        """All that has come by now."""
        while messages := self._consumer.consume(500, timeout):
            self._found += [it.value() or b"" for it in messages]
        return self._found


@contextmanager
def effects_of(servers: str, name: str) -> Iterator[Effects]:
    """Make a topic to write to, and read it."""
    topic = f"{name}-effects"
    create_topic(servers, topic, 1)
    settings = {"bootstrap.servers": servers, "group.id": topic, "log_level": 0}
    with closing(Consumer(settings)) as consumer:
        yield Effects(consumer, topic)


@contextmanager
def subscribed(servers: str, group: str, topic: str) -> Iterator[None]:
    """A program that has subscribed, and polls."""
    settings = {
        "bootstrap.servers": servers,
        "group.id": group,
        "client.id": "a-native",
        "log_level": 2,
    }
    consumer = Consumer(settings)
    consumer.subscribe([topic])

    def is_in() -> bool:
        consumer.poll(0.05)
        return bool(consumer.assignment())

    deadline = time.monotonic() + PATIENCE_S
    try:
        while not is_in():
            assert time.monotonic() < deadline, "it got no partition"
        yield
    finally:
        consumer.close()
