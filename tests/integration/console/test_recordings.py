"""`trimtab replay` and `trimtab check` on the topics of a real Kafka."""

from typing import Any

import pytest
from confluent_kafka import Producer

from console.embedded.broker import EmbeddedKafka
from tests.builders.command_line import Run
from tests.integration.topics import PARTITIONS
from trimtab.protocol import (
    MEMBERS,
    ROUTES,
    Join,
    Record,
    Route,
    RunRef,
    Topic,
    encode,
    partition_of,
)

pytestmark = pytest.mark.kafka

GROUP = "billing"


def write(servers: str, prefix: str, *records: tuple[Topic[Any], Record]) -> None:
    """Write records where the controller would read them."""
    producer = Producer({"bootstrap.servers": servers})
    for topic, record in records:
        producer.produce(
            f"{prefix}{topic.name}",
            encode(record),
            GROUP.encode(),
            partition=partition_of(GROUP, PARTITIONS),
        )
        producer.flush(30)


def test_topics_are_read_from_their_first_record_to_their_last(
    kafka: EmbeddedKafka, topics_prefix: str, run: Run
) -> None:
    """And folded and judged as a file would be."""
    servers = kafka.bootstrap_servers
    join = Join(member="a", incarnation="1767225600000-9f86d081", sequence=1, topics=("orders",))
    route = Route(topic="orders", version=1, exists=True, runs=(RunRef("", 0, 2),))
    write(servers, topics_prefix, (MEMBERS, join), (ROUTES, route))

    code, told, errors = run("replay", "--bootstrap-servers", servers, "--every", "60000")
    assert 0 == code, errors
    assert "billing: a is told under epoch 1: hold orders-0@1 orders-1@1" in told
    one = ("--bootstrap-servers", servers, "--every", "60000", "--group", GROUP)
    assert (0, told) == run("replay", *one)[:2]
    code, told, _ = run("check", "--bootstrap-servers", servers)
    assert (0, "2 records of 1 groups, no violations in what could be examined\n") == (code, told)


def test_topics_that_are_not_there_are_named(
    kafka: EmbeddedKafka, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is created by looking."""
    monkeypatch.setenv("TRIMTAB_TOPICS__PREFIX", "nobody-made-these.")
    code, _, error = run("replay", "--bootstrap-servers", kafka.bootstrap_servers)

    assert 4 == code
    assert "there is no topic nobody-made-these." in error
