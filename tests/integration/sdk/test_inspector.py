"""What is asked beside a member's work, of a real broker and by both clients."""

import time
from collections.abc import Callable

import pytest
from confluent_kafka import Producer

from console.embedded.broker import EmbeddedKafka
from tests.integration.readings import subscribed
from tests.integration.topics import create_control_topics, create_topic
from trimtab import Member, SharedGroupError
from trimtab.protocol import HEARTBEATS, TICK_KEY, partition_of
from trimtab.transports import Client, choose_inspector
from trimtab.transports.inspector import Inspector

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # see `sweep`
]

PARTITIONS = 4
PATIENCE_S = 30.0
EVERY_CLIENT = pytest.mark.parametrize("client", ["confluent", "kafka-python"])


def until(condition: Callable[[], object]) -> None:
    """Wait for what somebody else does."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


@pytest.fixture
def topics(kafka: EmbeddedKafka, topics_prefix: str) -> str:
    """The prefix of topics that exist."""
    create_control_topics(kafka.bootstrap_servers, topics_prefix, PARTITIONS)
    return topics_prefix


@pytest.fixture
def topic(kafka: EmbeddedKafka, topics_prefix: str) -> str:
    """A topic to work on."""
    create_topic(kafka.bootstrap_servers, f"{topics_prefix}orders", 2)
    return f"{topics_prefix}orders"


@pytest.fixture
def inspector(kafka: EmbeddedKafka, topics: str, client: Client) -> Inspector:
    """Who asks."""
    return choose_inspector(client, kafka.bootstrap_servers, topics, {})


@pytest.mark.parametrize("client", ["kafka-python"])
def test_a_native_subscriber_is_told_by_name(
    kafka: EmbeddedKafka, topics: str, group: str, topic: str, client: Client
) -> None:
    """A member that starts beside one says so within 15 s."""
    told: list[Exception] = []
    servers, begun = kafka.bootstrap_servers, time.monotonic()
    with subscribed(servers, group, topic):
        member = Member(
            servers,
            group=group,
            topics=[topic],
            prefix=topics,
            client=client,
            on_error=told.append,
        )
        begun = time.monotonic()
        member.start()
        until(lambda: told)
        took = time.monotonic() - begun
        member.stop("0s")

    assert took < 15
    assert isinstance(told[0], SharedGroupError)
    assert f'as group "{group}" of Kafka at {servers}: client a-native on 127.0.0.1.' in str(
        told[0]
    )


@pytest.mark.parametrize("client", ["kafka-python"])
def test_a_group_without_subscribers_has_none(inspector: Inspector, group: str) -> None:
    """Also if Kafka has never heard of it; a new Kafka takes a moment to say so."""
    until(lambda: inspector.subscribers(group) == ())


@EVERY_CLIENT
def test_topics_that_are_not_there_are_found(inspector: Inspector, topic: str) -> None:
    """And those that are there are none of them, as soon as brokers have learnt of them."""
    gone = frozenset({"no-such-topic"})
    until(lambda: inspector.absent([topic, "no-such-topic"]) == gone)


@EVERY_CLIENT
def test_the_last_tick_is_found(
    kafka: EmbeddedKafka, topics: str, inspector: Inspector, group: str
) -> None:
    """Its age is that of the log: between it and the last beat."""
    until(lambda: inspector.last_tick(group) == (None, 0))
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, "log_level": 2})
    place = partition_of(group, PARTITIONS)
    for key, pause_s in ((TICK_KEY, 0.0), (TICK_KEY, 0.5), (group.encode(), 0.0)):
        producer.produce(topics + HEARTBEATS.name, key=key, value=b"{}", partition=place)
        assert producer.flush(PATIENCE_S) == 0
        time.sleep(pause_s)
    producer.close()
    found = inspector.last_tick(group)

    assert found is not None
    assert found.age_ms is not None
    assert found.age_ms >= 500
    assert 3 == found.records


@EVERY_CLIENT
def test_no_answer_is_not_taken_for_one(client: Client) -> None:
    """Nobody listens on port 1."""
    inspector = choose_inspector(
        client, "127.0.0.1:1", "t.", {"log_level": 0} if client == "confluent" else {}
    )

    assert (None, None, None) == (
        inspector.subscribers("g"),
        inspector.absent(["orders"]),
        inspector.last_tick("g"),
    )
