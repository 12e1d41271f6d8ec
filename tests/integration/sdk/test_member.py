"""The SDK's ways to Kafka on a real broker, without a controller: what is sent, read and noticed.

Orders are published by hand here; members with the real controller are in `test_hand_over.py`.
"""

import time
from collections.abc import Callable, Iterator

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from console.embedded.broker import EmbeddedKafka
from tests.builders.sessions import GROUP, assignment, queue
from tests.integration.topics import create_control_topics
from trimtab import ConfigurationError, Member, TransportError
from trimtab.protocol import (
    ASSIGNMENTS,
    MEMBERS,
    RELEASES,
    Join,
    ReleaseRef,
    decode,
    encode,
    member_key,
    partition_of,
)
from trimtab.session import Send
from trimtab.transports import Client, choose
from trimtab.transports.contract import CaughtUp, Delivered, Event, Received, Transport

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # see `sweep`
]

PARTITIONS = 4
PARTITION = partition_of(GROUP, PARTITIONS)
PATIENCE_S = 20.0
SESSION_MS = 3_000
LIFE = "1767225600000-9f86d081"
EVERY_CLIENT = pytest.mark.parametrize("client", ["confluent", "kafka-python"])


def opened(transport: Transport) -> Transport:
    """Open a transport, as soon as the broker leads its new topics."""

    def opens() -> bool:
        try:
            transport.open(GROUP)
        except TransportError:
            return False
        return True

    until(opens)
    return transport


def publish(servers: str, topic: str, key: bytes, value: bytes | None) -> None:
    """Write a record of the group, and wait until it is there."""
    producer = Producer({"bootstrap.servers": servers, "linger.ms": 0, "log_level": 2})
    producer.produce(topic, key=key, value=value, partition=PARTITION)
    assert producer.flush(PATIENCE_S) == 0
    producer.close()


def published(servers: str, topic: str, count: int) -> list[tuple[bytes | None, bytes | None]]:
    """The first records in the group's partition of a topic; marks are none."""
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "test", "log_level": 2})
    consumer.assign([TopicPartition(topic, PARTITION, 0)])
    found: list[tuple[bytes | None, bytes | None]] = []
    while len(found) < count:
        (message,) = consumer.consume(1, PATIENCE_S)
        if b'"queues":[]' not in (message.value() or b""):
            found.append((message.key(), message.value()))
    consumer.close()
    return found


