"""On a cluster whose machines have none of our code: what is lost there moves nothing."""

import os
import signal
from contextlib import closing, suppress
from pathlib import Path

import pytest

from console.embedded.broker import EmbeddedKafka
from console.tethered_process import TetheredProcess
from tests.integration.conftest import SESSION_S, MakeMember
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from tests.integration.spark_cluster import HOST, SparkCluster
from tests.integration.watched_group import WatchedGroup

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

RETURN_S = 120.0


@pytest.mark.timeout(900)
def test_a_lost_executor_worker_or_master_moves_nothing(
    kafka: EmbeddedKafka,
    tmp_path: Path,
    topics_prefix: str,
    group: str,
    lone_member: MakeMember,
) -> None:
    """Another executor goes on from the checkpoint, and joins are answered."""
    with (
        SparkCluster(tmp_path / "spark", workers=2) as spark,
        controller_on(spark, tmp_path / "controller", kafka, topics_prefix) as controller,
        closing(Published(kafka.bootstrap_servers, topics_prefix)) as published,
    ):
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
        assert 0 == controller.stop()


def controller_on(
    spark: SparkCluster, home: Path, kafka: EmbeddedKafka, prefix: str
) -> ControllerProcess:
    """A controller whose cells run on the cluster."""
    settings = {
        "spark.master": spark.url,
        "spark.driver_host": HOST,
        "spark.worker_python": spark.python,
        "spark.options.spark.executor.memory": "512m",
    }
    return ControllerProcess(home, kafka.bootstrap_servers, prefix, **settings)


def executors(worker: TetheredProcess) -> list[int]:
    """The processes that a worker has started."""
    found = []
    for it in Path("/proc").glob("[0-9]*"):
        with suppress(ProcessLookupError, FileNotFoundError):  # it has ended meanwhile
            of_worker = os.getpgid(int(it.name)) == worker.pid
            if of_worker and b"CoarseGrainedExecutorBackend" in (it / "cmdline").read_bytes():
                found.append(int(it.name))
    return found
