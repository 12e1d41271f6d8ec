"""Push consumers of a real RocketMQ obey the controller through one line of their code."""

import time
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from bench.departures.supervised import SUPERVISED
from bench.rocketmq.programs import FIVE, FOUR
from streaming.feeds.announcements import Seen
from tests.integration.controller_process import ControllerProcess
from tests.integration.guarded import await_guard
from tests.integration.java_process import JavaProcess
from tests.integration.java_programs import java
from tests.integration.published import Published
from tests.integration.rocketmq.consumers import LITE, QUEUES, Consumers, Work, overlaps
from trimtab import Member
from trimtab.protocol import RunRef

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

NOBODY: Final = "127.0.0.1:1"
"""No Kafka is there."""
NOWHERE: Final = "kafka.invalid:9092"
"""No host is called so (RFC 2606)."""
AT_ONCE_NS: Final = 3_000_000_000
"""Half of a session of silence: far more than it takes, also on a machine that is busy."""
ASKS_S: Final = 15.0
"""Half of the time after which a client asks for routes by itself."""
LOOKS_S: Final = 4.0
"""In this time the controller asks its name server some times."""


@pytest.mark.parametrize(
    ("library", "listener"),
    [
        pytest.param(FIVE, "concurrently", id="5-concurrently"),
        pytest.param(FOUR, "orderly", id="4-orderly"),
    ],
)
def test_rocketmqs_consumers_obey(
    consumers: Consumers, published: Published, library: str, listener: str
) -> None:
    """One joins, leaves, freezes, is killed: no queue has two owners, and no message is lost."""
    consumers.begin()
    for name in ("a", "b"):
        consumers.join(name, library, listener)
    consumers.settle("a", "b")
    topic, retries = f"{consumers.group}-topic", f"%RETRY%{consumers.group}"
    found = consumers.routes(topic, retries, "none")
    assert {
        topic: Seen((RunRef("broker-a", 0, QUEUES),)),
        retries: Seen((RunRef("broker-a", 0, 1),)),
        "none": Seen(None),
    } == found
    consumers.join("c", library, listener)
    consumers.settle("a", "b", "c")
    assert 0 == consumers.workers["a"].end()
    consumers.settle("b", "c")
    assert {"released"} == published.endings(consumers.group)
    if listener == "concurrently":
        frozen = consumers.workers["b"].freeze()
        consumers.settle("c")
        published.wait_until(lambda: len(consumers.shares().get("c", ())) == QUEUES)
        consumers.frozen["b"] = (frozen, consumers.workers["b"].wake())
        consumers.settle("b", "c")
    consumers.killed["b"] = consumers.workers["b"].kill()
    consumers.settle("c")

    sent = consumers.stop()

    work = consumers.work()
    assert sent > 0
    assert set(range(sent)) <= {it.number for it in work}
    assert [] == overlaps(work)
    assert {"a", "b", "c"} == {it.worker for it in work}
    refused = {
        it for process in consumers.workers.values() for it in process.lines() if "refuse" in it
    }
    assert bool(refused) == (listener == "concurrently")
    assert [] == consumers.set_back()


def test_a_message_may_be_given_to_any_client_directly(consumers: Consumers) -> None:
    """By an operator, as the Dashboard does it: also to one that does not have its queue."""
    consumers.begin()
    consumers.join("a", FIVE, "alert")
    consumers.join("b", FIVE, "alert")
    consumers.settle("a", "b")
    assert {"CR_SUCCESS"} == {consumers.give_directly("a") for _ in range(2 * QUEUES)}
    consumers.stop()
    hands = {(it.number, it.worker) for it in consumers.work()}
    assert any({(it, "a"), (it, "b")} <= hands for it in consumers.numbers())


def are_apart(shares: dict[str, set[tuple[str, str]]], *names: str) -> bool:
    """Whether each of these has had a share of its own for as long as `shares` looks back."""
    told = [shares.get(it, set()) for it in names]
    return all(told) and sum(map(len, told)) == len(set[tuple[str, str]]().union(*told))


