"""On a cluster whose machines have none of our code: what is lost there moves nothing."""

import os
import re
import shlex
import signal
import sys
from contextlib import closing
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path

import pytest

from bench.cluster.spark_cluster import SparkCluster, executors
from chaos.kills import audited
from console.embedded.broker import EmbeddedKafka
from console.embedded.jars import JarCache
from console.embedded.ports import choose_port
from streaming.process.readiness import read
from tests.builders.checkout import ROOT
from tests.integration.conftest import SESSION_S, MakeMember
from tests.integration.controller.watched_group import WatchedGroup
from tests.integration.controller_process import STOP_PATIENCE_S, ControllerProcess
from tests.integration.published import Published

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

DOCUMENT = ROOT / "docs" / "cluster.md"
DRIVER = "127.0.0.2"
"""Not the address of the cluster: no part may take its own for the controller's."""
PAGES = "127.0.0.3"
RETURN_S = 120.0


@pytest.mark.timeout(900)
def test_a_lost_executor_worker_or_master_moves_nothing(
    kafka: EmbeddedKafka,
    tmp_path: Path,
    topics_prefix: str,
    group: str,
    lone_member: MakeMember,
) -> None:
    """Another executor goes on from the checkpoint, and joins are answered.

    Spark's pages are where the settings put them, and nowhere else.
    """
    with (
        SparkCluster(tmp_path / "spark", workers=2) as spark,
        controller_on(spark, tmp_path / "controller", kafka, topics_prefix) as controller,
        closing(Published(kafka.bootstrap_servers, topics_prefix)) as published,
    ):
        assert answers(PAGES, int(str(controller.settings["controller.ui_port"])))
        assert not answers(DRIVER, int(str(controller.settings["controller.ui_port"])))
        with lone_member("a") as member:
            watched = WatchedGroup(published, group, [member])
            with watched.unmoved(lasting=SESSION_S):
                os.kill(executors(spark.workers[0])[0], signal.SIGKILL)
                controller.commit()
                spark.end(spark.workers[0])
                controller.commit()
                spark.end(spark.master)
                spark.start_master()
                controller.commit()
            with lone_member("b") as newcomer:
                newcomer.wait_until(lambda it: bool(it.assignment), timeout=RETURN_S)
        assert [] == audited(kafka.bootstrap_servers, topics_prefix)
        assert 0 == controller.stop()


@pytest.mark.timeout(600)
def test_spark_submit_starts_a_controller(
    kafka: EmbeddedKafka,
    tmp_path: Path,
    topics_prefix: str,
    lone_member: MakeMember,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By the command of docs/cluster.md; its exit code is the controller's."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    with SparkCluster(tmp_path / "spark", workers=1) as spark:
        controller = controller_on(spark, tmp_path / "controller", kafka, topics_prefix)
        controller.command = submitted(controller.command, spark, kafka, tmp_path)
        with controller:
            with lone_member("a") as member:
                member.wait_until(lambda it: bool(it.assignment), timeout=RETURN_S)
            assert 1 == len(executors(spark.workers[0]))
            assert " INFO " not in controller.log.read_text(), (
                "Spark's log is not in a file of its own"
            )
            readiness = read(controller.home)
            assert readiness is not None
            os.kill(readiness.pid, signal.SIGTERM)
            assert 0 == controller.ends(STOP_PATIENCE_S)


def submitted(
    run: list[str], spark: SparkCluster, kafka: EmbeddedKafka, directory: Path
) -> list[str]:
    """The command of the document, with what there is here."""
    program, command = re.findall(r"```(?:python|bash)\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    script = directory / "controller.py"
    script.write_text(program)
    here = {
        "kafka-1:9092": kafka.bootstrap_servers,
        "spark://spark-1:7077": spark.url,
        "10.0.0.7": DRIVER,
        "/shared/trimtab/checkpoint": str(directory / "controller" / "checkpoint"),
        "/var/lib/trimtab": str(directory / "controller"),
        "/path/to/jars": str(JarCache.default().spark.parent),
        "controller.py run": shlex.join([str(script), *run[run.index("run") :]]),
    }
    for theirs, ours in here.items():
        assert theirs in command
        command = command.replace(theirs, ours)
    return ["bash", "-euc", command]


def controller_on(
    spark: SparkCluster, home: Path, kafka: EmbeddedKafka, prefix: str
) -> ControllerProcess:
    """A controller whose cells run on the cluster."""
    settings = {
        "spark.master": spark.url,
        "spark.driver_host": DRIVER,
        "controller.checkpoint": home / "checkpoint",
        "spark.worker_python": spark.python,
        "spark.options.spark.executor.memory": "512m",
        "spark.options.spark.executor.extraJavaOptions": os.environ["SPARK_SUBMIT_OPTS"],
        "controller.ui_address": PAGES,
        "controller.ui_port": choose_port(0),
    }
    return ControllerProcess(home, kafka.bootstrap_servers, prefix, **settings)


def answers(address: str, port: int) -> bool:
    """Whether Spark's pages are there."""
    with closing(HTTPConnection(address, port, timeout=60)) as connection:
        try:
            connection.request("GET", "/api/v1/version")
        except ConnectionRefusedError:
            return False
        return connection.getresponse().status == HTTPStatus.OK
