"""What a member in Java takes for trouble that may pass, and how it is connected ahead."""

import os
import subprocess
from pathlib import Path

import pytest
from confluent_kafka import Producer

from bench.rocketmq.programs import FIVE
from console.embedded.broker import EmbeddedKafka
from console.embedded.jars import JarCache
from tests.integration.java_process import JavaProcess
from tests.integration.java_programs import java
from tests.integration.topics import PARTITIONS, create_control_topics
from trimtab.protocol import partition_of

pytestmark = pytest.mark.slow

LOGIN = ("security.protocol", "SASL_PLAINTEXT", "sasl.mechanism", "PLAIN")
LATER = ("ssl.truststore.location", "/nowhere/yet")
PEM = ("ssl.truststore.type", "PEM")
AT_ONCE_MS = 3_000
"""Less than the five seconds for which a Kafka that is not there is asked."""


@pytest.mark.parametrize(
    ("servers", "settings", "ending"),
    [
        ("127.0.0.1:1", ("security.protocol", "SOME"), "ABANDONED"),
        ("127.0.0.1:1", LOGIN, "ABANDONED"),
        ("127.0.0.1:1", ("security.protocol", "SSL", *LATER), "null"),
        ("127.0.0.1:1", ("security.protocol", "SSL", *LATER, *PEM), "null"),
        ("no.host.invalid:9092", ("client.id", "worker-1"), "null"),
    ],
    ids=[
        "a wrong setting",
        "no login",
        "a file that is not there yet",
        "one in PEM that is not there yet",
        "a host that is not found yet",
    ],
)
def test_only_what_may_pass_is_tried_again(
    servers: str, settings: tuple[str, ...], ending: str
) -> None:
    """Kafka's client fails with each; DNS may know the host in a moment, and a file be mounted."""
    command = [*java("Settings"), servers, *settings]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)

    assert ending == said.stdout.strip()


def test_a_kafka_client_that_is_too_old_is_refused_at_once() -> None:
    """A framework may bring one; messages would be lost when it is asked for what it has not."""
    command, jars = java("Settings"), JarCache.default()
    at = command.index("-cp") + 1
    ours = [it for it in command[at].split(os.pathsep) if not it.endswith("*")]
    (older,) = jars.spark.glob("kafka-clients-3.*.jar")
    command[at] = os.pathsep.join(
        [*ours, str(older), *map(str, jars.kafka.glob("slf4j-api-*.jar"))]
    )
    ended = subprocess.run(
        [*command, "127.0.0.1:1"], capture_output=True, text=True, check=False, timeout=60
    )

    said = f"kafka-clients 4.1 or newer, and the class path has {older.stem.rpartition('-')[2]}"
    assert said in ended.stderr


@pytest.mark.kafka
def test_a_way_to_kafka_is_prepared_before_there_is_a_member(
    kafka: EmbeddedKafka, topics_prefix: str, tmp_path: Path
) -> None:
    """It may be given up, and prepared again; once a member has it, both change nothing."""
    servers = kafka.bootstrap_servers
    create_control_topics(servers, topics_prefix, PARTITIONS)
    command = [*java("Prepared", FIVE), servers, topics_prefix, "billing"]
    with JavaProcess(tmp_path, command) as member:
        member.wait_for("open")
        producer = Producer({"bootstrap.servers": servers})
        place = partition_of("billing", PARTITIONS)
        producer.produce(f"{topics_prefix}assignments", b"one", b"billing/a", place)
        assert 0 == producer.flush(30)
        member.tell("written")

        assert "heard [one]" == member.wait_for("heard")
        assert "left []" in member.lines()
        assert 0 == member.end()


@pytest.mark.kafka
@pytest.mark.parametrize("servers", ["", "127.0.0.1:1"], ids=["there", "away"])
def test_who_is_attached_and_never_started_leaves_nothing(
    kafka: EmbeddedKafka, topics_prefix: str, servers: str
) -> None:
    """Closed at once, also while it waits for a Kafka that does not answer."""
    create_control_topics(kafka.bootstrap_servers, topics_prefix, PARTITIONS)
    about = [servers or kafka.bootstrap_servers, topics_prefix, "billing", "unstarted"]
    command = [*java("Prepared", FIVE), *about]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)

    took, left = (it for it in said.stdout.splitlines() if it.startswith(("took", "left")))
    assert AT_ONCE_MS > int(took.split()[1])
    assert "left []" == left
