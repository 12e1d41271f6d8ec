"""Work on RocketMQ: consumers of its own client, which obey by one line or by their brokers' hook.

Each round makes a topic of its own, with queues at two brokers; its group is called like it. The
seed says which kind of consumer it is that works. Every other member has a client of 4.9, and half
of each kind are under `trimtab-guard`; without the line all have 5.3.3, and none has a guard. Given
to `round`. What a member has in hand is all that it tells, so `work_in_hand` says whose each queue
was.
"""

import subprocess
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from bench.rocketmq.programs import FIVE, FOUR, java
from chaos.checks import Checks
from chaos.eager_work import EAGER, NOT_FOR_THEM, is_steady, without_work
from chaos.faults import ROCKETMQ, Kind
from chaos.fleet import MEMBERS, Command, Fleet
from chaos.history import Event, EventKind, History, Recorder, read
from chaos.injector import Ways
from chaos.installation import Installation
from chaos.ownership import idle
from chaos.resting import Resting
from chaos.rocketmq_servers import BROKERS, Hooks, Servers
from chaos.round import QUEUES, RATE, Round
from chaos.store import Store
from chaos.work_in_hand import checks_of, with_tenures
from console.errors import ExitCode, Failure

_EACH: Final = QUEUES // len(BROKERS)
_LIBRARIES: Final = (FIVE, FOUR, FIVE, FOUR)
"""By the numbers of the members."""
_GUARDED: Final = (2, 3)
_HOOKED: Final = "hooked"
_CONSUMERS: Final = ("orderly", "concurrently", "pull", "lite", _HOOKED)
"""By the remainder of the seed: two kinds of push consumers, two that ask for messages, and push
consumers that carry nothing of ours, whose brokers have the hook."""
_HOOK_PATIENCE_S: Final = 12
"""More than twice the time between two signs of a controller, and less than what some faults last:
both what the hook bears and what it does then come."""
_PATIENCE_S: Final = 60.0


def consumers_of(seed: int) -> str:
    """Which kind of consumer works in a round, as `ChaosMember` is told."""
    return _CONSUMERS[seed % len(_CONSUMERS)]


def faults_of(seed: int) -> Collection[Kind]:
    """What may be done in a round."""
    return ROCKETMQ - NOT_FOR_THEM if consumers_of(seed) == _HOOKED else ROCKETMQ


def checks_by(seed: int) -> Checks:
    """What its history is judged by."""
    kind = consumers_of(seed)
    return EAGER if kind == _HOOKED else checks_of(in_order=kind != "concurrently")


@contextmanager
def on_rocketmq(
    servers: Servers, it: Round, installation: Installation, home: Path, record: Recorder
) -> Iterator["Consuming"]:
    """Have consumers work on a topic of these servers."""
    with ExitStack() as stack:
        store = stack.enter_context(Store(home))
        topic, kind = f"{it.name}-{time.time_ns()}", consumers_of(it.seed)
        is_hooked = kind == _HOOKED
        servers.equip(_hooks(installation, topic) if is_hooked else {})
        servers.make(topic, _EACH)
        servers.watch(topic, home, _EACH)
        command = _command(servers, installation, topic, home, store.port, kind)
        guarded = () if is_hooked else _GUARDED
        fleet = stack.enter_context(Fleet(home, command, record, guarded))
        traffic = stack.enter_context(Traffic(servers.names, topic, home))
        further = servers.faults(lambda kind, broker: record.write(_of_queues(kind, broker)))
        resting = Resting(installation, topic, record)
        yield Consuming(fleet, further, home, traffic, store, resting, is_hooked)


@dataclass
class Consuming:
    """Consumers that work on a topic."""

    fleet: Fleet
    further: Mapping[Kind, Ways]
    home: Path
    traffic: "Traffic"
    store: Store
    resting: Resting
    are_eager: bool
    queues: int = field(default=QUEUES, init=False)
    """The topic's: those for messages that failed have an owner, too, but hardly any message."""

    @property
    def lines(self) -> int:
        """Each member has one, or each broker if its hook obeys for them."""
        return len(BROKERS) if self.are_eager else MEMBERS

    def owned(self) -> int:
        """How many are worked on."""
        return self._worked_on(read(self.home), since=0)

    def heal(self) -> None:
        """Produce on: who owns a queue shows only when it works."""

    def rests(self) -> bool:
        """Whether all work on all queues again, and then all that is there has had its effect."""
        history = read(self.home)
        if self.traffic.runs:
            if not self._is_at_work(history):
                return False
            self.traffic.stop()
            history = read(self.home)
        return {it.number for it in history if it.kind == "acked"} <= self.store.effects

    def conclude(self) -> History:
        """Say also whose the queues were."""
        return with_tenures(read(self.home))

    def _is_at_work(self, history: History) -> bool:
        """Whether all work, and on all queues; on each but one, where no token tells that."""
        if self.are_eager:
            return is_steady(history, self.queues) and self.resting.excuses(without_work(history))
        (healed,) = [it.at for it in history if it.kind == "healed"]
        are_all = self._worked_on(history, healed) == self.queues
        return are_all and self.resting.excuses(idle(with_tenures(history)))

    def _worked_on(self, history: History, since: int) -> int:
        worked_on = {it.queue for it in history if it.kind == "effect" and it.at > since}
        return len({it for it in worked_on if it < self.queues})


class Traffic:
    """Numbered messages, while the ``with`` block lasts, or until it is stopped."""

    def __init__(self, names: str, topic: str, home: Path) -> None:
        told = [names, topic, str(_EACH), str(RATE), str(home / "producer.events")]
        self._command = java(home / "producer", "ChaosTraffic", *told)
        self._log = home / "producer.log"
        self.runs = True

    def stop(self) -> None:
        """Send nothing more, and wait until what is on its way is there.

        Raises:
            Failure: It has ended by itself.
        """
        if not self.runs:
            return
        self.runs = False
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            code = self._process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        if code != 0:
            said = self._log.read_text(errors="replace")[-5_000:]
            raise Failure("the producer has failed", ExitCode.UNHEALTHY, details=said)

    def __enter__(self) -> Self:
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=log, stderr=log
            )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.stop()
        else:
            self._process.kill()
            self._process.wait()


def _of_queues(kind: EventKind, broker: int) -> list[Event]:
    """The same of each queue of a broker, by the numbers that members and producer give them."""
    at, queues = time.monotonic_ns(), [*range(broker * _EACH, (broker + 1) * _EACH)]
    return [Event(at, BROKERS[broker], kind, it) for it in [*queues, QUEUES + broker]]


def _hooks(installation: Installation, group: str) -> Hooks:
    """How the brokers are set for a group. Each has the line of a member, for these have none."""
    broker, controller = installation
    told = {"prefix": controller.prefix, "groups": group, "patience": str(_HOOK_PATIENCE_S)}
    return {
        name: {"kafka": broker.lines.servers(number), **told} for number, name in enumerate(BROKERS)
    }


def _command(
    servers: Servers, installation: Installation, topic: str, home: Path, store: int, kind: str
) -> Command:
    """How a consumer is started."""
    broker, controller = installation

    def command(number: int, who: str) -> Sequence[str]:
        about = [servers.names, broker.lines.servers(number), controller.prefix, topic, topic]
        told = [str(_EACH), f"m{number}", who, kind, str(home / f"{who}.events"), str(store)]
        library = FIVE if kind == _HOOKED else _LIBRARIES[number % len(_LIBRARIES)]
        return java(home / who, "ChaosMember", *about, *told, library=library)

    return command
