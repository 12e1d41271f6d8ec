"""The embedded Kafka is a real one, and its process obeys: one a home, gone with its parent."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but only for Python
    AdminClient,
    ConfigResource,
    NewTopic,
    ResourceType,
)

from console.embedded.broker import EmbeddedKafka
from console.embedded.broker_files import class_archive
from console.embedded.instance import Instance
from console.embedded.jars import JarCache
from console.embedded.ports import choose_port
from console.embedded.readiness import answers
from console.errors import Failure

pytestmark = pytest.mark.kafka

PATIENCE_S = 30.0


def trimtab(*arguments: str, home: Path) -> subprocess.Popen[str]:
    """Start `trimtab ARGUMENTS` on a home of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "console.main", *arguments, "--set", f"home={home}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    out, err = process.communicate(timeout=PATIENCE_S * 3)
    return process.returncode, out, err


def stopped(instance: Instance) -> bool:
    """Whether the broker ends within our patience."""
    deadline = time.monotonic() + PATIENCE_S
    while instance.is_running():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def topic(kafka: EmbeddedKafka, name: str) -> None:
    """Create a topic."""
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    created: Future[None] = admin.create_topics([NewTopic(name, 1, 1)])[name]
    created.result(PATIENCE_S)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home that no broker outlives."""
    yield tmp_path
    Instance(tmp_path).stop()


# ------------------------------------------------------------------------------- a real Kafka


def test_what_is_produced_can_be_consumed(kafka: EmbeddedKafka, topics_prefix: str) -> None:
    """A record comes back as it was sent."""
    name = f"{topics_prefix}echo"
    topic(kafka, name)
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
    producer.produce(name, key=b"key", value=b"value")
    assert 0 == producer.flush(PATIENCE_S)
    consumer = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": topics_prefix})
    consumer.assign([TopicPartition(name, 0, 0)])
    message = consumer.poll(PATIENCE_S)
    consumer.close()
    assert message is not None
    assert (b"key", b"value") == (message.key(), message.value())


def test_a_misspelt_topic_is_an_error(kafka: EmbeddedKafka, topics_prefix: str) -> None:
    """Topics are not created by the way."""
    errors: list[KafkaError | None] = []
    producer = Producer(
        {"bootstrap.servers": kafka.bootstrap_servers, "topic.metadata.propagation.max.ms": 1000}
    )
    producer.produce(
        f"{topics_prefix}nowhere", b"x", callback=lambda error, _: errors.append(error)
    )
    producer.flush(PATIENCE_S)
    (error,) = errors
    assert error is not None
    assert KafkaError.UNKNOWN_TOPIC_OR_PART == error.code()


def test_it_listens_on_loopback_only(kafka: EmbeddedKafka) -> None:
    """It has no passwords, so nobody else may reach it."""
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    (answer,) = admin.describe_configs([ConfigResource(ResourceType.BROKER, "1")]).values()
    listeners = answer.result(PATIENCE_S)["listeners"].value.split(",")
    assert {"127.0.0.1"} == {listener.split("://")[1].rsplit(":", 1)[0] for listener in listeners}


def test_it_writes_only_below_its_home(kafka: EmbeddedKafka) -> None:
    """Data, logs and temporary files are in one place, and the log is where we say it is."""
    assert "started" in kafka.log.read_text()
    assert {"data", "logs", "tmp"} <= {path.name for path in kafka.instance.directory.iterdir()}
    assert "" == kafka.instance.output.read_text()


def test_it_takes_classes_from_the_archive(kafka: EmbeddedKafka) -> None:
    """The set-up has written them down (`trimtab prepare`): a start takes a third less."""
    broker = kafka.instance.running()
    assert broker is not None
    archive = class_archive(JarCache.default().kafka)
    assert str(archive) in Path(f"/proc/{broker.pid}/maps").read_text()


# --------------------------------------------------------------------------- an obedient process


def test_two_starts_at_once_make_one_broker(home: Path) -> None:
    """One starts it, the other waits and finds it; both are content, and `stop` ends it."""
    starts = [trimtab("kafka", "start", "--port", "0", "-o", "json", home=home) for _ in range(2)]
    reports = []
    for start in starts:
        code, out, err = finish(start)
        assert 0 == code, err
        reports.append(json.loads(out))
    assert {"running", "already running"} == {report["state"] for report in reports}
    assert 1 == len({report["process"] for report in reports})

    code, _, err = finish(trimtab("kafka", "start", "--port", "1", home=home))
    assert (2, True) == (code, "`trimtab kafka stop` first" in err)
    assert 0 == finish(trimtab("kafka", "status", home=home))[0]
    assert (0, "stopped\n") == finish(trimtab("kafka", "stop", home=home))[:2]
    assert 3 == finish(trimtab("kafka", "status", home=home))[0]


def test_a_library_uses_the_broker_that_runs(home: Path) -> None:
    """`with EmbeddedKafka` on a home where one runs joins it and leaves it running."""
    assert 0 == finish(trimtab("kafka", "start", "--port", "0", home=home))[0]
    address = Instance(home).running()
    with EmbeddedKafka(home) as kafka:
        assert address is not None
        assert address.bootstrap_servers == kafka.bootstrap_servers
    assert address == Instance(home).running()


def test_data_survives_a_kill(home: Path) -> None:
    """After kill -9 the next start recovers what was stored, cluster id and topics alike."""
    with EmbeddedKafka(home, port=0) as kafka:
        topic(kafka, "survivor")
        address = kafka.instance.running()
        assert address is not None
        os.kill(address.pid, signal.SIGKILL)
        assert stopped(kafka.instance)
    with EmbeddedKafka(home, port=0) as kafka:
        admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
        assert "survivor" in admin.list_topics(timeout=PATIENCE_S).topics


def test_it_dies_with_its_parent(home: Path) -> None:
    """A program that is killed leaves no broker behind."""
    program = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from console.embedded.broker import EmbeddedKafka\n"
        f"with EmbeddedKafka(Path({str(home)!r}), port=0):\n"
        "    print('up', flush=True)\n"
        "    time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert b"up\n" == parent.stdout.readline()
        assert Instance(home).is_running()
        parent.kill()
    assert stopped(Instance(home))


def test_a_stale_address_names_nobody(home: Path) -> None:
    """The file of a broker that is gone may name a process that somebody else has by now."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as innocent:
        instance = Instance(home)
        instance.directory.mkdir()
        (instance.directory / "broker.json").write_text(
            json.dumps({"pid": innocent.pid, "port": 9})
        )
        assert instance.running() is None
        assert not instance.stop()
        assert innocent.poll() is None
        innocent.kill()


