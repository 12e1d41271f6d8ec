"""RocketMQ's own servers, each a process: a name server and two brokers, to be killed and stopped.

They keep their ports and files over restarts, and end with who started them. Used by `on_rocketmq`,
and made by the command or the test, because the controller has to know the name server.
"""

import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, Self

from bench.rocketmq.programs import Answers, java
from chaos.faults import Fault, Kind
from chaos.injector import Ways
from console.embedded.broker_files import LOOPBACK
from console.embedded.ports import choose_ports

BROKERS: Final = ("broker-a", "broker-b")
_NAMES: Final = "names"
_APART: Final = 3
"""A broker also listens at the port two below its own."""
Tell = Callable[[Literal["away", "back"], int], None]
"""Is told of a broker, by its number."""
Hooks = Mapping[str, Mapping[str, str]]
"""How the hook of each broker is set, by the broker's name; a broker that is missing has none."""
_PATIENCE_S: Final = 60.0


class Server:
    """One of them."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        self._command, self._log = command, log
        self._answers = Answers(log, lambda: self._running().poll() is None)
        self._process: subprocess.Popen[bytes] | None = None
        self._ready = 0
        """How often it had served before."""

    def begin(self) -> None:
        """Start its process."""
        self._ready = self._answers.count("ready")
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=log, stderr=log
            )

    def start(self) -> None:
        """Start it, unless that has begun, and wait until it serves."""
        if self._process is None or self._process.poll() is not None:
            self.begin()
        self._answers.until("ready", self._ready + 1)

    def make(self, topic: str, queues: int) -> None:
        """Make a topic at this broker."""
        made = self._answers.count("made")
        self._tell(f"topic {topic} {queues}")
        self._answers.until("made", made + 1)

    def watch(self, group: str, topic: str, events: Path, first: int) -> None:
        """Have it write down what a group commits of its queues, the first so numbered."""
        self._tell(f"watch {group} {topic} {events} {first}")

    def stop(self) -> None:
        """Have it end in good order."""
        process = self._running()
        assert process.stdin is not None
        process.stdin.close()
        process.wait(_PATIENCE_S)

    def kill(self) -> None:
        """Kill it."""
        process = self._running()
        process.kill()
        process.wait()
        assert process.stdin is not None
        process.stdin.close()

    def _tell(self, order: str) -> None:
        process = self._running()
        assert process.stdin is not None
        process.stdin.write(f"{order}\n".encode())
        process.stdin.flush()

    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, "not started"
        return self._process


class Servers:
    """All of them, while the ``with`` block lasts.

    Args:
        home: Where they keep their files; it is made.
        names: Where the name server is to be; empty: at a port that is free.
    """

    def __init__(self, home: Path, names: str = "") -> None:
        home.mkdir(parents=True)
        ports = choose_ports(1 + _APART * len(BROKERS))
        self.names = names or f"{LOOPBACK}:{ports[0]}"
        self._home = home
        self._hooks: Hooks = {}
        self._told = {_NAMES: [_NAMES, self.names.rpartition(":")[2]]}
        places = zip(BROKERS, ports[_APART::_APART], strict=True)
        self._told |= {broker: [broker, str(at), self.names] for broker, at in places}
        self._servers = {name: self._made(name) for name in self._told}
        self._turn = 0
        self._watched: tuple[str, Path, int] | None = None

    def equip(self, hooks: Hooks) -> None:
        """Have the brokers run with these hooks; they restart, if they did not."""
        if hooks == self._hooks:
            return
        self._hooks = hooks
        for broker in BROKERS:
            self._servers[broker].stop()
            self._servers[broker] = self._made(broker)
            self._servers[broker].begin()
        for broker in BROKERS:
            self._servers[broker].start()

    def make(self, topic: str, queues: int) -> None:
        """Make a topic, with so many queues at each broker."""
        for broker in BROKERS:
            self._servers[broker].make(topic, queues)

    def watch(self, topic: str, home: Path, queues: int) -> None:
        """Have the brokers write down what the group commits that is called like a topic."""
        self._watched = topic, home, queues
        for number in range(len(BROKERS)):
            self._watch(number)

    def faults(self, tell: Tell) -> Mapping[Kind, Ways]:
        """What may be done to them: to one of the brokers at a time, in turn.

        Args:
            tell: Is told when a broker goes, and when it is back.
        """
        names = self._servers[_NAMES]

        def take() -> Server:
            tell("away", self._turn)
            return self._servers[BROKERS[self._turn]]

        def give_back(_: Fault) -> None:
            self._servers[BROKERS[self._turn]].start()
            tell("back", self._turn)
            self._watch(self._turn)
            self._turn = (self._turn + 1) % len(BROKERS)

        return {
            Kind.NAMES_AWAY: (lambda _: names.kill(), lambda _: names.start()),
            Kind.ROCKETMQ_KILLED: (lambda _: take().kill(), give_back),
            Kind.ROCKETMQ_RESTARTED: (lambda _: take().stop(), give_back),
        }

    def _made(self, name: str) -> Server:
        told, hook = [str(self._home), *self._told[name]], self._hooks.get(name)
        command = java(self._home / name, "RocketPart", *told, hook=hook)
        return Server(command, self._home / f"{name}.log")

    def _watch(self, number: int) -> None:
        if self._watched is not None:
            topic, home, queues = self._watched
            broker = BROKERS[number]
            self._servers[broker].watch(topic, topic, home / f"{broker}.events", number * queues)

    def __enter__(self) -> Self:
        for server in self._servers.values():
            server.begin()
        for server in self._servers.values():
            server.start()
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers.values():
            server.kill()
