"""Producers' reports become verdicts, through a real Kafka and a real Spark."""

import time
from collections.abc import Callable
from functools import partial
from itertools import count

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from console.embedded.broker import EmbeddedKafka
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from tests.integration.topics import PARTITIONS
from trimtab import BrokerSelector, QueueRef
from trimtab.protocol import (
    LATENCY,
    BrokerKey,
    BrokerLatency,
    Eject,
    Forget,
    Hosts,
    Record,
    Report,
    Restore,
    Verdict,
    decode,
    encode,
    partition_of,
)

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

LIFE = "1767225600000-9f86d081"
REPORTERS = ("p", "q", "r")
LASTS_MS = 15_000
"""How long a command stands: longer than it takes to be read, on a machine that pauses."""


@pytest.fixture
def cluster(group: str) -> str:
    """The name of a cluster that only this run uses."""
    return f"cluster-of-{group}"


@pytest.fixture
def say(kafka: EmbeddedKafka, controller: ControllerProcess, cluster: str) -> Callable[..., None]:
    """Write a record about the cluster."""
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
    partition = partition_of(cluster, PARTITIONS)

    def write(topic: str, record: Record) -> None:
        producer.produce(f"{controller.prefix}{topic}", encode(record), cluster.encode(), partition)
        assert 0 == producer.flush(30)

    return write


def seen(broker: str, *, failed: int) -> BrokerLatency:
    """A hundred calls."""
    return BrokerLatency(
        broker=broker, count=100, errors=failed, p50_ms=5.0, p99_ms=9.0, max_ms=9.0
    )


Report3 = Callable[..., None]
"""Three producers report: all brokers, those that fail, and those that fail often, by letters."""


@pytest.fixture
def report(say: Callable[..., None]) -> Report3:
    """Everybody reports once."""
    numbers = count()

    def everybody(brokers: str, failing: str, weak: str = "") -> None:
        number = next(numbers)
        failed = dict.fromkeys(brokers, 0) | dict.fromkeys(weak, 90) | dict.fromkeys(failing, 100)
        for reporter in REPORTERS:
            window = Report(
                reporter=reporter,
                incarnation=LIFE,
                sequence=number,
                window_ms=1_000,
                brokers=tuple(seen(name, failed=failed[name]) for name in brokers),
            )
            say("latency", window)

    return everybody


def out_of(published: Published, cluster: str) -> list[Verdict]:
    """The verdicts by which brokers of a cluster are out of use."""
    told = [it for key, it in published.verdicts.items() if it and key.cluster == cluster]
    return [it for it in told if not it.available]


def test_a_broker_that_fails_for_all_is_avoided_by_a_newcomer(
    published: Published,
    say: Callable[..., None],
    report: Report3,
    cluster: str,
) -> None:
    """Its verdict, handed to a selector that has seen nothing, keeps the first send away."""

    def reported() -> bool:
        report("abcd", "a")
        published.watch(1)
        return len(out_of(published, cluster)) == 1

    published.wait_until(reported)
    newcomer = BrokerSelector(seed=lambda: -1)
    for key, verdict in published.verdicts.items():
        if verdict is not None and key.cluster == cluster:
            newcomer.hear(verdict, verdict.since_ms)
    (out,) = out_of(published, cluster)
    queues = [QueueRef("t", broker, 0) for broker in "abcd"]

    assert ("a", "failures", REPORTERS) == (out.broker, out.detector, out.testers)
    assert set("bcd") == {newcomer.select(queues, out.since_ms).broker for _ in range(20)}
    assert ["a"] == turned(published, cluster)

    say("commands", Restore(id="1", principal="ann", reason="it was me", broker="a"))
    published.wait_until(lambda: _is_available(published, BrokerKey(cluster, "a")))


