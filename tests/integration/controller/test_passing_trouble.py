"""What ends a query and passes: the controller stays, says so once, and takes up again."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from chaos.kills import audited
from console.embedded.broker import EmbeddedKafka
from console.embedded.instance import Instance
from console.embedded.ports import choose_port
from tests.integration.conftest import SESSION_S
from tests.integration.controller.watched_group import QUEUES, WatchedGroup
from tests.integration.controller_process import ControllerProcess
from tests.integration.outside_view import each_input_is_counted_once
from tests.integration.published import Published
from tests.integration.topics import create_topic
from trimtab import Member
from trimtab.protocol import MemberChanged

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

PREFIX = "trimtab."
FAILED, WORKS = "cannot run the query; retrying", "can run the query again"
PATIENCE_S = 60.0
START_S = 30.0
"""A query starts in three to five seconds on two idle cores; here four tests share them."""
RETURN_S = SESSION_S + START_S
"""Who fenced itself may wait for the query to start, and for nothing else."""
HANG_S = 70.0
"""Kafka's own patience with a request is a minute."""
AWAY_S = 60.0
"""As long as fault F1 has it."""


@pytest.mark.timeout(900)
def test_neither_a_killed_worker_nor_a_kafka_that_hangs_or_stops_is_an_end(
    tmp_path: Path, group: str
) -> None:
    """The batch is repeated, or waited for, nothing moves, and what it read is counted once.

    Within a session and a start of Kafka's return, all work again.
    """
    with (
        EmbeddedKafka(tmp_path / "kafka", port=choose_port(0)) as kafka,
        ControllerProcess(tmp_path, kafka.bootstrap_servers, PREFIX, **page()) as controller,
    ):
        servers = kafka.bootstrap_servers
        create_topic(servers, "orders", QUEUES)
        with (
            closing(Published(servers, PREFIX)) as published,
            Member(servers, group=group, topics=["orders"], member_id="a") as a,
            Member(servers, group=group, topics=["orders"], member_id="b") as b,
        ):
            watched = WatchedGroup(published, group, [a, b])
            with watched.unmoved(lasting=SESSION_S):
                a_worker_is_killed(controller)
            assert 1 == len(controller.lines(FAILED))
            assert 1 == len(controller.lines(WORKS))
            each_input_is_counted_once(controller)
            before = {queue_of(it) for it in (a, b)}
            kafka_hangs(controller, tmp_path / "kafka")
            all_work_again([a, b], before)
            kafka_is_away(controller, kafka)
            all_work_again([a, b], before)
            assert {"joined", "rejoined"} >= events(servers, group)
        with Member(servers, group="billing", topics=["orders"]) as newcomer:
            newcomer.wait_until(lambda it: len(it.assignment) == QUEUES, timeout=PATIENCE_S)
        controller.commit()  # the newcomer may be told before its batch is
        assert 0 == health(tmp_path)
        assert len(controller.lines(FAILED)) == len(controller.lines(WORKS)) <= 3
        assert [] == audited(servers, PREFIX)
        assert 0 == controller.stop()


def all_work_again(members: list[Member], before: set[tuple[str, frozenset[object]]]) -> None:
    """Each works on what it had."""
    deadline = time.monotonic() + RETURN_S
    for it in members:
        left = deadline - time.monotonic()
        it.wait_until(lambda now: len(now.assignment) == QUEUES // 2, timeout=max(left, 0.1))
    assert before == {queue_of(it) for it in members}


def queue_of(member: Member) -> tuple[str, frozenset[object]]:
    """Who works on what; tokens may be new, since who was cut off comes back in a new life."""
    return member.member_id, frozenset(it.queue for it in member.assignment)


def events(servers: str, group: str) -> set[str]:
    """What was ever said of the members of a group."""
    with closing(Published(servers, PREFIX)) as published:
        published.catch_up()
        said = published.of_group(group)
        return {it.event for it in said if isinstance(it, MemberChanged)}


def page() -> dict[str, object]:
    """The settings of a page to ask."""
    return {"controller.http_port": choose_port(0)}


def a_worker_is_killed(controller: ControllerProcess) -> None:
    """One line says that the batch failed, one that the query works again."""
    deadline = time.monotonic() + PATIENCE_S
    while not controller.lines(FAILED):  # idle ones are replaced unnoticed
        assert time.monotonic() < deadline, controller.log.read_text()
        for worker in python_workers(controller.pid):
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
        time.sleep(0.02)
    controller.wait_for_line(WORKS, within=PATIENCE_S)


def kafka_hangs(controller: ControllerProcess, home: Path) -> None:
    """Whether the query waits or ends depends on what was asked just then; both are borne."""
    broker = Instance(home).running()
    assert broker is not None
    os.killpg(broker.pid, signal.SIGSTOP)
    try:
        time.sleep(HANG_S)
        assert 3 == health(controller.home)
    finally:
        os.killpg(broker.pid, signal.SIGCONT)


def kafka_is_away(controller: ControllerProcess, kafka: EmbeddedKafka) -> None:
    """It is stopped, and comes back at the same place."""
    kafka.stop()
    time.sleep(AWAY_S)
    assert 3 == health(controller.home)
    kafka.start()


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
