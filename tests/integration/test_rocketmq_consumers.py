"""Push consumers of a real RocketMQ obey the controller through one line of their code."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final, NamedTuple

import pytest
import structlog

from streaming.feeds.announcements import Seen
from streaming.feeds.name_server import NameServers
from streaming.process.trouble import Trouble
from tests.integration.controller_process import ControllerProcess
from tests.integration.java_members import java
from tests.integration.java_process import JavaProcess
from tests.integration.published import Published
from trimtab import Member
from trimtab.protocol import RunRef

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

QUEUES: Final = 8
NOBODY: Final = "127.0.0.1:1"
"""No Kafka is there."""
AT_WORK_NS: Final = 20_000_000
"""What began until so soon after a sleep was at work before it: nobody can stop that."""
WITH_RETRIES: Final = QUEUES + 1
"""Each group has a topic of one queue for messages that failed."""
LOOKS_S: Final = 4.0
"""In this time the controller asks its name server some times."""


class Work(NamedTuple):
    """One message in the hands of one worker, from when to when."""

    begun: int
    ended: float
    """Infinite: not at all."""
    worker: str
    queue: tuple[str, str]
    number: int


class Consumers:
    """The consumers of one group, on a RocketMQ of their own."""

    def __init__(
        self, home: Path, controller: ControllerProcess, published: Published, group: str
    ) -> None:
        self.group, self._home = group, home
        self._controller, self._published = controller, published
        self._stack = ExitStack()
        self.workers: dict[str, JavaProcess] = {}
        self.killed: dict[str, int] = {}
        self.frozen: dict[str, tuple[int, int]] = {}
        server = java("RocketServer", "trimtab-checks-server")
        self._names = str(controller.settings["routes.name_servers"])
        port = self._names.rpartition(":")[2]
        self._server = self._start("server", [*server, str(home / "server"), port])
        self._server.wait_for("ready")

    def begin(self) -> None:
        """Make the topic, and send numbers from now on."""
        self._server.tell(f"topic {self.group}-topic {QUEUES}")
        self._server.wait_for("made")
        self._server.tell(f"send {self.group}-topic")

    def tell_names(self, order: str) -> None:
        """Have the name server stop, or another one start in its place."""
        self._server.tell(f"names {order}")
        self._server.wait_for(f"names {order}")

    def routes(self, *topics: str) -> dict[str, Seen]:
        """What the name server says of topics."""
        host, port = self._names.split(":")
        trouble = Trouble(structlog.get_logger(), "asking")
        with closing(NameServers([(host, int(port))], trouble)) as servers:
            return servers.look(topics)

    def join(
        self, name: str, library: str, listener: str, kafka: str = "", fallback: str = "NONE"
    ) -> None:
        """Start one."""
        controller = self._controller
        about = [self._names, kafka or controller.servers, controller.prefix, self.group]
        command = java("RocketWorker", library)
        self.workers[name] = self._start(
            name, [*command, *about, f"{self.group}-topic", name, listener, fallback]
        )

    def settle(self, *names: str) -> None:
        """Wait until these and no others hold all queues, at rest."""
        clients = {f"worker@{name}" for name in names}
        published = self._published
        published.wait_until(lambda: published.is_stable(self.group, clients, WITH_RETRIES))

    def stop(self) -> int:
        """Send no more; return how many were sent, when all of them were worked on."""
        self._server.tell("stop")
        sent = int(self._server.wait_for("sent ").split()[-1])
        self._published.wait_until(lambda: self.numbers() >= set(range(sent)))
        return sent

    def numbers(self) -> set[int]:
        """The messages that somebody has finished."""
        return {it.number for it in self.work() if it.ended < float("inf")}

    def work(self) -> list[Work]:
        """All that was worked on, as the workers say."""
        return [it for name in self.workers for it in self._work_of(name)]

    def close(self) -> None:
        """End all processes."""
        self._stack.close()

    def _work_of(self, name: str) -> Iterator[Work]:
        begun: dict[tuple[str, str, str], int] = {}
        for line in self.workers[name].lines():
            match line.split():
                case [at, "begin", *where] if at.isdigit():
                    begun[where[0], where[1], where[2]] = int(at)
                case [at, "end", topic, queue, number] if at.isdigit():
                    since = begun.pop((topic, queue, number))
                    frozen, awake = self.frozen.get(name, (0, 0))
                    if frozen < int(at) and since < awake + AT_WORK_NS:
                        since, at = min(since, frozen), str(frozen)
                    yield Work(since, int(at), name, (topic, queue), int(number))
        for (topic, queue, number), start in begun.items():
            end = self.killed.get(name, float("inf"))
            yield Work(start, end, name, (topic, queue), int(number))

    def _start(self, name: str, command: list[str]) -> JavaProcess:
        return self._stack.enter_context(JavaProcess(self._home / name, command))


@pytest.fixture
def consumers(
    tmp_path: Path, controller: ControllerProcess, published: Published, group: str
) -> Iterator[Consumers]:
    """Consumers of the test's group, and their server."""
    consumers = Consumers(tmp_path, controller, published, group)
    yield consumers
    consumers.close()