@pytest.mark.timeout(600)  # three sweeps of ten seconds, and two commands that have to lapse
def test_operators_win_until_their_commands_lapse(
    published: Published, say: Callable[..., None], report: Report3, cluster: str
) -> None:
    """Who is fine is out while an eject stands, who fails is in while a restore does; not longer.

    A detector on trial is named beside the verdict and changes nothing; forgetting leaves nothing.
    """

    def turns(broker: str) -> list[tuple[bool, str | None]]:
        of_it = [it for it in told(published, cluster) if it.broker == broker]
        return [(it.available, it.detector) for it in of_it]

    def has_turned(broker: str, *expected: tuple[bool, str | None]) -> bool:
        report("abcde", "b", "c")
        published.watch(1)
        return [*expected] == turns(broker)

    failing = (False, "failures")
    published.wait_until(partial(has_turned, "b", failing))
    until_ms = time.time_ns() // 1_000_000 + LASTS_MS
    for order in (
        Eject(id="1", principal="ann", reason="so", broker="a", until_ms=until_ms),
        Restore(id="2", principal="ann", reason="so", broker="b", until_ms=until_ms),
    ):
        say("commands", order)
    published.wait_until(partial(has_turned, "a", (False, "operator"), (True, None)))
    published.wait_until(partial(has_turned, "b", failing, (True, "operator"), failing))
    (restored,) = [it for it in told(published, cluster) if it.available and it.broker == "b"]
    assert (until_ms, "ann: so") == (restored.until_ms, restored.reason)
    c = published.verdicts[BrokerKey(cluster, "c")]
    assert c is not None
    assert (True, "errors") == (c.available, c.shadow)

    say("commands", Forget(id="3", principal="ann", reason="so", broker="b"))
    published.wait_until(lambda: published.verdicts[BrokerKey(cluster, "b")] is None)


class TestTheKafkaItself:
    """The cluster whose topics the controller's driver watches."""

    @pytest.fixture
    def cluster(self, kafka: EmbeddedKafka) -> str:
        """What Kafka calls itself."""
        admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
        return str(admin.list_topics(timeout=30).cluster_id)

    @pytest.fixture
    def hosts(
        self, kafka: EmbeddedKafka, controller: ControllerProcess, cluster: str, topic: str
    ) -> Hosts:
        """What the driver has said of the test's topic, once it has."""
        ear = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": "ear"})
        partition = partition_of(cluster, PARTITIONS)
        ear.assign([TopicPartition(f"{controller.prefix}latency", partition, 0)])
        messages = iter(partial(ear.poll, 30), None)
        # Only what is about this cluster: other tests write what nobody can decode beside it.
        own = (it.value() for it in messages if it.key() == cluster.encode())
        records = (decode(LATENCY, value) for value in own)
        told = next(it for it in records if isinstance(it, Hosts) and it.topic == topic)
        ear.close()
        return told

    def test_the_last_broker_of_a_topic_stays(
        self,
        kafka: EmbeddedKafka,
        published: Published,
        report: Report3,
        hosts: Hosts,
        cluster: str,
    ) -> None:
        """All say that broker 1 fails, and it leads every topic: the next bad one goes instead."""
        assert (("1",), (kafka.bootstrap_servers,)) == (hosts.brokers, hosts.addresses)

        def reported() -> bool:
            report("1234567", "12")
            published.watch(1)
            return bool(out_of(published, cluster))

        published.wait_until(reported)
        assert ["2"] == [it.broker for it in out_of(published, cluster)]
        assert ["2"] == turned(published, cluster)


def told(published: Published, cluster: str) -> list[Verdict]:
    """The turns of a cluster's brokers, which the history tells."""
    verdicts = (it for it in published.history if isinstance(it, Verdict))
    return [it for it in verdicts if it.cluster == cluster]


def turned(published: Published, cluster: str) -> list[str]:
    """The brokers of a cluster that have turned, once the history tells of any."""
    published.wait_until(lambda: bool(told(published, cluster)))
    published.catch_up()
    return [it.broker for it in told(published, cluster)]


def _is_available(published: Published, key: BrokerKey) -> bool:
    verdict = published.verdicts[key]
    return verdict is not None and verdict.available
