"""`trimtab brokers list|eject|restore|forget` on a real Kafka."""

import json
import time

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from console.embedded.broker import EmbeddedKafka
from tests.builders.command_line import Run
from trimtab.protocol import COMMANDS, Eject, Forget, Restore, Verdict, decode, encode, partition_of

pytestmark = pytest.mark.kafka


def verdict(broker: str, *, available: bool, until_ms: int | None = None) -> Verdict:
    """A verdict of the controller."""
    return Verdict(
        cluster="east",
        broker=broker,
        available=available,
        since_ms=1_767_225_600_000,
        until_ms=until_ms,
        reason="because",
        panic=False,
        reports=3,
        errors=1,
        detector=None if available else "failures",
    )


def test_the_newest_verdicts_are_listed(kafka: EmbeddedKafka, topics_prefix: str, run: Run) -> None:
    """One row a broker: a verdict that has lapsed is none, a forgotten broker is gone."""
    later = time.time_ns() // 1_000_000 + 60_000
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
    said = [
        ("a", verdict("a", available=True)),
        ("a", verdict("a", available=False, until_ms=later)),
        ("b", verdict("b", available=False, until_ms=later - 120_000)),
        ("c", verdict("c", available=True)),
        ("c", None),
    ]
    for broker, it in said:
        value = None if it is None else encode(it)
        producer.produce(f"{topics_prefix}brokers", value, f"east/{broker}", 1)
    assert 0 == producer.flush(30)

    code, out, err = run("brokers", "list", "-o", "json")
    assert (0, "") == (code, err)
    rows = json.loads(out)["brokers"]
    assert [("a", "out", "failures"), ("b", "available", "failures")] == [
        (row["broker"], row["state"], row["detector"]) for row in rows
    ]
    assert "2026-01-01T00:00:00.000Z" == rows[0]["since"]
    code, out, err = run("brokers", "list", "--cluster", "x", "-o", "json")
    assert (4, "", "trimtab: there is no cluster x; there is east\n") == (code, out, err)
    assert ["CLUSTER", "east", "east"] == [
        line.split()[0] for line in run("brokers", "list")[1].splitlines()
    ]


def test_commands_are_written_where_the_controller_reads(
    kafka: EmbeddedKafka, topics_prefix: str, run: Run
) -> None:
    """In the partition of their cluster, signed, with an end where one was given."""
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
    producer.produce(f"{topics_prefix}brokers", encode(verdict("a", available=True)), b"east/a")
    assert 0 == producer.flush(30)
    where = ("--cluster", "east", "--reason", "new disk", "--no-wait")  # there is no controller
    before = time.time_ns() // 1_000_000
    assert 0 == run("brokers", "eject", "a", *where, "--for", "1h")[0]
    assert 0 == run("brokers", "restore", "a", *where)[0]
    code, out, _ = run("brokers", "forget", "a", *where)
    assert (0, True) == (code, out.startswith("sent: forget a of east ("))

    consumer = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": "test"})
    consumer.assign([TopicPartition(f"{topics_prefix}commands", partition_of("east", 2), 0)])
    commands = [decode(COMMANDS, it.value()) for it in consumer.consume(3, 30)]
    consumer.close()
    eject, restore, forget = commands

    assert isinstance(eject, Eject)
    assert isinstance(restore, Restore)
    assert isinstance(forget, Forget)
    assert eject.until_ms is not None
    assert 3_600_000 <= eject.until_ms - before < 3_660_000
    assert (None, "a", "new disk") == (restore.until_ms, forget.broker, forget.reason)
    assert 3 == len({it.id for it in commands})
