"""What ends a query and passes: the controller stays, says so once, and takes up again."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from console.embedded.broker import EmbeddedKafka
from console.embedded.instance import Instance
from tests.integration.conftest import SESSION_S
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from tests.integration.topics import create_topic
from trimtab import Member

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

PREFIX = "trimtab."
FAILED, WORKS = "the query failed; retrying", "the query works again"
RETURN_S = 60.0
HANG_S = 70.0
"""Kafka's own patience with a request is a minute."""
ELECTION_S = 15.0
"""A broker that was frozen is given up by Kafka's controller, and comes back as a new leader."""


@pytest.mark.timeout(900)
def test_a_killed_worker_is_no_end(
    kafka: EmbeddedKafka, topics_prefix: str, tmp_path: Path, group: str, topic: str
) -> None:
    """The batch is repeated, and nothing moves: one line says that it failed, one that it works."""
    servers = kafka.bootstrap_servers
    with ControllerProcess(tmp_path, servers, topics_prefix) as controller:
        published = Published(servers, topics_prefix)
        with Member(
            servers, prefix=topics_prefix, group=group, topics=[topic], member_id="a"
        ) as member:
            published.wait_until(lambda: published.is_stable(group, "a", 8))
            published.wait_until(lambda: published.is_read_by(member))
            before = member.assignment
            deadline = time.monotonic() + RETURN_S
            while not controller.lines(FAILED):  # idle ones are replaced unnoticed
                assert time.monotonic() < deadline, controller.log.read_text()
                for worker in python_workers(controller.pid):
                    with suppress(ProcessLookupError):
                        os.kill(worker, signal.SIGKILL)
                time.sleep(0.02)
            controller.wait_for_line(WORKS, within=RETURN_S)
            published.watch(SESSION_S)

            assert before == member.assignment
            assert 1 == len(controller.lines(FAILED))
            assert 1 == len(controller.lines(WORKS))
        assert 0 == controller.stop()
        published.close()


@pytest.mark.timeout(900)
def test_a_kafka_that_hangs_is_no_end(tmp_path: Path) -> None:
    """Whether the query waits or ends depends on what was asked just then; both are borne."""
    with (
        EmbeddedKafka(tmp_path / "kafka", port=0) as kafka,
        ControllerProcess(tmp_path, kafka.bootstrap_servers, PREFIX) as controller,
    ):
        servers = kafka.bootstrap_servers
        create_topic(servers, "orders", 8)
        broker = Instance(tmp_path / "kafka").running()
        assert broker is not None
        os.killpg(broker.pid, signal.SIGSTOP)
        try:
            time.sleep(HANG_S)
            assert 3 == health(tmp_path)
        finally:
            os.killpg(broker.pid, signal.SIGCONT)
        time.sleep(ELECTION_S)
        with Member(servers, group="billing", topics=["orders"]) as newcomer:
            newcomer.wait_until(lambda it: len(it.assignment) == 8, timeout=2 * RETURN_S)
        assert 0 == health(tmp_path)
        assert len(controller.lines(FAILED)) == len(controller.lines(WORKS)) <= 1
        assert 0 == controller.stop()


def health(home: Path) -> int:
    """What `trimtab health` makes of a home."""
    command = [sys.executable, "-m", "console.main", "health"]
    environment = {**os.environ, "TRIMTAB_HOME": str(home)}
    return subprocess.run(command, env=environment, check=False).returncode


def python_workers(controller: int) -> list[int]:
    """The processes below a controller that run Python for Spark, but for their daemon."""
    listed = subprocess.run(
        ["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    parents = {int(pid): int(parent) for pid, parent, _ in rows}
    python = {int(pid) for pid, _, command in rows if "pyspark.daemon" in command}
    daemons = {it for it in python if parents.get(parents.get(it, 0)) == controller}
    return [it for it in python if parents[it] in daemons]
