"""Kafka answers, but all of its brokers are fenced, as just after they were frozen (fault H14).

Its metadata names no broker then. librdkafka 2.16 ends a process that asks for the cluster at that
moment: one member in eight that started while a broker was frozen died so, and guards as well.
What the moment of an answer decides is rarely met here: `tests/architecture/test_librdkafka.py`.
"""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from console.embedded.broker import EmbeddedKafka
from tests.integration.topics import create_topic, grow_topic
from trimtab.consuming.confluent import ConfluentClient
from trimtab.consuming.contract import Wish
from trimtab.protocol import QueueRef

pytestmark = pytest.mark.kafka

TOPIC = "followed"
FENCED = {"broker.session.timeout.ms": "3000", "broker.heartbeat.interval.ms": "30000"}
"""A broker that is heard of too rarely: it is fenced from three seconds after its start on."""
IN_TURNS = {"broker.session.timeout.ms": "3000", "broker.heartbeat.interval.ms": "6000"}
"""Half of the time it is fenced."""
PATIENCE_S = 30.0
FOLLOWER = """
import sys
import time

from confluent_kafka.admin import AdminClient

from trimtab.transports.confluent_ends import EndFinder, Unanswered

_, servers, topic = sys.argv
seen = AdminClient({"bootstrap.servers": servers})
finder = EndFinder({"bootstrap.servers": servers}, 2.0)
finder.prepare()
deadline = time.monotonic() + 20
while seen.list_topics(timeout=5).brokers:
    assert time.monotonic() < deadline, "it is never fenced"
    time.sleep(0.1)
for _ in range(3):
    try:
        print("found", finder.find([(topic, 0)]))
    except Unanswered:
        print("no answer")
    finder.prepare()
"""


def test_no_process_ends_though_kafka_names_no_broker(tmp_path: Path) -> None:
    """Whoever asks where the log ends is told so, or that there is no answer."""
    with EmbeddedKafka(tmp_path / "kafka", port=0, properties=FENCED) as kafka:
        servers = kafka.bootstrap_servers
        create_topic(servers, TOPIC, 1)
        process = subprocess.run(
            [sys.executable, "-c", FOLLOWER, servers, TOPIC],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    assert 0 == process.returncode, process.stderr
    assert 3 == len(process.stdout.splitlines())


def test_a_queue_that_had_no_leader_begins_once_it_has_one(tmp_path: Path) -> None:
    """A consumer that asked while it had none remembered that for fifteen minutes."""
    queue = QueueRef(TOPIC, "", 0)
    with EmbeddedKafka(tmp_path / "kafka", port=0, properties=IN_TURNS) as kafka:
        servers = kafka.bootstrap_servers
        create_topic(servers, TOPIC, 1)
        client = one_that_asked_in_vain(servers, queue)
        await_brokers(servers, 1)

        assert {queue: 0} == find(client, queue)
        client.close()


def test_a_queue_that_is_new_begins_with_a_client_that_knows_the_topic(
    kafka: EmbeddedKafka, work: str
) -> None:
    """It remembered how many there were as well."""
    servers = kafka.bootstrap_servers
    client = ConfluentClient(Wish(servers, work, {"log_level": 0}, {}, 5.0))
    known = QueueRef(work, "", 0)
    assert {known: 0} == find(client, known)
    grow_topic(servers, work, 5)
    new = QueueRef(work, "", 4)

    assert {new: 0} == find(client, new)
    client.close()


def one_that_asked_in_vain(servers: str, queue: QueueRef) -> ConfluentClient:
    """Have a client ask while the queue has no leader: that is over after three seconds."""
    for _ in range(5):
        await_brokers(servers, 0)
        client = ConfluentClient(Wish(servers, "readers", {"log_level": 0}, {}, 5.0))
        if "_UNKNOWN_PARTITION" in str(client.found([queue], "earliest", 2.0).refused):
            return client
        client.close()
    raise AssertionError("it was never asked in time")


def await_brokers(servers: str, count: int) -> None:
    """Wait until Kafka names so many."""
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 0})
    deadline = time.monotonic() + PATIENCE_S
    while len(admin.list_topics(timeout=5).brokers) != count:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def find(client: ConfluentClient, queue: QueueRef) -> dict[QueueRef, int]:
    """Ask where a queue begins, again and again as the upkeep does."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if at := client.found([queue], "earliest", 2.0).at:
            return at
        time.sleep(0.1)
    return {}