def until(condition: Callable[[], object]) -> None:
    """Wait for what somebody else does."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def polled(transport: Transport, count: int) -> list[Event]:
    """The next events."""
    events: list[Event] = []

    def enough() -> bool:
        events.extend(transport.poll(100))
        return len(events) >= count

    until(enough)
    return events


@pytest.fixture
def topics(kafka: EmbeddedKafka, topics_prefix: str) -> str:
    """The prefix of topics that exist."""
    create_control_topics(kafka.bootstrap_servers, topics_prefix, PARTITIONS)
    return topics_prefix


@pytest.fixture
def transport(kafka: EmbeddedKafka, topics: str, client: Client) -> Iterator[Transport]:
    """An open transport."""
    transport = choose(client, kafka.bootstrap_servers, topics, SESSION_MS, {})
    yield opened(transport)
    transport.close(2_000)


@EVERY_CLIENT
def test_a_mistaken_option_is_no_outage(kafka: EmbeddedKafka, topics: str, client: Client) -> None:
    """It is named, and not tried again for ever."""
    mistake = {"no.such.option": 1}
    with pytest.raises(ConfigurationError, match=r"^kafka: .*no.such.option"):
        choose(client, kafka.bootstrap_servers, topics, SESSION_MS, mistake).open(GROUP)


@EVERY_CLIENT
def test_it_writes_to_the_partition_of_the_group(
    kafka: EmbeddedKafka, topics: str, transport: Transport
) -> None:
    """With the key as it is, and says when Kafka has the record."""
    transport.send(Send(MEMBERS.name, b"any key", b"a value", ticket=7))

    assert [Delivered(7)] == polled(transport, 1)
    assert [(b"any key", b"a value")] == published(
        kafka.bootstrap_servers, f"{topics}{MEMBERS.name}", 1
    )


@EVERY_CLIENT
def test_it_follows_the_partition_of_the_group_from_its_end(
    kafka: EmbeddedKafka, topics: str, client: Client
) -> None:
    """What was there before it opened is about earlier lives; tombstones are news too."""
    servers = kafka.bootstrap_servers
    publish(servers, f"{topics}{ASSIGNMENTS.name}", b"k", b"old")
    transport = opened(choose(client, servers, topics, SESSION_MS, {}))
    publish(servers, f"{topics}{ASSIGNMENTS.name}", b"k", b"new")
    publish(servers, f"{topics}{ASSIGNMENTS.name}", b"k", None)
    publish(servers, f"{topics}{RELEASES.name}", b"g", b"released")
    events = polled(transport, 3)
    transport.close(2_000)

    assert {
        Received(ASSIGNMENTS.name, b"k", b"new"),
        Received(ASSIGNMENTS.name, b"k", None),
        Received(RELEASES.name, b"g", b"released"),
    } == set(events)


@EVERY_CLIENT
def test_it_knows_when_it_has_read_everything(
    kafka: EmbeddedKafka, topics: str, transport: Transport
) -> None:
    """On an idle log, and behind the record that was the last when it asked."""
    transport.find_end(1)
    idle = polled(transport, 1)
    publish(kafka.bootstrap_servers, f"{topics}{RELEASES.name}", b"g", b"released")
    transport.find_end(2)
    busy = polled(transport, 2)

    assert [CaughtUp(1)] == idle
    assert [Received(RELEASES.name, b"g", b"released"), CaughtUp(2)] == busy


@EVERY_CLIENT
def test_it_is_at_the_end_where_the_last_records_are_gone(
    kafka: EmbeddedKafka, topics: str, transport: Transport
) -> None:
    """Retention may have overtaken it: what is not there any more need not be read."""
    servers, topic = kafka.bootstrap_servers, f"{topics}{RELEASES.name}"
    for _ in range(3):
        publish(servers, topic, b"g", b"released")
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 2})
    (deleted,) = admin.delete_records([TopicPartition(topic, PARTITION, 3)]).values()
    deleted.result(PATIENCE_S)
    transport.find_end(1)
    until(lambda: CaughtUp(1) in transport.poll(100))


@EVERY_CLIENT
def test_topics_that_do_not_exist_are_named(
    kafka: EmbeddedKafka, topics_prefix: str, client: Client
) -> None:
    """With the command that makes them; nothing is created by asking."""
    transport = choose(client, kafka.bootstrap_servers, topics_prefix, SESSION_MS, {})
    with pytest.raises(TransportError, match=f"{topics_prefix}{MEMBERS.name} does not exist"):
        transport.open(GROUP)
    transport.close(1_000)


@EVERY_CLIENT
def test_a_kafka_that_is_not_there_is_trouble_that_may_pass(client: Client) -> None:
    """Nobody listens on port 1."""
    transport = choose(client, "127.0.0.1:1", "t.", SESSION_MS, {})
    with pytest.raises(TransportError):
        transport.open(GROUP)
    transport.close(100)


@EVERY_CLIENT
def test_a_member_joins_works_and_leaves(kafka: EmbeddedKafka, topics: str, client: Client) -> None:
    """From its join to its release, all through Kafka."""
    servers = kafka.bootstrap_servers
    member = Member(
        servers,
        group=GROUP,
        topics=["orders"],
        member_id="m",
        prefix=topics,
        client=client,
        on_revoked=lambda grants: {grant.queue: 42 for grant in grants},
    )
    with member:
        obey = orderly(servers, topics, member)
        obey(1, hold=[(0, 1)])
        member.wait_until(lambda it: it.assignment, PATIENCE_S)
        obey(2, give=[(0, 1)])
        member.wait_until(lambda it: not it.assignment, PATIENCE_S)
        ((key, value),) = published(servers, f"{topics}{RELEASES.name}", 1)
        assert member.stop()

    assert (GROUP.encode(), (ReleaseRef(*queue(), 1, 42),)) == (key, decode(RELEASES, value).queues)
    kinds = [decode(MEMBERS, it).kind for _, it in published(servers, f"{topics}{MEMBERS.name}", 2)]
    assert ["join", "leave"] == kinds


def orderly(servers: str, topics: str, member: Member) -> Callable[..., None]:
    """Publishes an assignment for the life of a member that has joined."""
    ((_, value),) = published(servers, f"{topics}{MEMBERS.name}", 1)
    join = decode(MEMBERS, value)
    assert isinstance(join, Join)
    key = member_key(GROUP, member.member_id)

    def obey(epoch: int, **what: object) -> None:
        record = assignment(epoch, member=join.member, incarnation=join.incarnation, **what)  # type: ignore[arg-type]  # a table
        session_ms = member.profile.session_timeout_ms
        told = record.model_copy(
            update={"session_timeout_ms": session_ms, "heartbeat_interval_ms": session_ms // 3}
        )
        publish(servers, f"{topics}{ASSIGNMENTS.name}", key, encode(told))

    return obey
