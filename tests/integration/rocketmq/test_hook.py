"""Clients of a real RocketMQ that let their broker rebalance follow the controller by its hook."""

import signal
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from bench.rocketmq.programs import FIVE
from tests.builders.command_line import Run
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from tests.integration.rocketmq.consumers import QUEUES, Consumers
from tests.integration.rocketmq_server import RocketMQ
from trimtab.protocol.history import Doubled, MemberChanged
from trimtab.protocol.keys import MemberKey

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

FURTHER: Final = ("broker-b", "broker-c")
"""The hook of the last one copies nothing: it only answers."""
NOWHERE: Final = "kafka.invalid:9092"
"""No host is called so (RFC 2606)."""
_BROKERS: Final = 1 + len(FURTHER)
EVERYTHING: Final = (_BROKERS * (QUEUES + 1), _BROKERS * (QUEUES + 2))
"""Of the topic and of the group's own for messages that failed; then also of that for popped ones,
which a broker makes when it first needs it."""
PATIENCE_S: Final = 12
"""Of the hook with a controller that is silent: longer than between two signs of one."""
TWINS: Final = {("worker@a", "channels"), ("worker@a", "subscriptions")}
QUIET_NS: Final = 3_000_000_000
"""So long after its last batch a controller was heard lately in any case: it says something each
five seconds."""


@pytest.fixture
def consumers(
    tmp_path: Path, controller: ControllerProcess, published: Published, group: str, names: str
) -> Iterator[Consumers]:
    """Consumers of the test's group, on three brokers that have the hook."""
    hook = {
        "kafka": controller.servers,
        "prefix": controller.prefix,
        "groups": f"none,{group[:-4]}*",
        "patience": str(PATIENCE_S),
    }
    with (
        RocketMQ(tmp_path / "server", names, brokers=FURTHER, hook=hook) as server,
        closing(Consumers(tmp_path, controller, published, group, server)) as consumers,
    ):
        yield consumers


def test_without_kafka_the_broker_answers_by_itself(
    tmp_path: Path, controller: ControllerProcess, published: Published, group: str, names: str
) -> None:
    """A Kafka that no host has the name of costs a group the hook's patience, and nothing else."""
    hook = {"kafka": NOWHERE, "groups": group, "patience": str(PATIENCE_S)}
    with (
        RocketMQ(tmp_path / "server", names, hook=hook) as server,
        closing(Consumers(tmp_path, controller, published, group, server)) as consumers,
    ):
        consumers.begin()
        consumers.join("a", FIVE, "by-broker", fallback="BROKER")

        published.wait_until(lambda: len(consumers.shares().get("a", ())) == QUEUES)


def central(published: Published, consumers: Consumers) -> dict[str, set[tuple[str, str]]]:
    """What the controller has each client work on, of the topic."""
    shares = {}
    for name in consumers.workers:
        said = published.assignments.get(MemberKey(consumers.group, f"worker@{name}"))
        queues = set() if said is None else {it.queue for it in said.hold}
        named = {
            (f"{it.broker}/{it.topic}", str(it.id)) for it in queues if "RETRY" not in it.topic
        }
        if named:
            shares[name] = named
    return shares


def twins(published: Published, consumers: Consumers) -> list[tuple[str, str]]:
    """The clients that history says are two processes, and by what sign."""
    entries = published.of_group(consumers.group)
    return [(it.member, it.sign) for it in entries if isinstance(it, Doubled)]


def is_told(home: Path) -> bool:
    """Whether a broker's log has that two processes have one client id."""
    logs = (home / "server" / "logs").rglob("broker.log")
    return any("two processes have one client id: worker@a" in it.read_text() for it in logs)


def left(published: Published, consumers: Consumers) -> list[str]:
    """The members that have left."""
    entries = published.of_group(consumers.group)
    return [it.member for it in entries if isinstance(it, MemberChanged) and it.event == "left"]


def at_work(consumers: Consumers, since: int) -> set[str]:
    """Who has begun on a message since then."""
    return {it.worker for it in consumers.work() if it.begun > since}


def settle(published: Published, consumers: Consumers, *names: str) -> None:
    """Wait until exactly these work, each on exactly what the controller says."""
    clients = {f"worker@{name}" for name in names}
    published.wait_until(
        lambda: any(published.is_stable(consumers.group, clients, it) for it in EVERYTHING)
    )
    published.wait_until(
        lambda: (
            {*names} == {*(told := central(published, consumers))} and consumers.shares() == told
        )
    )


