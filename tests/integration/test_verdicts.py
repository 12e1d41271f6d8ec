"""Producers' reports become verdicts, through a real Kafka and a real Spark."""

from collections.abc import Callable
from itertools import count

import pytest
from confluent_kafka import Producer

from console.embedded.broker import EmbeddedKafka
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from trimtab import BrokerSelector, QueueRef
from trimtab.protocol import (
    DEFAULT_PARTITIONS,
    BrokerKey,
    BrokerLatency,
    Record,
    Report,
    Restore,
    Verdict,
    encode,
    partition_of,
)

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

LIFE = "1767225600000-9f86d081"
REPORTERS = ("p", "q", "r")


@pytest.fixture
def cluster(group: str) -> str:
    """The name of a cluster that only this run uses."""
    return f"cluster-of-{group}"


@pytest.fixture
def say(kafka: EmbeddedKafka, controller: ControllerProcess, cluster: str) -> Callable[..., None]:
    """Write a record about the cluster."""
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
    partition = partition_of(cluster, DEFAULT_PARTITIONS)

    def write(topic: str, record: Record) -> None:
        producer.produce(f"{controller.prefix}{topic}", encode(record), cluster.encode(), partition)
        assert 0 == producer.flush(30)

    return write


def seen(broker: str, *, fails: bool) -> BrokerLatency:
    """Twenty calls."""
    errors = 20 if fails else 0
    return BrokerLatency(broker=broker, count=20, errors=errors, p50_ms=5.0, p99_ms=9.0, max_ms=9.0)


def test_a_broker_that_fails_for_all_is_avoided_by_a_newcomer(
    published: Published, say: Callable[..., None], cluster: str
) -> None:
    """Its verdict, handed to a selector that has seen nothing, keeps the first send away."""
    numbers = count()

    def reported() -> bool:
        number = next(numbers)
        for reporter in REPORTERS:
            brokers = tuple(seen(name, fails=name == "a") for name in "abcd")
            say(
                "latency",
                Report(
                    reporter=reporter,
                    incarnation=LIFE,
                    sequence=number,
                    window_ms=1_000,
                    brokers=brokers,
                ),
            )
        published.watch(1)
        return len([it for it in verdicts() if not it.available]) == 1

    def verdicts() -> list[Verdict]:
        return [it for key, it in published.verdicts.items() if it and key.cluster == cluster]

    published.wait_until(reported)
    newcomer = BrokerSelector(seed=lambda: -1)
    for verdict in verdicts():
        newcomer.hear(verdict, verdict.since_ms)
    (out,) = [it for it in verdicts() if not it.available]
    queues = [QueueRef("t", broker, 0) for broker in "abcd"]

    assert ("a", "failures", REPORTERS) == (out.broker, out.detector, out.testers)
    assert set("bcd") == {newcomer.select(queues, out.since_ms).broker for _ in range(20)}
    assert ["a"] == [
        it.broker for it in published.history if isinstance(it, Verdict) and it.cluster == cluster
    ]

    say("commands", Restore(id="1", principal="ann", reason="it was me", broker="a"))
    published.wait_until(lambda: _is_available(published, BrokerKey(cluster, "a")))


def _is_available(published: Published, key: BrokerKey) -> bool:
    verdict = published.verdicts[key]
    return verdict is not None and verdict.available
