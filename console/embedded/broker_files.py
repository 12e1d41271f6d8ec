"""What the embedded broker is told: its properties, its id, and how its JVM is started.

Sized for a laptop and for tests: one node that is broker and controller, loopback only, half a
gigabyte of heap, few threads. Every value that differs from Kafka's default has its reason here.
"""

import base64
import uuid
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from streaming.class_archive import SILENT

LOOPBACK = "127.0.0.1"
AS_IT_IS: Mapping[str, str] = MappingProxyType({})
"""No property beside those that are here."""
_LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")

_FIXED = {
    "process.roles": "broker,controller",
    "node.id": "1",
    # Relative to the working directory of the broker: a path with a comma would read as two.
    "log.dirs": "data",
    "controller.listener.names": "CONTROLLER",
    "inter.broker.listener.name": "BROKER",
    "listener.security.protocol.map": "BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT",
    # A misspelt topic must be an error, not a new topic with the wrong settings.
    "auto.create.topics.enable": "false",
    # There is one node to replicate to.
    "offsets.topic.replication.factor": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    # Kafka's 50 partitions each are for clusters; here they only cost start-up time and open files.
    "offsets.topic.num.partitions": "4",
    "share.coordinator.state.topic.num.partitions": "4",
    "transaction.state.log.num.partitions": "4",
    # A lone consumer need not wait 3 s for others to join its group.
    "group.initial.rebalance.delay.ms": "0",
    # The compaction buffer defaults to 128 MiB, a quarter of this heap; 2 MiB is Kafka's own test
    # kit's.
    "log.cleaner.dedupe.buffer.size": "2097152",
    # After a kill -9 the controller waits for the old session to end before it takes the broker
    # back: 9 s by default. Below 3 s, a machine that stalls would look like a broker that died.
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "num.network.threads": "2",
    "num.io.threads": "4",
}

_LISTENERS = {"listeners", "advertised.listeners", "listener.security.protocol.map"}
"""Lists, of which ours are needed."""

_JVM_OPTIONS = (
    *("-Xms512m", "-Xmx512m"),  # the 1 GiB of Kafka's scripts is for clusters
    "-XX:+UseSerialGC",  # one small heap; saves the threads of the parallel collectors
    "-XX:TieredStopAtLevel=1",  # starts a second sooner; peak speed is not what this is for
    "-XX:-UsePerfData",  # otherwise writes to the machine's /tmp
    "-XX:+ExitOnOutOfMemoryError",  # a broker that lives on after that only looks alive
    "-Djava.awt.headless=true",
    *SILENT,
)


def class_archive(jars: Path) -> Path:
    """Where what Java has loaded for a broker with these jars is kept (`trimtab prepare`)."""
    return jars.parent / "kafka.jsa"


def broker_properties(
    *, port: int, controller_port: int, further: Mapping[str, str] = AS_IT_IS
) -> str:
    """The contents of ``server.properties``.

    ``further`` ones come in the place of ours; further listeners are beside ours.
    """
    places = {
        "listeners": f"BROKER://{LOOPBACK}:{port},CONTROLLER://{LOOPBACK}:{controller_port}",
        "advertised.listeners": f"BROKER://{LOOPBACK}:{port}",
        "controller.quorum.voters": f"1@{LOOPBACK}:{controller_port}",
    }
    ours = {**_FIXED, **places}
    beside = {it: f"{ours[it]},{further[it]}" for it in _LISTENERS & further.keys()}
    return "".join(f"{key}={value}\n" for key, value in {**ours, **further, **beside}.items())


def cluster_id(drawn: uuid.UUID) -> str:
    """A cluster's id in Kafka's spelling; a leading dash, one in 64, would read as an option."""
    spelt = base64.urlsafe_b64encode(drawn.bytes).decode().rstrip("=")
    return f"_{spelt[1:]}" if spelt.startswith("-") else spelt


def java_command(java: Path, jars: Path, *, logs: Path, tmp: Path) -> list[str | Path]:
    """Everything of a Java call up to the main class."""
    archive = class_archive(jars)
    return [
        java,
        *_JVM_OPTIONS,
        *([f"-XX:SharedArchiveFile={archive}"] if archive.exists() else []),
        f"-Djava.io.tmpdir={tmp}",
        f"-Dlog4j2.configurationFile={_LOG_SETTINGS}",
        f"-Dtrimtab.logs={logs}",
        "--class-path",
        f"{jars}/*",
    ]
