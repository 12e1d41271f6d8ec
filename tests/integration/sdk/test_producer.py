"""`Producer` on a real Kafka, with both clients."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka import Producer as Client
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # stubs

from console.embedded.broker import EmbeddedKafka
from tests.integration.topics import create_topic
from trimtab import ConfigurationError, Producer
from trimtab.protocol import (
    BROKERS,
    LATENCY,
    Report,
    Verdict,
    broker_key,
    decode,
    encode,
    partition_of,
    topic_specs,
)

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # see `sweep`
]

PARTITIONS = 4
PATIENCE_S = 20.0
MakeProducer = Callable[..., Producer]
Theirs = Any
"""What a client library hands to callbacks."""


class Settled:
    """What became of messages, whichever client tells."""

    def __init__(self) -> None:
        self.partitions = Counter[int]()
        self.errors: list[str] = []

    def __call__(self, error: object, message: Theirs) -> None:
        """Hear of one."""
        if error is not None:
            self.errors.append(str(error))
        else:
            partition = message.partition
            self.partitions[partition() if callable(partition) else partition] += 1


@pytest.fixture(params=["confluent", "kafka-python"])
def make(request: pytest.FixtureRequest, kafka: EmbeddedKafka, topics_prefix: str) -> MakeProducer:
    """Makes a producer with one client after the other."""

    def make(**options: object) -> Producer:
        given: Theirs = {"client": request.param, "prefix": topics_prefix, **options}
        return Producer(kafka.bootstrap_servers, **given)

    return make


@pytest.fixture
def topic(kafka: EmbeddedKafka, topics_prefix: str) -> str:
    """A topic to send to."""
    name = f"{topics_prefix}orders"
    create_topic(kafka.bootstrap_servers, name, PARTITIONS)
    return name


@pytest.fixture
def control(kafka: EmbeddedKafka, topics_prefix: str) -> Iterator[Client]:
    """The controller's topics, and a client that writes in its place."""
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers, "log_level": 2})
    wanted = [
        NewTopic(it.name, it.partitions, 1, config=dict(it.config))
        for it in topic_specs(topics_prefix)
        if it.topic in (BROKERS, LATENCY)
    ]
    for made in admin.create_topics(wanted).values():
        made.result()
    names = {it.topic for it in wanted}
    wait_until(lambda: names <= admin.list_topics(timeout=PATIENCE_S).topics.keys())
    client = Client({"bootstrap.servers": kafka.bootstrap_servers})
    yield client
    assert 0 == client.flush(PATIENCE_S)


def condemn(control: Client, prefix: str, cluster: str, broker: str, until_ms: int) -> None:
    """Publish that a broker is out of use."""
    verdict = Verdict(
        cluster=cluster,
        broker=broker,
        available=False,
        since_ms=until_ms - 60_000,
        until_ms=until_ms,
        reason="slow",
        panic=False,
        reports=5,
        errors=0,
    )
    partition = partition_of(cluster, 8)
    key = broker_key(cluster, broker)
    control.produce(f"{prefix}{BROKERS.name}", encode(verdict), key, partition)
    assert 0 == control.flush(PATIENCE_S)


def test_messages_without_a_key_go_round_and_those_with_one_stay(
    make: MakeProducer, topic: str
) -> None:
    """Every partition gets its share; a key has one partition, by the client's own partitioner."""
    plain, keyed, headed = Settled(), Settled(), Settled()
    with make(topics=[topic], central=False) as producer:
        for _ in range(40):
            producer.send(topic, b"plain", on_delivery=plain)
            time.sleep(0.002)  # no stream, whose turns are longer
        for _ in range(10):
            producer.send(topic, b"keyed", b"key", on_delivery=keyed)
        producer.send(topic, b"headed", None, headed, [("name", b"value")])
        assert 0 == producer.flush()
        assert "local" == producer.state

    assert 40 == plain.partitions.total()
    assert all(plain.partitions[partition] > 4 for partition in range(PARTITIONS))
    assert [10] == list(keyed.partitions.values())
    assert 1 == headed.partitions.total()


def test_a_callback_sends_to_topics_that_were_named_and_no_other_holds_anything_up(
    make: MakeProducer, kafka: EmbeddedKafka, topic: str, topics_prefix: str
) -> None:
    """With kafka-python what asks Kafka for a topic is the thread that the callback runs on."""
    named, audit = f"{topics_prefix}named", f"{topics_prefix}audit"
    for name in (named, audit):
        create_topic(kafka.bootstrap_servers, name, PARTITIONS)
    heard, refused = Settled(), list[str]()
    with make(topics=[topic, named], central=False) as producer:

        def send_on(key: bytes | None) -> None:
            producer.send(named, b"more", key, heard)
            try:
                producer.send(audit, b"more", key, heard)
            except ConfigurationError as error:
                refused.append(str(error))

        for key in (None, b"key"):
            producer.send(topic, b"first", key, lambda *_, it=key: send_on(it))
        assert 0 == producer.flush("10s")

    assert ([], 4) == (heard.errors, heard.partitions.total() + len(refused))
    assert all(it.startswith("send: the client does not know topic") for it in refused)