def test_a_broker_that_cannot_start_says_why(home: Path) -> None:
    """Exit code 1, where the log is, and its last lines."""
    instance = Instance(home)
    instance.data.mkdir(parents=True)
    (instance.data / "meta.properties").write_text("version=1\ncluster.id=x\nnode.id=7\n")
    code, out, err = finish(trimtab("kafka", "start", "--port", "0", home=home))
    assert (1, "") == (code, out)
    assert f"trimtab: the embedded Kafka did not start; its log is {instance.log}" in err
    assert "Stored node id 7 doesn't match" in err.splitlines()[-1]
    assert not instance.is_running()


def test_a_port_that_was_asked_for_is_not_replaced(home: Path) -> None:
    """A taken port is an error for whoever named it, before anything starts."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(Failure, match=f"port {port} is taken"):
            EmbeddedKafka(home, port=port).start()
    assert not Instance(home).is_running()


def test_of_two_that_choose_one_port_the_later_takes_another(
    kafka: EmbeddedKafka, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until its own broker gives up, the other's answers on that port."""
    theirs = int(kafka.bootstrap_servers.rpartition(":")[2])
    chosen = iter([theirs])
    monkeypatch.setattr(
        "console.embedded.broker.choose_port", lambda wanted: next(chosen, 0) or choose_port(wanted)
    )
    with EmbeddedKafka(home) as own:
        mine = own.instance.cluster
        assert answers(own.bootstrap_servers, mine, PATIENCE_S)
        assert not answers(kafka.bootstrap_servers, mine, PATIENCE_S)


def test_a_stopped_broker_is_gone(home: Path) -> None:
    """After the block nobody answers, and the files are still there."""
    with EmbeddedKafka(home, port=0) as kafka:
        servers = kafka.bootstrap_servers
    assert not kafka.instance.is_running()
    with pytest.raises(KafkaException):
        AdminClient({"bootstrap.servers": servers, "log_level": 0}).list_topics(timeout=1)
    assert (kafka.instance.data / "meta.properties").exists()
