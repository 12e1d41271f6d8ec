"""Three brokers, of which one hangs: what a producer cannot send there it sends elsewhere, in time.

The whole story, with the controller and its verdicts, is `make bench NAME=brokers`.
"""

import time
from collections.abc import Iterator

import pytest

from bench.brokers.cluster import Cluster
from bench.brokers.plan import BAD, PARTITIONS, TOPIC
from bench.brokers.play import create_messages
from tests.integration.test_producer import Settled, wait_until
from trimtab import Producer
from trimtab.transports import Client

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:(read|open)_text is deprecated:DeprecationWarning"),
]

DEADLINE_S = 9.0
LATE_S = 2.0
"""A machine that is busy with three brokers."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three brokers, and a topic dealt out among them."""
    with Cluster(tmp_path_factory.mktemp("cluster"), {}) as cluster:
        create_messages(cluster.servers)
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
            for _ in range(40):
                producer.send(TOPIC, b"m", on_delivery=meanwhile)
                time.sleep(0.005)
            left, took = producer.flush(DEADLINE_S + LATE_S), time.monotonic() - begun
            wait_until(lambda: not producer.is_available(BAD))
            for _ in range(40):
                producer.send(TOPIC, b"m", on_delivery=after)
                time.sleep(0.005)
            assert 0 == producer.flush(LATE_S)
        finally:
            cluster.thaw(BAD)

    assert ([], 0) == (meanwhile.errors, left)
    assert 40 == meanwhile.partitions.total()
    assert took < DEADLINE_S
    assert not any(_is_bad(partition) for partition in [*meanwhile.partitions, *after.partitions])
    assert 40 == after.partitions.total()


def _reaches_all(producer: Producer, settled: Settled) -> bool:
    """Send until every partition has been written to, with all connections made."""
    for _ in range(PARTITIONS):
        producer.send(TOPIC, b"m", on_delivery=settled)
        time.sleep(0.005)
    producer.flush(LATE_S)
    return len(settled.partitions) == PARTITIONS and producer.is_available(BAD)


def _is_bad(partition: int) -> bool:
    return partition % 3 == int(BAD) - 1
