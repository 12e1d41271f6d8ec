"""The run: brokers, controller and producers are started, and one broker gets slow and hangs.

The controller's topics live on the good brokers: what is measured is what a bad broker does to
producers, not to Kafka. The messages' partitions have one replica each, dealt out in turn.

Called by the command. Whatever happens, what was started is stopped.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, NamedTuple, Self

from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # stubs

from bench.brokers.cluster import Cluster
from bench.brokers.figures import Story, Turned
from bench.brokers.plan import BAD, BROKERS, PARTITIONS, TOPIC, Fault, Kind, Phase, Plan
from bench.brokers.producers import Note, Sender
from bench.brokers.proxy import Proxy
from bench.floor.contender import Contender
from bench.floor.plan import Side
from console.embedded.ports import choose_port
from console.errors import Failure
from console.progress import Progress
from console.settings import load
from console.topics import wanted
from streaming.process.readiness import read
from trimtab.protocol import BROKERS as VERDICTS
from trimtab.protocol import DEFAULT_PARTITIONS, DEFAULT_PREFIX, decode, read_broker_key

_START_S: Final = 180.0
_LATE: Final = 0.8
"""When newcomers come: so far into a fault that the verdict is known."""


def play(plan: Plan, directory: Path, progress: Progress) -> Story:
    """Play it.

    Raises:
        Failure: Something did not start.
    """
    with ExitStack() as running:
        proxied = choose_port(0)
        with progress.step(f"starting {BROKERS} brokers"):
            cluster = running.enter_context(Cluster(directory, {BAD: proxied}))
            proxy = running.enter_context(Proxy(proxied, cluster.port(BAD)))
            create_topics(cluster.servers)
        with progress.step("starting the controller"):
            _await(running.enter_context(_controller(plan, directory, cluster.servers)), directory)
        notes: list[Note] = []
        producers = [
            Sender(kind, cluster.servers, plan, notes)
            for kind in Kind
            for _ in range(plan.producers)
        ]
        watch = running.enter_context(_Watch(cluster.servers))
        begun = time.monotonic()
        with progress.step(f"{len(producers)} producers begin to send"):
            for sender in producers:
                sender.start(begun)
            if not all(sender.ready.wait(_START_S) for sender in producers):
                raise Failure("a producer does not find the brokers")
        late = time.monotonic() - begun
        phases = [Phase(it.fault, it.begin + late, it.end + late) for it in plan.phases()]
        stage = _Stage(plan, cluster, proxy, begun, notes)
        newcomers = _live_through(phases, stage, progress)
        with progress.step("waiting for what is on its way"):
            for sender in producers:
                sender.stop()
            for sender in [*producers, *newcomers]:
                sender.join()
        return Story(plan, phases, notes, watch.turns(begun))


class _Stage(NamedTuple):
    """What things happen to."""

    plan: Plan
    cluster: Cluster
    proxy: Proxy
    begun: float
    notes: list[Note]


def _live_through(phases: Sequence[Phase], stage: _Stage, progress: Progress) -> list[Sender]:
    """Let things happen at their times; return the newcomers."""
    newcomers: list[Sender] = []
    for phase in phases:
        _sleep_until(stage.begun + phase.begin)
        with progress.step(f"the bad broker is {phase.fault}"), _trouble(phase, stage):
            if phase.fault is not Fault.NONE:
                _sleep_until(stage.begun + phase.begin + _LATE * (phase.end - phase.begin))
                newcomers += _join_late(stage, len(newcomers))
            _sleep_until(stage.begun + phase.end)
    return newcomers


def _join_late(stage: _Stage, number: int) -> list[Sender]:
    kinds = [kind for kind in Kind for _ in range(stage.plan.newcomers)]
    servers = stage.cluster.servers
    senders = [
        Sender(kind, servers, stage.plan, stage.notes, number + place)
        for place, kind in enumerate(kinds)
    ]
    for sender in senders:
        sender.start(stage.begun)
    return senders


@contextmanager
def _trouble(phase: Phase, stage: _Stage) -> Iterator[None]:
    match phase.fault:
        case Fault.SLOW:
            stage.proxy.delay_s = stage.plan.delay_s
            yield
            stage.proxy.delay_s = 0.0
        case Fault.HUNG:
            stage.cluster.freeze(BAD)
            yield
            stage.cluster.thaw(BAD)
        case Fault.NONE:
            yield


def _controller(plan: Plan, directory: Path, servers: str) -> Contender:
    settings = [
        f"kafka.bootstrap_servers={servers}",
        "controller.ui_port=0",
        "controller.http_port=0",
        f"brokers.sweep_interval={plan.sweep_s:g}s",
        f"brokers.ejection_time={plan.ejection_s:g}s",
    ]
    return Contender(Side.TRIMTAB, directory / "controller", settings)


def _await(controller: Contender, directory: Path) -> None:
    deadline = time.monotonic() + _START_S
    while read(directory / "controller") is None:
        controller.check()
        if time.monotonic() > deadline:
            raise Failure(f"the controller is not ready; its log is {controller.log}")
        time.sleep(0.1)


def create_topics(servers: str, partitions: int = DEFAULT_PARTITIONS) -> None:
    """Make the topic that is sent to, and the controller's, of which the bad broker has none."""
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 2})
    good = [number + 1 for number in range(BROKERS) if str(number + 1) != BAD]
    settings = load(key_values=[f"topics.partitions={partitions}"], environment={}).settings
    topics = [
        NewTopic(
            it.name,
            it.partitions,
            replica_assignment=[[good[part % len(good)]] for part in range(it.partitions)],
            config=dict(it.config),
        )
        for it in wanted(settings)
    ]
    for made in admin.create_topics(topics).values():
        made.result()
    _create_messages(servers)


def _create_messages(servers: str) -> None:
    """Make the topic that is sent to, its partitions dealt out among the brokers."""
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 2})
    dealt = [[part % BROKERS + 1] for part in range(PARTITIONS)]
    admin.create_topics([NewTopic(TOPIC, PARTITIONS, replica_assignment=dealt)])[TOPIC].result()


class _Watch:
    """Notes when a verdict on the bad broker turns, as a reader sees it."""

    def __init__(self, servers: str) -> None:
        self._turns: list[tuple[float, bool]] = []
        self._closing = threading.Event()
        self._consumer = Consumer(
            {"bootstrap.servers": servers, "group.id": "watch", "log_level": 0}
        )
        name = f"{DEFAULT_PREFIX}{VERDICTS.name}"
        self._consumer.assign([TopicPartition(name, it, 0) for it in range(DEFAULT_PARTITIONS)])
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._thread.join()
        self._consumer.close()

    def turns(self, begun: float) -> list[Turned]:
        """Return what turned, by the producers' time."""
        return [Turned(at - begun, available) for at, available in self._turns]

    def _follow(self) -> None:
        stands = True
        while not self._closing.is_set():
            message = self._consumer.poll(0.1)
            if message is None or message.error() is not None or message.value() is None:
                continue
            verdict = decode(VERDICTS, message.value())
            if read_broker_key(message.key()).broker == BAD and verdict.available != stands:
                stands = verdict.available
                self._turns.append((time.monotonic(), stands))


def _sleep_until(when: float) -> None:
    time.sleep(max(0.0, when - time.monotonic()))