def test_a_producer_knows_the_verdicts_before_its_first_message(
    make: MakeProducer, topic: str, topics_prefix: str, control: Client
) -> None:
    """One that lapsed counts for nothing; the last broker there is gets messages all the same."""
    now_ms = time.time_ns() // 1_000_000
    condemn(control, topics_prefix, "east", "1", now_ms + 60_000)
    condemn(control, topics_prefix, "east", "2", now_ms - 1)
    settled = Settled()
    with closing(make(topics=[topic], cluster="east")) as producer:
        producer.start(PATIENCE_S)
        known = producer.state, producer.is_available("1"), producer.is_available("2")
        producer.send(topic, b"all the same", on_delivery=settled)

    assert ("central", False, True) == known
    assert 1 == settled.partitions.total()


def test_a_verdict_is_heard_while_messages_go(
    make: MakeProducer, topic: str, topics_prefix: str, control: Client
) -> None:
    """And so is that it is gone."""
    with make(topics=[topic], cluster="east") as producer:
        assert producer.is_available("1")
        condemn(control, topics_prefix, "east", "1", time.time_ns() // 1_000_000 + 60_000)
        wait_until(lambda: not producer.is_available("1"))
        key = broker_key("east", "1")
        control.produce(f"{topics_prefix}{BROKERS.name}", None, key, partition_of("east", 8))
        control.flush(PATIENCE_S)
        wait_until(lambda: producer.is_available("1"))


@pytest.mark.usefixtures("control")
def test_every_delivery_is_reported(
    make: MakeProducer,
    kafka: EmbeddedKafka,
    topic: str,
    topics_prefix: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Summed up per broker, under the id that Kafka gave itself, with the broker's address."""
    # What a busy machine lets through at once is no stream, of which each eighth counts for eight.
    monkeypatch.setattr("trimtab.sending.dispatch.STREAM", 1_000_000)
    with closing(make(topics=[topic], reporter="me", report_every="200ms")) as producer:
        producer.start(PATIENCE_S)
        for number in range(50):
            producer.send(topic, b"plain")
            producer.send(topic, b"keyed", b"%d" % number)
            time.sleep(0.01)
    reports = list(reported(kafka.bootstrap_servers, topics_prefix))
    seen = [it for report in reports for it in report.brokers]
    numbers = [it.sequence for it in reports]

    assert list(range(1, len(reports) + 1)) == numbers
    assert len(reports) > 1
    assert {("me", "1", kafka.bootstrap_servers)} == {
        (report.reporter, it.broker, it.address) for report in reports for it in report.brokers
    }
    assert (100, 0) == (sum(it.count for it in seen), sum(it.errors for it in seen))


def test_without_a_controller_messages_go_all_the_same(make: MakeProducer, topic: str) -> None:
    """Its topics do not exist: the own table decides, and nothing waits for it."""
    begun = time.monotonic()
    settled = Settled()
    with make(topics=[topic]) as producer:
        started = time.monotonic() - begun
        producer.send(topic, b"all the same", on_delivery=settled)
        assert 0 == producer.flush()
        assert "local" == producer.state

    assert 1 == settled.partitions.total()
    assert started < PATIENCE_S / 4


def test_a_mistaken_option_is_named_at_once(make: MakeProducer) -> None:
    """Whichever way the client has of refusing it."""
    with pytest.raises(ConfigurationError, match=r"^kafka: .*no.such.option"):
        make(kafka={"no.such.option": 1})


def test_a_message_that_nobody_takes_is_given_up_in_time(topics_prefix: str) -> None:
    """Its callback hears of it once, within the deadline.

    With librdkafka alone: kafka-python refuses to be made where nobody answers.
    """
    settled = Settled()
    producer = Producer(
        "127.0.0.1:1", deadline="4s", tries=2, prefix=topics_prefix, kafka={"log_level": 0}
    )
    with closing(producer):
        producer.start("100ms")
        begun = time.monotonic()
        producer.send("orders", b"a", on_delivery=settled)
        producer.send("orders", b"b", b"key", settled)
        assert 0 == producer.flush(PATIENCE_S)
        took = time.monotonic() - begun

    assert 2 == len(settled.errors)
    assert took < 7  # librdkafka looks once a second; its own patience is minutes


def test_what_is_not_settled_is_given_up_on_closing(topics_prefix: str) -> None:
    """Its callback hears of that too."""
    settled = Settled()
    producer = Producer("127.0.0.1:1", prefix=topics_prefix, kafka={"log_level": 0})
    producer.start("100ms")
    producer.send("orders", b"a", on_delivery=settled)

    assert 1 == producer.close("100ms")
    assert 1 == len(settled.errors)


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until something is true."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def reported(servers: str, prefix: str) -> Iterator[Report]:
    """Read all reports."""
    consumer = Consumer(
        {"bootstrap.servers": servers, "group.id": "reports", "enable.partition.eof": True}
    )
    with closing(consumer):
        consumer.assign([TopicPartition(f"{prefix}{LATENCY.name}", it, 0) for it in range(8)])
        ends = 0
        while ends < 8:
            message = consumer.poll(1)
            if message is not None and message.error() is not None:
                ends += 1
            elif message is not None:
                record = decode(LATENCY, message.value())
                assert isinstance(record, Report)
                yield record
