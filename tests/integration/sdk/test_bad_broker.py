"""Three brokers, of which one hangs: nobody waits for it, neither producers nor the controller.

The whole story, with the controller and its verdicts, is `make bench NAME=brokers`.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.brokers.cluster import Cluster
from bench.brokers.plan import BAD, PARTITIONS, TOPIC
from bench.brokers.run import create_topics
from tests.integration import topics
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from tests.integration.sdk.test_producer import Settled, wait_until
from trimtab import Member, Producer
from trimtab.protocol import DEFAULT_PREFIX
from trimtab.transports import Client

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # see `sweep`
]

GROUP = "billing"
DEADLINE_S = 9.0
LATE_S = 2.0
"""A machine that is busy with three brokers."""
TRIES = 3
"""It may pause once."""
STANDS_STILL_S = 45.0
"""Two sources, one after the other, may each wait for it for three to five seconds, and a busy
machine for much else; the broker hangs until everything is done."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three brokers, a topic dealt out among them, and the controller's topics on two of them."""
    with Cluster(tmp_path_factory.mktemp("cluster"), {}) as cluster:
        create_topics(cluster.servers, topics.PARTITIONS)
        yield cluster


@pytest.mark.parametrize("client", ["confluent", "kafka-python"])
def test_what_a_hung_broker_does_not_take_goes_to_another_one_in_time(
    cluster: Cluster, client: Client
) -> None:
    """Every message is written within the deadline, and the own table knows the broker then."""
    before, meanwhile, after = Settled(), Settled(), Settled()
    with Producer(
        cluster.servers, topics=[TOPIC], client=client, deadline=DEADLINE_S, central=False
    ) as producer:
        wait_until(lambda: _reaches_all(producer, before))
        cluster.freeze(BAD)
        try:
            begun = time.monotonic()
            _send(producer, 40, meanwhile)
            left, took = producer.flush(DEADLINE_S + LATE_S), time.monotonic() - begun
            wait_until(lambda: not producer.is_available(BAD))
            assert any(_is_swift(producer, after) for _ in range(TRIES))
        finally:
            cluster.thaw(BAD)

    assert ([], 0) == (meanwhile.errors, left)
    assert 40 == meanwhile.partitions.total()
    assert took < DEADLINE_S
    assert not any(_is_bad(partition) for partition in [*meanwhile.partitions, *after.partitions])
    assert after.partitions.total() >= 40
    assert [] == after.errors


@pytest.mark.spark
@pytest.mark.timeout(900)
def test_a_hung_broker_does_not_stop_the_controller(cluster: Cluster, tmp_path: Path) -> None:
    """It leads nothing of the controller's, and is asked what topics there are all the same."""
    with ControllerProcess(tmp_path, cluster.servers, DEFAULT_PREFIX):
        published = Published(cluster.servers, DEFAULT_PREFIX)
        with _member(cluster, "a"):
            published.wait_until(lambda: published.is_stable(GROUP, "a", PARTITIONS))
            cluster.freeze(BAD)
            try:
                begun = time.monotonic()
                with _member(cluster, "b"):
                    published.wait_until(lambda: published.is_stable(GROUP, "ab", PARTITIONS))
                    took = time.monotonic() - begun
            finally:
                cluster.thaw(BAD)
        published.close()

    assert took < STANDS_STILL_S


def _member(cluster: Cluster, name: str) -> Member:
    return Member(cluster.servers, group=GROUP, topics=[TOPIC], member_id=name)


def _reaches_all(producer: Producer, settled: Settled) -> bool:
    """Send until every partition has been written to, with all connections made."""
    _send(producer, PARTITIONS, settled)
    producer.flush(LATE_S)
    return len(settled.partitions) == PARTITIONS and producer.is_available(BAD)


def _is_swift(producer: Producer, settled: Settled) -> bool:
    """Send messages; tell whether all are settled sooner than one that tries the bad broker is."""
    _send(producer, 40, settled)
    return producer.flush(LATE_S) == 0


def _send(producer: Producer, count: int, settled: Settled) -> None:
    for _ in range(count):
        producer.send(TOPIC, b"m", on_delivery=settled)
        time.sleep(0.005)  # no stream, whose turns are longer


def _is_bad(partition: int) -> bool:
    return partition % 3 == int(BAD) - 1