def test_a_consumer_that_is_killed_under_a_guard_is_succeeded_at_once(
    consumers: Consumers, published: Published
) -> None:
    """Long before its session is over; its messages come to the next owners of their queues."""
    consumers.begin()
    consumers.by = SUPERVISED
    for name in ("a", "b"):
        consumers.join(name, FIVE, "concurrently")
    consumers.await_heirs("a", "b")
    await_guard(consumers.workers["a"].pid)
    published.wait_until(lambda: are_apart(consumers.shares(), "a", "b"))
    orphaned = consumers.shares()["a"]
    killed = consumers.killed["a"] = consumers.workers["a"].kill_under_guard()
    published.wait_until(lambda: consumers.shares().get("b", set()) >= orphaned)

    since = [  # before "a" had joined they were its own as well
        it.begun - killed
        for it in consumers.work()
        if it.worker == "b" and it.queue in orphaned and it.begun > killed
    ]
    print(f"succeeded {min(since) / 1e6:.1f} ms after the kill")  # noqa: T201 - for `pytest -s`
    assert min(since) < AT_ONCE_NS
    consumers.settle("b")
    sent, work = consumers.stop(), consumers.work()
    assert set(range(sent)) <= {it.number for it in work}
    assert [] == overlaps(work)
    assert {"released"} == published.endings(consumers.group)


def test_a_shutdown_in_a_hook_of_the_process_leaves(
    consumers: Consumers, published: Published
) -> None:
    """As Spring does it: the JVM would halt before the leave, and the queues rest for a session."""
    consumers.begin()
    consumers.join("stays", FIVE, "concurrently")
    consumers.join("goes", FIVE, "hooked")
    consumers.settle("stays", "goes")
    consumers.workers["goes"].terminate()
    consumers.settle("stays")

    assert {"released"} == published.endings(consumers.group)


def test_a_listener_that_shutdown_interrupts_loses_no_message(
    consumers: Consumers, published: Published
) -> None:
    """RocketMQ 5 takes what it was at work on for done; here the next owner has it."""
    consumers.begin()
    for name in ("a", "b"):
        consumers.join(name, FIVE, "slowly")
    consumers.settle("a", "b")
    published.wait_until(lambda: are_apart(consumers.shares(), "a", "b"))
    published.wait_until(lambda: consumers.has_just_begun_a_slow_one("a"))
    assert 0 == consumers.workers["a"].end()
    assert [it for it in consumers.workers["a"].lines() if " stop " in it]
    sent = consumers.stop()
    assert set(range(sent)) <= consumers.numbers()


def test_lite_pull_consumers_obey(consumers: Consumers, published: Published) -> None:
    """One owner, none is lost, none is twice but by a kill, nor if the thread that polls ends."""
    consumers.begin()
    consumers.join("a", FIVE, LITE, fallback="THREAD")
    consumers.join("b", FOUR, LITE)
    consumers.settle("a", "b")
    consumers.join("c", FIVE, LITE)
    consumers.settle("a", "b", "c")
    assert 0 == consumers.workers["a"].end()
    consumers.settle("b", "c")
    assert {"released"} == published.endings(consumers.group)
    consumers.killed["b"] = consumers.workers["b"].kill()
    consumers.settle("c")

    sent = consumers.stop()

    work = consumers.work()
    counts = Counter(it.number for it in work)
    assert set(range(sent)) <= counts.keys()
    assert [] == overlaps(work)
    assert {"a", "b", "c"} == {it.worker for it in work}
    killed = {it.number for it in work if it.worker == "b"}
    assert {number for number, times in counts.items() if times > 1} <= killed


def test_a_name_server_that_is_away_or_knows_nothing_yet_takes_no_queue(
    consumers: Consumers, controller: ControllerProcess, published: Published
) -> None:
    """What it said last stays true, until the one that was started anew knows its broker again."""
    consumers.begin()
    group, topic = consumers.group, f"{consumers.group}-topic"
    with Member(
        controller.servers, prefix=controller.prefix, group=group, topics=[topic], member_id="a"
    ) as member:
        published.wait_until(lambda: published.is_stable(group, "a", QUEUES))
        member.wait_until(lambda it: len(it.assignment) == QUEUES)
        held, before = member.assignment, announced(controller, topic)
        consumers.tell_names("stop")
        try:
            time.sleep(LOOKS_S)
        finally:
            consumers.tell_names("start")
        published.wait_until(lambda: topic in consumers.routes(topic))
        time.sleep(LOOKS_S)
        assert held == member.assignment
    assert before == announced(controller, topic)