def drawn(published: Published, consumers: Consumers) -> dict[str, set[tuple[str, str]]]:
    """What the controller has each client share with others."""
    said = {
        name: published.assignments.get(MemberKey(consumers.group, f"worker@{name}"))
        for name in consumers.workers
    }
    return {
        name: {(f"{it.broker}/{it.topic}", str(it.id)) for it in (record and record.shared) or ()}
        for name, record in said.items()
    }


def leave_one_by_one(published: Published, consumers: Consumers, first: str, last: str) -> None:
    """Two processes of one client end: it is a member as long as the other one works on."""
    gone = left(published, consumers)
    assert 0 == consumers.workers[first].end()
    published.watch(2)
    assert gone == left(published, consumers)
    assert 0 == consumers.workers[last].end()


def pop_and_pull(consumers: Consumers, published: Published, terminal: Run) -> None:
    """By a command three clients share each queue with one other; by another they own it again."""
    command = ("groups", "mode", consumers.group, f"{consumers.group}-topic")
    assert 0 == terminal(*command, "pop", "--share", "1", "--reason", "a test")[0]
    published.wait_until(lambda: all(drawn(published, consumers).values()))
    published.wait_until(lambda: consumers.shares() == drawn(published, consumers))
    assert 0 == terminal(*command, "pull", "--reason", "as before")[0]
    settle(published, consumers, *consumers.workers)


@pytest.mark.alone
def test_clients_that_let_their_broker_rebalance_follow_the_controller(
    consumers: Consumers,
    controller: ControllerProcess,
    published: Published,
    tmp_path: Path,
    terminal: Run,
) -> None:
    """Three share as told, or pop; a killed one's queues move; the controller may be away."""
    consumers.begin()
    for name, kind in (("a", "by-broker-2"), ("b", "by-broker"), ("c", "by-broker")):
        consumers.join(name, FIVE, kind, fallback="BROKER")
    settle(published, consumers, "a", "b", "c")
    introduced = {it.split()[-1] for it in consumers.heard_of_server("settles transactions of")}
    assert {"broker-a", *FURTHER} == introduced  # a plug-in of the brokers' own is still served

    pop_and_pull(consumers, published, terminal)
    cut = f"cut {consumers.group} worker@a"
    consumers.tell_server(f"{cut} broker-b", "cut")
    published.watch(2)
    assert [] == left(published, consumers)  # other brokers still hear it
    three = central(published, consumers)
    consumers.killed["c"] = consumers.workers["c"].kill()
    settle(published, consumers, "a", "b")  # which waits for half a session at most
    before = central(published, consumers)
    assert all(three[name] < before[name] for name in "ab")  # the broker's AVG deals all anew
    controller.signal(signal.SIGSTOP)
    try:
        away = time.monotonic_ns()
        published.wait_until(lambda: at_work(consumers, away) >= {"a", "b"})
        for it in consumers.work():  # nothing moves as long as the hook is patient
            if away < it.begun < away + QUIET_NS and "RETRY" not in it.queue[0]:
                assert it.queue in before[it.worker]
        consumers.killed["b"] = consumers.workers["b"].kill()
        published.wait_until(lambda: consumers.shares() == {"a": before["a"] | before["b"]})
    finally:
        controller.signal(signal.SIGCONT)
    settle(published, consumers, "a")

    # A client that leaves that out: it is asked, or a broker that began anew refused all its pulls.
    consumers.tell_server(f"unsubscribe {consumers.group} broker-b", "subscribed again")
    consumers.tell_server(f"{cut} broker-a {' '.join(FURTHER)}", "cut")
    sent = consumers.stop()  # when all was worked on: it has said all again, and come back
    assert set(range(sent)) <= consumers.numbers()
    assert [] == twins(published, consumers)
    consumers.join("twin of a", FIVE, "by-broker", fallback="BROKER", client="a")
    # Their subscriptions differ for some seconds: by that sign, too, they may be known first.
    published.wait_until(lambda: bool(twins(published, consumers)) and is_told(tmp_path))
    assert {*twins(published, consumers)} <= TWINS
    leave_one_by_one(published, consumers, "twin of a", "a")
    published.wait_until(lambda: not published.groups[consumers.group].people)
