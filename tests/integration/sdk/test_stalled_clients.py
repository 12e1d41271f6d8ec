"""A client of librdkafka that does nothing more, for good, and tells no error (fault H15).

That is met on a busy machine, in one of a hundred moments in which Kafka's brokers were away: so a
test of processes rarely meets it. Here a client is kept from its work behind our back.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import structlog
from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition

from console.embedded.broker import EmbeddedKafka
from console.settings import load
from console.wiring import options
from streaming.feeds.clients import FeedConsumer, FeedProducer
from streaming.feeds.feed import Config
from streaming.feeds.redis import RedisWriter
from streaming.metrics.catalogue import Metrics
from streaming.options import RedisOptions
from streaming.process.trouble import Trouble
from streaming.startup import reading
from streaming.startup.reading import Following
from streaming.startup.takeover import new_start
from tests.integration.readings import fill
from tests.integration.topics import create_control_topics, create_topic
from trimtab.consuming.confluent import ConfluentClient
from trimtab.consuming.contract import Wish
from trimtab.errors import TransportError
from trimtab.protocol import ASSIGNMENTS, BROKERS, GROUPS, MEMBERS, Group, QueueRef
from trimtab.sending import confluent_link
from trimtab.sending.contract import Place
from trimtab.session import Send
from trimtab.transports.confluent import ConfluentTransport
from trimtab.transports.contract import CaughtUp, Delivered, Event

pytestmark = pytest.mark.kafka

PATIENCE_S = 40.0
"""Three looks, and more."""
NOWHERE = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0, "message.timeout.ms": 500}
"""What a producer is made of that never writes."""
_UNDER_WAY_S = 0.5
"""A fetch that is under way has long been answered then."""


def test_a_queue_of_which_nothing_is_read_is_read_by_a_new_client(
    kafka: EmbeddedKafka, work: str
) -> None:
    """From where it was read to, and what is paused stays so."""
    servers = kafka.bootstrap_servers
    create_topic(servers, f"{work}.more", 2)
    fill(servers, f"{work}.more")
    client = ConfluentClient(Wish(servers, work, {}, {}, 5.0))
    stalled, paused = QueueRef(work, "", 0), QueueRef(work, "", 1)
    other = QueueRef(f"{work}.more", "", 0)
    client.begin({other: 0})
    assert [0, 1, 2, 3, 4] == _taken(client, 5)
    client.begin({stalled: 0, paused: 0})
    client.pause([paused])
    first = _taken(client, 5)
    _keep_from_reading(client._consumer)  # noqa: SLF001 - behind its back
    fill(servers, work)

    second = _taken(client, 5)

    assert [0, 1, 2, 3, 4] == first
    assert [5, 6, 7, 8, 9] == second
    assert {stalled: 10, other: 5} == client.positions([stalled, paused, other])
    client.resume([paused])
    assert 10 == len(_taken(client, 10))
    client.close()


def test_a_transport_that_neither_writes_nor_reads_is_made_anew(
    kafka: EmbeddedKafka, topics_prefix: str
) -> None:
    """When the member takes itself for dead, for the second time in a row."""
    servers = kafka.bootstrap_servers
    create_control_topics(servers, topics_prefix, 1)
    transport = ConfluentTransport(servers, topics_prefix, 5_000, {})
    _wait(lambda: _opens(transport))
    transport.send(Send(MEMBERS.name, b"billing/a", b"{}", 1))
    transport.find_end(0)
    _until(transport, Delivered(1), CaughtUp(0))
    _keep_from_reading(transport._consumer)  # noqa: SLF001 - behind its back
    transport._producer = Producer(NOWHERE)  # noqa: SLF001 - as above

    for ticket in (2, 3):
        transport.renew()
        transport.poll(100)
        transport.send(Send(MEMBERS.name, b"billing/a", b"{}", ticket))
    transport.find_end(3)

    _until(transport, Delivered(3), CaughtUp(3))
    transport.close(1_000)


def test_a_producer_hears_of_verdicts_by_a_new_client(
    kafka: EmbeddedKafka, topics_prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reads on where it was."""
    servers = kafka.bootstrap_servers
    monkeypatch.setattr(confluent_link, "_WORN_S", 1.0)
    create_topic(servers, topics_prefix + BROKERS.name, 1)
    writer = Producer({"bootstrap.servers": servers})
    link = confluent_link.ConfluentLink(Place(servers, {}), topics_prefix)
    _wait(lambda: link.open("main"))
    found: list[bytes | None] = []

    def tells(verdict: bytes) -> None:
        writer.produce(topics_prefix + BROKERS.name, verdict, partition=0)
        assert 0 == writer.flush(PATIENCE_S)

    def hears(count: int) -> bool:
        found.extend(it.value for it in link.poll(50))
        return len(found) >= count

    tells(b"first")
    _wait(lambda: hears(1))
    _keep_from_reading(link._consumer)  # noqa: SLF001 - behind its back
    tells(b"second")
    _wait(lambda: hears(2))

    assert [b"first", b"second"] == found
    link.close()


