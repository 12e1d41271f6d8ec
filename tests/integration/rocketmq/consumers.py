"""Consumers of one group on a real RocketMQ, and what each of them says it has worked on.

Its one rule: it judges nothing but whether two had one queue.
"""

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final, NamedTuple

import structlog

from chaos.commit_checks import brokers_go_back
from chaos.history import Event
from streaming.feeds.announcements import Seen
from streaming.feeds.name_server import NameServers
from streaming.process.trouble import Trouble
from tests.integration.controller_process import ControllerProcess
from tests.integration.java_process import JavaProcess
from tests.integration.java_programs import java
from tests.integration.published import Published
from tests.integration.rocketmq_server import RocketMQ

QUEUES: Final = 8
WITH_RETRIES: Final = QUEUES + 1
"""Each group has a topic of one queue for messages that failed, but of those that are polled."""
_STREAM: Final = "@STREAM"
"""RocketMQ adds it to the id of a client that is polled."""
_FINISHED_S: Final = 120.0
"""What was popped, and not finished by a client that pops no more, comes again after a minute."""
LITE: Final = "lite"
"""Instead of a listener: it is polled."""
PULLS: Final = ("listener", "tasks")
"""It pulls from each queue by itself, as its listener says or RocketMQ's service."""
_PROGRAMS: Final = {LITE: "LiteWorker"} | dict.fromkeys(PULLS, "PullWorker")
JUST_NS: Final = 300_000_000
"""A small part of a slow message's two seconds."""
LATELY_NS: Final = 2_000_000_000
"""In this time there is a message for each queue, also on a machine that is busy."""
AT_WORK_NS: Final = 20_000_000
"""What began until so soon after a sleep was at work before it: nobody can stop that."""


class Work(NamedTuple):
    """One message in the hands of one worker, from when to when."""

    begun: int
    ended: float
    """Infinite: not at all."""
    worker: str
    queue: tuple[str, str]
    """Its broker and topic, and its number."""
    number: int