@pytest.mark.parametrize(
    ("library", "listener"),
    [
        pytest.param("trimtab-checks-server", "concurrently", id="5-concurrently"),
        pytest.param("trimtab-checks-client-4", "orderly", id="4-orderly"),
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
    assert {"released"} == {it.ending for it in published.handovers(consumers.group)}
    if listener == "concurrently":
        frozen = consumers.workers["b"].freeze()
        consumers.settle("c")
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


def overlaps(work: list[Work]) -> list[tuple[Work, Work]]:
    """Those that two workers had in hand at a time, of one queue."""
    found = []
    for queue in {it.queue for it in work}:
        last: dict[str, Work] = {}
        for it in sorted(each for each in work if each.queue == queue):
            found += [
                (mine, it)
                for name, mine in last.items()
                if name != it.worker and mine.ended > it.begun
            ]
            if it.worker not in last or last[it.worker].ended < it.ended:
                last[it.worker] = it
    return found


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
        held = member.assignment
        consumers.tell_names("stop")
        time.sleep(LOOKS_S)
        consumers.tell_names("start")
        published.wait_until(lambda: topic in consumers.routes(topic))
        time.sleep(LOOKS_S)

        assert held == member.assignment
    said = [it for it in controller.log.read_text().splitlines() if "announced a route" in it]
    assert 1 == len([it for it in said if topic in it])


def test_without_a_controller_a_consumer_works_only_if_told_to(
    consumers: Consumers, published: Published
) -> None:
    """With `Fallback.AVG` it takes its share by AVG, after a session; the other takes nothing."""
    consumers.begin()
    for name, fallback in (("b", "NONE"), ("a", "AVG")):
        consumers.join(name, "trimtab-checks-server", "concurrently", NOBODY, fallback)
        consumers.workers[name].wait_for("started")
    share = {str(number) for number in range(4)}
    published.wait_until(lambda: {it.queue[1] for it in consumers.work()} >= share)  # one by one
    consumers.workers["a"].wait_for(" end ", count=40)

    work = consumers.work()
    assert {"a"} == {it.worker for it in work}
    assert share == {it.queue[1] for it in work}


@pytest.mark.parametrize(
    ("begun", "queue", "found"), [(25, "0", 1), (31, "0", 0), (25, "1", 0), (5, "0", 2)]
)
def test_an_overlap_is_found(begun: int, queue: str, found: int) -> None:
    """What the test above counts on: another worker's work of the same queue, at the same time."""
    first = Work(10, 30, "a", ("orders", "0"), 1)
    within = Work(15, 16, "a", ("orders", "0"), 2)

    assert found == len(overlaps([first, within, Work(begun, 40, "b", ("orders", queue), 3)]))
