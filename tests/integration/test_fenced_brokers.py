"""Kafka answers, but all of its brokers are fenced, as just after they were frozen (fault H14).

Its metadata names no broker then. librdkafka 2.16 ends a process that asks for the cluster at that
moment: one member in eight that started while a broker was frozen died so, and guards as well.
What the moment of an answer decides is rarely met here: `tests/architecture/test_librdkafka.py`.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from console.embedded.broker import EmbeddedKafka
from tests.integration.topics import create_topic

pytestmark = pytest.mark.kafka

TOPIC = "followed"
FENCED = {"broker.session.timeout.ms": "1000", "broker.heartbeat.interval.ms": "30000"}
"""A broker that is heard of too rarely: it is fenced from a second after its start on."""
FOLLOWER = """
import logging
import sys
import time

from confluent_kafka.admin import AdminClient

from trimtab.transports.confluent_ends import EndFinder, Unanswered

_, servers, topic = sys.argv
seen = AdminClient({"bootstrap.servers": servers})
finder = EndFinder({"bootstrap.servers": servers}, logging.getLogger(), 2.0)
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