def test_a_feed_of_the_controller_reads_on_with_a_new_client(
    kafka: EmbeddedKafka, work: str
) -> None:
    """Each message once, and in order; and all of them once more, if that is wanted."""
    servers = kafka.bootstrap_servers
    reading: Config = {"bootstrap.servers": servers, "group.id": work, "error_cb": bool}
    reading |= {"auto.offset.reset": "earliest"}
    places = [TopicPartition(work, partition, OFFSET_BEGINNING) for partition in range(2)]
    trouble = Trouble(structlog.get_logger(), "read")
    feed = FeedConsumer(reading, trouble, places, worn_s=1.0)
    found = set[tuple[int | None, int | None]]()

    def reads(count: int) -> bool:
        message = feed.poll(0.1)
        if message is not None and message.error() is None:
            place = message.partition(), message.offset()
            assert place not in found
            found.add(place)
        return len(found) == count

    _wait(lambda: reads(10))
    _keep_from_reading(feed._consumer)  # noqa: SLF001 - behind its back
    fill(servers, work)

    _wait(lambda: reads(20))
    found.clear()
    feed.begin_anew()

    _wait(lambda: reads(20))
    feed.close()


def test_a_feed_of_the_controller_writes_on_with_a_new_client(
    kafka: EmbeddedKafka, work: str
) -> None:
    """When nothing was written for a while."""
    trouble = Trouble(structlog.get_logger(), "ask")
    feed = FeedProducer({"bootstrap.servers": kafka.bootstrap_servers}, trouble, worn_s=0.5)
    feed._producer = Producer(NOWHERE)  # noqa: SLF001 - as above
    written: list[bool] = []

    def writes() -> bool:
        feed.write(work, b"1", b"", 0, lambda error, _: written.append(error is None))
        feed.poll()
        time.sleep(0.1)
        return any(written)

    _wait(writes)

    assert not written[0]


def test_redis_is_told_on_by_a_new_client(
    kafka: EmbeddedKafka, topics_prefix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is published meanwhile waits for Redis as well, and the end of the log is no record."""
    servers = kafka.bootstrap_servers
    create_topic(servers, topics_prefix + ASSIGNMENTS.name, 1)
    monkeypatch.setenv("TRIMTAB_TOPICS__PREFIX", topics_prefix)
    monkeypatch.setenv("TRIMTAB_TOPICS__PARTITIONS", "1")
    chosen = options(load().settings, bootstrap_servers=servers, jars=tmp_path)
    outlet = RedisWriter(
        chosen, RedisOptions(url="redis://127.0.0.1:1", expire_ms=60_000), Metrics()
    )
    writer = Producer({"bootstrap.servers": servers})
    feed = outlet._consumer()  # noqa: SLF001 - as its thread does
    feed._worn_s = 1.0  # noqa: SLF001 - half a minute is long

    def waits(count: int) -> bool:
        outlet._listen(feed)  # noqa: SLF001 - as its thread does
        return len(outlet._waiting) == count  # noqa: SLF001 - Redis is away

    def goes(member: str) -> None:
        writer.produce(topics_prefix + ASSIGNMENTS.name, None, f"billing/{member}".encode(), 0)
        assert 0 == writer.flush(PATIENCE_S)

    goes("a")
    _wait(lambda: waits(1))
    _keep_from_reading(feed._consumer)  # noqa: SLF001 - behind its back
    goes("b")

    _wait(lambda: waits(2))
    feed.close()


def test_a_standby_reads_on_with_a_new_client(
    kafka: EmbeddedKafka, topics_prefix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is published meanwhile it knows when its turn comes, and what was before as well."""
    servers = kafka.bootstrap_servers
    create_control_topics(servers, topics_prefix, 2)
    monkeypatch.setenv("TRIMTAB_TOPICS__PREFIX", topics_prefix)
    monkeypatch.setenv("TRIMTAB_TOPICS__PARTITIONS", "2")
    writer = Producer({"bootstrap.servers": servers})
    following = Following(options(load().settings, bootstrap_servers=servers, jars=tmp_path))
    following.board.start = new_start()  # as when its turn comes
    example = json.dumps(Group.model_json_schema()["examples"][0]).encode()

    def knows(*groups: str) -> bool:
        following.go_on()
        return {*groups} == {it.group for it in following.board.found()}

    def publish(group: str) -> None:
        writer.produce(topics_prefix + GROUPS.name, example, group.encode(), partition=0)
        assert 0 == writer.flush(PATIENCE_S)

    publish("first")
    _wait(lambda: knows("first"))
    monkeypatch.setattr(reading, "RENEWED_S", 1.0)
    _keep_from_reading(following.reading._consumer)  # noqa: SLF001 - behind its back
    publish("second")

    _wait(lambda: knows("first", "second"))
    following.close()


def _keep_from_reading(consumer: Consumer) -> None:
    """Have it read nothing more, and wait for what is under way."""
    consumer.pause(consumer.assignment())
    time.sleep(_UNDER_WAY_S)


def _opens(transport: ConfluentTransport) -> bool:
    """Open it; Kafka has only just made its topics."""
    try:
        transport.open("billing")
    except TransportError:
        return False
    return True


def _taken(client: ConfluentClient, count: int) -> list[int | None]:
    """The offsets of so many messages."""
    offsets: list[int | None] = []

    def take() -> bool:
        offsets.extend(it.offset() for it in client.take(100, 0.05))
        client.look()
        return len(offsets) >= count

    _wait(take)
    return offsets


def _until(transport: ConfluentTransport, *awaited: Event) -> None:
    """Poll until all of these have come."""
    events: list[Event] = []

    def poll() -> bool:
        events.extend(transport.poll(50))
        return all(it in events for it in awaited)

    _wait(poll)


def _wait(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
