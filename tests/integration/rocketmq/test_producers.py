"""Producers of a real RocketMQ report their brokers, and avoid those that are out of use."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from bench.rocketmq.programs import FIVE, FOUR
from tests.integration.controller_process import ControllerProcess
from tests.integration.java_process import JavaProcess
from tests.integration.java_programs import java
from tests.integration.published import Published
from tests.integration.rocketmq_server import RocketMQ
from tests.integration.topics import PARTITIONS
from trimtab.protocol import (
    LATENCY,
    Eject,
    Report,
    Restore,
    decode,
    encode,
    partition_of,
)

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

SENDERS: Final = ("five", "four")
LIBRARIES: Final = {
    "five": FIVE,
    "four": FOUR,
    "newcomer": FOUR,
}
"""The client of RocketMQ 5.3.3 or that of 4.9.8."""
BROKERS: Final = ("broker-a", "broker-b")
ON_THEIR_WAY: Final = 10
"""Every second message is sent without waiting, and told when it has arrived."""
ROUND: Final = 40
"""Messages that go to both of two brokers, if both are used."""


@pytest.fixture
def cluster(group: str) -> str:
    """The name of a cluster that only this run uses; the producers learn it from the route."""
    return f"cluster-of-{group}"


@pytest.fixture
def server(tmp_path: Path, names: str, cluster: str) -> Iterator[RocketMQ]:
    """Two brokers."""
    with RocketMQ(tmp_path / "server", names, cluster, ["broker-b"]) as server:
        yield server


@pytest.fixture
def senders(
    tmp_path: Path, controller: ControllerProcess, server: RocketMQ, group: str
) -> Iterator[Callable[[str], JavaProcess]]:
    """Starts producers, by their names."""
    server.make(group, 4)
    with ExitStack() as stack:

        def start(name: str) -> JavaProcess:
            command = java("RocketSender", LIBRARIES[name])
            about = [server.names, controller.servers, controller.prefix, group, name]
            return stack.enter_context(JavaProcess(tmp_path / name, [*command, *about]))

        yield start


def sent(sender: JavaProcess) -> list[str]:
    """To which broker each message of a producer went."""
    lines = (it.split() for it in sender.lines())
    return [it[2] for it in lines if len(it) == 3 and it[1] == "to" and it[0].isdigit()]


def used(published: Published, sender: JavaProcess) -> set[str]:
    """To which brokers a producer's next messages go."""
    before = len(sent(sender)) + ON_THEIR_WAY
    published.wait_until(lambda: len(sent(sender)) >= before + ROUND)
    return set(sent(sender)[before:])


def command(controller: ControllerProcess, cluster: str, record: Eject | Restore) -> None:
    """Give a command about the cluster."""
    producer = Producer({"bootstrap.servers": controller.servers})
    partition = partition_of(cluster, PARTITIONS)
    topic = f"{controller.prefix}commands"
    producer.produce(topic, encode(record), cluster.encode(), partition)
    assert 0 == producer.flush(30)


class Reports:
    """What producers report of a cluster, from now on."""

    def __init__(self, controller: ControllerProcess, cluster: str) -> None:
        self._key = cluster.encode()
        self._ear = Consumer({"bootstrap.servers": controller.servers, "group.id": "ear"})
        partition = partition_of(cluster, PARTITIONS)
        self._ear.assign([TopicPartition(f"{controller.prefix}latency", partition, 0)])

    def next_of(self, reporter: str, fits: Callable[[Report], bool]) -> Report:
        """Wait for a report of one producer that fits."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            message = self._ear.poll(1)
            if message is None or message.key() != self._key:
                continue
            assert message.error() is None
            report = decode(LATENCY, message.value())
            if isinstance(report, Report) and report.reporter == reporter and fits(report):
                return report
        raise AssertionError(f"no such report of {reporter}")

    def close(self) -> None:
        """Read no more."""
        self._ear.close()


def test_rocketmqs_producers_report_and_avoid(
    controller: ControllerProcess,
    published: Published,
    server: RocketMQ,
    senders: Callable[[str], JavaProcess],
    cluster: str,
) -> None:
    """Both clients: figures of both brokers; one that is out gets no message, until it is back."""
    both = {name: senders(name) for name in SENDERS}
    reports = Reports(controller, cluster)
    for name, sender in both.items():
        report = reports.next_of(name, lambda it: len(it.brokers) == len(BROKERS))
        assert set(BROKERS) == {it.broker for it in report.brokers}
        assert [0, 0] == [it.errors for it in report.brokers]
        assert all(it.address and it.p99_ms > 0 for it in report.brokers)
        assert set(BROKERS) == used(published, sender)

    eject = Eject(id="1", principal="ann", reason="so", broker="broker-b")
    command(controller, cluster, eject)
    for sender in both.values():
        published.wait_until(partial(avoids, sender, "broker-b", "true"))
        assert {"broker-a"} == used(published, sender)
    newcomer = senders("newcomer")  # it has seen nothing, and knows only the verdict
    assert {"broker-a"} == used(published, newcomer)
    assert {"broker-a"} == set(sent(newcomer))

    command(controller, cluster, Restore(id="2", principal="ann", reason="so", broker="broker-b"))
    for sender in both.values():
        published.wait_until(partial(avoids, sender, "broker-b", "false"))
        assert set(BROKERS) == used(published, sender)
    server.order("end broker-b", "ended")
    for name in both:
        report = reports.next_of(name, lambda it: any(each.errors for each in it.brokers))
        assert {"broker-b"} == {it.broker for it in report.brokers if it.errors}
    reports.close()


def test_a_broker_that_is_renamed_is_reported_by_its_new_name(
    controller: ControllerProcess,
    server: RocketMQ,
    senders: Callable[[str], JavaProcess],
    cluster: str,
) -> None:
    """It restarts at once and at its address, so RocketMQ's clients do not see it in its route."""
    for name in SENDERS:
        senders(name)
    before, after = Reports(controller, cluster), Reports(controller, f"renamed-{cluster}")
    for name in SENDERS:
        before.next_of(name, lambda it: len(it.brokers) == len(BROKERS))

    server.order(f"rename broker-b renamed-{cluster}", "renamed")
    for name in SENDERS:
        report = after.next_of(name, lambda it: any(not each.errors for each in it.brokers))
        assert ["broker-b"] == [it.broker for it in report.brokers]
    before.close()
    after.close()


def avoids(sender: JavaProcess, broker: str, answer: str) -> bool:
    """Whether a producer says that a verdict keeps it from a broker, or does not."""
    said = sum(" avoids " in line for line in sender.lines())
    sender.tell(f"avoids {broker}")
    return sender.wait_for(" avoids ", said + 1).endswith(answer)
