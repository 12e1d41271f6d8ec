"""The SDK's README: its programs run as they are printed, on a Kafka and a controller of ours."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from http import HTTPStatus
from urllib.request import urlopen
from uuid import uuid4

import pytest
import yaml
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from console.embedded.broker import EmbeddedKafka
from console.embedded.ports import choose_port
from tests.builders.checkout import ROOT
from tests.builders.examples import here, programs
from tests.integration.controller_process import ControllerProcess
from tests.integration.readings import fill
from tests.integration.topics import create_topic

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

WORKER = ROOT / "deploy" / "worker"
README = (ROOT / "clients" / "python" / "README.md").read_text("utf-8")
MEMBER, READING, _, _, _, ASYNCIO, READING_ASYNCIO, PRODUCER = programs(README)
PATIENCE_S = 90.0


@pytest.fixture
def orders(kafka: EmbeddedKafka) -> str:
    """The topic of all examples, with messages."""
    try:
        create_topic(kafka.bootstrap_servers, "orders", 2)
    except KafkaException:
        admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers, "log_level": 2})
        assert "orders" in admin.list_topics(timeout=PATIENCE_S).topics
    fill(kafka.bootstrap_servers, "orders")
    return "orders"


@pytest.mark.parametrize(
    ("example", "said"),
    [
        (MEMBER, "start QueueRef(topic='orders'"),
        (ASYNCIO, ""),
        (PRODUCER, "written"),
    ],
    ids=["member", "asyncio", "producer"],
)
def test_an_example_runs_to_its_end(
    kafka: EmbeddedKafka, controller: ControllerProcess, orders: str, example: str, said: str
) -> None:
    """It says what it should, and complains of nothing."""
    del orders  # is there
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            here(example, kafka.bootstrap_servers, controller.prefix, a_group()),
        ],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )

    assert (0, "") == (done.returncode, done.stderr)
    assert said in done.stdout


@pytest.mark.parametrize("example", [READING, READING_ASYNCIO], ids=["threads", "asyncio"])
def test_what_reads_runs_until_it_is_told_to_end(
    kafka: EmbeddedKafka, controller: ControllerProcess, orders: str, example: str
) -> None:
    """SIGTERM ends it in good order."""
    del orders  # is there
    program = here(example, kafka.bootstrap_servers, controller.prefix, a_group())
    reads_until_told_to_end(program, os.environ)


def test_the_worker_of_the_image_runs_until_it_is_told_to_end(
    kafka: EmbeddedKafka, controller: ControllerProcess, orders: str
) -> None:
    """By the variables that its manifest sets; the prefix of these tests is added."""
    pod = yaml.safe_load((WORKER / "kubernetes.yaml").read_text())["spec"]["template"]["spec"]
    names = {it["name"] for it in pod["containers"][0]["env"]}
    values = {
        "KAFKA_BOOTSTRAP_SERVERS": kafka.bootstrap_servers,
        "GROUP": a_group(),
        "TOPIC": orders,
        "PROBE_PORT": str(choose_port(0)),
    }
    assert values.keys() == names

    def well() -> None:
        for path in ("livez", "readyz"):
            with urlopen(f"http://127.0.0.1:{values['PROBE_PORT']}/{path}") as answer:
                assert HTTPStatus.OK == answer.status

    program = (WORKER / "worker.py").read_text()
    program = program.replace("group=", f"prefix={controller.prefix!r}, group=")
    reads_until_told_to_end(program, os.environ | values, well)


def reads_until_told_to_end(
    program: str, environment: Mapping[str, str], meanwhile: Callable[[], None] = lambda: None
) -> None:
    """Run it until it has printed a message; SIGTERM ends it in good order."""
    command = [sys.executable, "-uc", program]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert re.match(rb"b'\d'", process.stdout.readline())
            meanwhile()
            process.send_signal(signal.SIGTERM)
            assert 0 == process.wait(PATIENCE_S)
        finally:
            process.kill()


def a_group() -> str:
    """The name of a group that only one test uses."""
    return f"billing-{uuid4().hex[:8]}"