def announced(controller: ControllerProcess, topic: str) -> list[str]:
    """What was said of a topic; twice, if it was said before the group was known to ask."""
    said = controller.log.read_text().splitlines()
    return [it for it in said if "announced a route" in it and topic in it]


def test_a_queue_that_is_added_is_worked_on_before_the_client_asks_for_it(
    consumers: Consumers, published: Published
) -> None:
    """RocketMQ's client asks its name server every 30 s; it has just done so."""
    consumers.begin()
    consumers.join("a", FIVE, "concurrently")
    consumers.settle("a")
    begun = time.monotonic()
    consumers.tell_server(f"topic {consumers.group}-topic {QUEUES + 2}", "made")

    published.wait_until(lambda: len(consumers.shares().get("a", ())) == QUEUES + 2)
    assert time.monotonic() - begun < ASKS_S


@pytest.mark.parametrize("servers", [NOBODY, NOWHERE], ids=["away", "nowhere"])
def test_without_a_controller_a_consumer_works_only_if_told_to(
    consumers: Consumers, published: Published, servers: str
) -> None:
    """With `Fallback.AVG` it takes its share by AVG, after a session; the other takes nothing."""
    consumers.begin()
    for name, fallback in (("b", "NONE"), ("a", "AVG")):
        consumers.join(name, FIVE, "concurrently", servers, fallback)
        consumers.workers[name].wait_for("started")
    share = {str(number) for number in range(4)}
    published.wait_until(lambda: {it.queue[1] for it in consumers.work()} >= share)  # one by one
    consumers.workers["a"].wait_for(" end ", count=40)

    work = consumers.work()
    assert ["ALONE", "WAITING"] == [consumers.state(name) for name in ("a", "b")]
    assert {"a"} == {it.worker for it in work}
    assert share == {it.queue[1] for it in work}


def test_a_consumer_that_broadcasts_is_left_alone(consumers: Consumers) -> None:
    """Each works on all messages, and no controller is asked."""
    consumers.begin()
    libraries = {"a": FIVE, "b": FOUR}
    for name, library in libraries.items():
        consumers.join(name, library, "broadcasting")
    for worker in consumers.workers.values():
        worker.wait_for(" end ", count=100)

    sent = consumers.stop()

    for name, worker in consumers.workers.items():
        worker.wait_for(" end ", count=sent)
        own = {it.number for it in consumers.work() if it.worker == name}
        assert ("BROADCASTING", set(range(sent))) == (consumers.state(name), own)


def test_a_consumer_whose_name_was_taken_says_so(
    consumers: Consumers, published: Published
) -> None:
    """The older one works on nothing more, and a health check can ask."""
    consumers.begin()
    consumers.join("a", FIVE, "concurrently", fallback="AVG")
    consumers.settle("a")
    published.wait_until(lambda: consumers.state("a") == "OBEYING")

    consumers.join("younger", FIVE, "concurrently", client="a")

    published.wait_until(lambda: consumers.state("a") == "REPLACED")
    published.wait_until(lambda: consumers.state("younger") == "OBEYING")


def test_a_consumer_that_its_broker_rebalances_is_refused(tmp_path: Path) -> None:
    """It would never ask the controller, and work on nothing: with the reason, before it starts."""
    about = [NOBODY, NOBODY, "trimtab.", "billing", "orders", "a", "by-broker", "NONE"]
    command = [*java("RocketWorker", FIVE), *about]
    with JavaProcess(tmp_path, command) as worker:
        assert 1 == worker.end()

    assert "do not call setClientRebalance(false)" in worker.said.read_text()


@pytest.mark.parametrize(
    ("begun", "queue", "found"), [(25, "0", 1), (31, "0", 0), (25, "1", 0), (5, "0", 2)]
)
def test_an_overlap_is_found(begun: int, queue: str, found: int) -> None:
    """What the test above counts on: another worker's work of the same queue, at the same time."""
    first = Work(10, 30, "a", ("orders", "0"), 1)
    within = Work(15, 16, "a", ("orders", "0"), 2)

    assert found == len(overlaps([first, within, Work(begun, 40, "b", ("orders", queue), 3)]))