class Consumers:
    """The consumers of one group, on a RocketMQ that runs."""

    def __init__(
        self,
        home: Path,
        controller: ControllerProcess,
        published: Published,
        group: str,
        server: RocketMQ,
    ) -> None:
        self.group, self._home = group, home
        self._controller, self._published = controller, published
        self._stack = ExitStack()
        self.workers: dict[str, JavaProcess] = {}
        self.by: tuple[str, ...] = ()
        """What runs those that join from now on."""
        self.topic = f"{group}-topic"
        """What those subscribe."""
        self._queues = WITH_RETRIES
        self._suffix = ""
        self.killed: dict[str, int] = {}
        self.frozen: dict[str, tuple[int, int]] = {}
        self._server = server

    def begin(self) -> None:
        """Make the topic, and send numbers from now on."""
        self._server.make(f"{self.group}-topic", QUEUES)
        self._server.tell(f"send {self.group}-topic")
        self._server.tell(f"watch {self.group} {self.group}-topic")

    def expire(self) -> None:
        """Send no more; the first messages are gone, so a new group begins at the end."""
        self._server.order(f"expire {self.group}-topic {QUEUES}", "expired")
        self._server.order("stop", "sent ")

    def send_anew(self) -> None:
        """Send numbers again, from 0 on."""
        self._server.tell(f"send {self.group}-topic")

    def tell_names(self, order: str) -> None:
        """Have the name server stop, or another one start in its place."""
        self._server.order(f"names {order}", f"names {order}")

    def tell_server(self, order: str, answer: str) -> None:
        """Tell the brokers something."""
        self._server.order(order, answer)

    def heard_of_server(self, word: str) -> list[str]:
        """What the brokers have said with this word in it."""
        return [it for it in self._server.news() if word in it]

    def set_back(self) -> list[str]:
        """Each offset that was committed after a higher one, unless a freeze had held it up."""
        told = [it.split() for it in self.heard_of_server("committed broker-")]
        numbers = {it: at for at, it in enumerate(sorted({(it[1], it[2]) for it in told}))}
        commits = [
            Event(int(at), broker, "committed", numbers[broker, queue], offset=int(offset))
            for _, broker, queue, offset, at in told
        ]
        woken = [
            event
            for name, (_, awake) in self.frozen.items()
            for event in (
                Event(awake, name, "resumed"),
                *(Event(0, name, "began", it) for it in numbers.values()),
            )
        ]
        return [*brokers_go_back(tuple(sorted([*commits, *woken])))]

    def routes(self, *topics: str) -> dict[str, Seen]:
        """What the name server says of topics."""
        host, port = self._server.names.split(":")
        trouble = Trouble(structlog.get_logger(), "ask")
        with closing(NameServers([(host, int(port))], trouble)) as servers:
            return servers.look(topics)

    def join(
        self,
        name: str,
        library: str,
        listener: str,
        kafka: str = "",
        fallback: str = "NONE",
        client: str = "",
    ) -> None:
        """Start one, under its name or as another client."""
        controller = self._controller
        about = [self._server.names, kafka or controller.servers, controller.prefix, self.group]
        program = _PROGRAMS.get(listener, "RocketWorker")
        self._queues = WITH_RETRIES if program == "RocketWorker" else QUEUES
        self._suffix = _STREAM if listener in _PROGRAMS else ""
        command = java(program, library)
        self.workers[name] = self._start(
            name,
            [
                *command,
                *about,
                self.topic,
                client or name,
                listener,
                fallback,
            ],
        )

    def state(self, name: str) -> str:
        """What one says of itself."""
        worker = self.workers[name]
        said = sum(" state " in line for line in worker.lines())
        worker.tell("state")
        return worker.wait_for(" state ", said + 1).split()[-1]

    def stalls(self, name: str) -> int:
        """How often one has found that it had not asked for messages of a queue."""
        self.state(name)
        return int(self.workers[name].wait_for(" stalls ").split()[-1])

    def settle(self, *names: str) -> None:
        """Wait until these and no others hold all queues, at rest."""
        clients = {f"worker@{name}{self._suffix}" for name in names}
        published = self._published
        published.wait_until(lambda: published.is_stable(self.group, clients, self._queues))

    def await_heirs(self, *names: str) -> None:
        """Wait until each of them knows to whom its queues go if it dies."""
        clients = {f"worker@{name}{self._suffix}" for name in names}
        published = self._published
        published.wait_until(lambda: published.has_heirs(self.group, clients, self._queues))

    def give_directly(self, name: str) -> str:
        """Have one work on the message that was sent last; return what became of it."""
        client = f"worker@{name}{self._suffix}"
        return self._server.order(f"direct {self.group} {client}", "direct ").split()[-1]

    def stop(self) -> int:
        """Send no more; return how many were sent, when all of them were worked on."""
        sent = int(self._server.order("stop", "sent ").split()[-1])
        everything = set(range(sent))
        self._published.wait_until(lambda: self.numbers() >= everything, within=_FINISHED_S)
        return sent

    def numbers(self) -> set[int]:
        """The messages that somebody has finished."""
        return {it.number for it in self.work() if it.ended < float("inf")}

    def work(self) -> list[Work]:
        """All that was worked on, as the workers say."""
        return [it for name in self.workers for it in self._work_of(name)]

    def shares(self) -> dict[str, set[tuple[str, str]]]:
        """The queues of the topic on which each has begun a message lately."""
        since = time.monotonic_ns() - LATELY_NS
        begun = [it for it in self.work() if it.begun > since and "RETRY" not in it.queue[0]]
        return {
            name: shared
            for name in self.workers
            if (shared := {it.queue for it in begun if it.worker == name})
        }

    def has_just_begun_a_slow_one(self, name: str) -> bool:
        """Whether one that listens slowly is at the beginning of two seconds of work."""
        since = time.monotonic_ns() - JUST_NS
        return any(
            it.begun > since and it.ended == float("inf") and it.number % 20 == 3
            for it in self._work_of(name)
        )

    def close(self) -> None:
        """End all processes; the server goes on."""
        try:
            self._stack.close()
        finally:
            self._server.rest()

    def _work_of(self, name: str) -> Iterator[Work]:
        begun = defaultdict[tuple[str, str, str], list[int]](list)
        for line in self.workers[name].lines():
            match line.split():
                case [at, "begin", *where] if at.isdigit():
                    begun[where[0], where[1], where[2]].append(int(at))
                case [at, "end", topic, queue, number] if at.isdigit():
                    since = begun[topic, queue, number].pop(0)  # what is popped may come twice
                    frozen, awake = self.frozen.get(name, (0, 0))
                    if frozen < int(at) and since < awake + AT_WORK_NS:
                        since, at = min(since, frozen), str(frozen)
                    yield Work(since, int(at), name, (topic, queue), int(number))
                case [at, "stop", *where] if at.isdigit():
                    begun[where[0], where[1], where[2]].pop(0)  # not done: it was interrupted
        end = self.killed.get(name, float("inf"))
        for (topic, queue, number), starts in begun.items():
            for start in starts:
                yield Work(start, end, name, (topic, queue), int(number))

    def _start(self, name: str, command: list[str]) -> JavaProcess:
        return self._stack.enter_context(JavaProcess(self._home / name, command, self.by))


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
