"""A scene: so many members beat for a while, and one pipeline serves them; probes join meanwhile.

Played by the command. Both sides hear the same rows, at the same rate.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event, Thread, Timer
from typing import Final

from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # stubs

from bench.floor.contender import Contender
from bench.floor.line import Line
from bench.floor.plan import Side
from bench.floor.race import make_topics, settings_of
from bench.floor.writer import Outlet
from bench.populations import ORDERS, QUEUES
from bench.scale.catching_up import caught_up_s, there_after_s
from bench.scale.clients import GROUPS_EACH, groups_of, retried
from bench.scale.generator import READY
from bench.scale.load import Load, Scene
from bench.scale.members import Kind, Told
from bench.scale.outside import Outside
from bench.scale.probes import ClientProbe, MemberProbe, Probe
from bench.scale.soak import EVERY_S, Sample, sampled
from console.embedded.broker import EmbeddedKafka
from console.errors import ExitCode, Failure
from console.progress import Progress
from trimtab.protocol import DEFAULT_PARTITIONS, HEARTBEATS, ROCKETMQ

_TOPIC: Final = "scale"
_START_S: Final = 900.0
"""100,000 joins are half a minute's work, and on a busy machine several minutes'."""
_SETTLE_S: Final = 20.0
"""Java compiles what it has run often enough."""
_LATEST_S: Final = 5.0
"""Beats wait up to a second for their batch; so late, a batch or two were slow."""
_LOOK_S: Final = 1.0
_NEIGHBOUR_S: Final = 60.0
_CHURN_S: Final = 600.0
"""Everybody leaves once in ten minutes, so three times in a soak of half an hour; deployments are
rarer."""
AT_ONCE: Final = {Scene.IDLE, Scene.ROLLING}
"""Scenes without a beat, or that begin when all have joined."""


@dataclass(slots=True)
class Seen:
    """What was seen."""

    side: Side
    scene: Scene
    load: Load
    start_s: float = 0.0
    """Until all had joined, and had been told what they own."""
    cores: dict[str, float] = field(default_factory=dict)
    behind_s: list[float] = field(default_factory=list)
    """How much the beats that wait are, second by second."""
    batch_s: list[float] = field(default_factory=list)
    join_ms: list[float] = field(default_factory=list)
    leave_ms: list[float] = field(default_factory=list)
    state_bytes: int = 0
    generated: dict[str, float] = field(default_factory=dict)
    """What the generator says: beats a second, how late it was, and how many restarted."""
    samples: list[Sample] = field(default_factory=list)
    """Of a soak."""
    caught_up_s: float | None = None
    """How long it took from when all had been told what they own, or from the thaw on; None: it
    never did."""

    @property
    def keeps_up(self) -> bool:
        """Whether little waited in all of the last seconds; nothing does if nobody beats."""
        return self.scene is Scene.IDLE or (
            bool(self.behind_s) and max(self.behind_s[-5:]) < _LATEST_S
        )


def play(
    side: Side,
    scene: Scene,
    load: Load,
    settings: Sequence[str],
    directory: Path,
    progress: Progress,
) -> Seen:
    """Play a scene on a Kafka of its own.

    Args:
        side: Who serves the members.
        scene: What happens meanwhile.
        load: How much.
        settings: ``KEY=VALUE``, for either side.
        directory: For Kafka's data, the checkpoint and logs; empty.
        progress: Who hears what is going on.

    Raises:
        Failure: Something did not start, or did not answer.
    """
    seen = Seen(side, scene, load)
    with ExitStack() as running:
        kafka = running.enter_context(EmbeddedKafka(directory, port=0, progress=progress))
        outlet = Outlet(side, kafka.bootstrap_servers, f"{side}.", DEFAULT_PARTITIONS)
        make_topics(outlet)
        routes = _make_queues(outlet.servers, directory, load)
        home = directory / side
        told = [*settings_of(outlet), routes, *settings]
        contender = running.enter_context(Contender(side, home, told))
        line = Line(outlet, contender.check)
        probe = _probe(line, outlet, load)
        probe.asks()  # it has started
        beats = ROCKETMQ if load.kind is Kind.ROCKETMQ else HEARTBEATS
        outside = Outside(contender.pid, home / "checkpoint", outlet, beats)
        running.enter_context(closing(outside))
        if scene is not Scene.IDLE:
            with progress.step(f"{side}: {load.members:,} members join"):
                began = time.monotonic()
                running.enter_context(_beating(outlet, load, scene, seen))
                seen.start_s = time.monotonic() - began
        if scene not in AT_ONCE:
            with progress.step(f"{side}: catches up"):
                behind_s = partial(_behind_s, outside, seen)
                seen.caught_up_s = there_after_s(behind_s, _START_S, _LATEST_S)
        time.sleep(_SETTLE_S)
        with progress.step(f"{side}: {load.seconds:.0f} s, {scene}"):
            _look(contender, outside, probe, seen)
    return seen


def _probe(line: Line, outlet: Outlet, load: Load) -> Probe:
    """Make a probe like the members; the floor answers only what is urgent, so only the SDK's."""
    if load.kind is Kind.ROCKETMQ and outlet.side is Side.TRIMTAB:
        return ClientProbe(line, outlet, _TOPIC, load.blocks, load.members)
    return MemberProbe(line, answered=outlet.side is Side.TRIMTAB)


def _look(contender: Contender, outside: Outside, probe: Probe, seen: Seen) -> None:
    """Ask for as long as it takes, and look meanwhile."""
    probe.asks()  # whatever was said while all joined is read now
    before, known = outside.used_s(), {it.number for it in outside.batches()}
    began, lasts_s = time.monotonic(), seen.load.seconds
    with _watched(outside, seen), _neighbour(seen):
        if seen.scene is Scene.BACKLOG:
            seen.caught_up_s = caught_up_s(
                contender,
                partial(_behind_s, outside, seen),
                seen.load.seconds,
                _LATEST_S,
            )
            lasts_s = _SETTLE_S  # whether it stays there
        asks = time.monotonic()
        while time.monotonic() - asks < lasts_s:
            if seen.scene is Scene.IDLE:
                time.sleep(_LOOK_S)
            else:
                answered = probe.asks()
                seen.join_ms.append(answered.join_ms)
                seen.leave_ms.append(answered.leave_ms)
    took, after = time.monotonic() - began, outside.used_s()
    seen.cores = {name: (after[name] - before[name]) / took for name in after}
    seen.batch_s = [it.seconds for it in outside.batches() if it.number not in known]
    seen.state_bytes = outside.state_bytes()


def _behind_s(outside: Outside, seen: Seen) -> float:
    """How much the beats that wait are, in seconds."""
    return outside.behind() / max(1.0, seen.load.rate)


def _sample(outside: Outside, now: float, seen: Seen) -> None:
    """Look once more, and say at once what there is: a soak is long."""
    since = time.time() - (now - (seen.samples[-1].at_s if seen.samples else 0.0))
    batches = [it.seconds for it in outside.batches() if it.began > since]
    seen.samples.append(sampled(now, outside.memory(), outside.state_bytes(), batches))
    print(f"{seen.side}: {seen.samples[-1]}", file=sys.stderr, flush=True)


@contextmanager
def _watched(outside: Outside, seen: Seen) -> Iterator[None]:
    """Note every second how far it is behind, and which batches are done; in a soak, sample."""
    over, began = Event(), time.monotonic()

    def watch() -> None:
        while not over.wait(_LOOK_S):
            if seen.scene is not Scene.IDLE:  # nobody beats, and ticks are no beats
                seen.behind_s.append(_behind_s(outside, seen))
            outside.batches()
            now = time.monotonic() - began
            if seen.scene is Scene.SOAK and now >= EVERY_S * (len(seen.samples) + 1):
                _sample(outside, now, seen)

    watcher = Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


@contextmanager
def _neighbour(seen: Seen) -> Iterator[None]:
    """Have somebody take a core for the second third of the time, if the scene says so."""
    if seen.scene is not Scene.NEIGHBOUR:
        yield
        return
    third = seen.load.seconds / 3
    spin = f"import time; time.sleep({third}); end = time.time() + {min(third, _NEIGHBOUR_S)}\n"
    command = [sys.executable, "-c", f"{spin}while time.time() < end: pass"]
    with subprocess.Popen(command) as neighbour:
        try:
            yield
        finally:
            neighbour.kill()


@contextmanager
def _beating(outlet: Outlet, load: Load, scene: Scene, seen: Seen) -> Iterator[None]:
    """Have all members join and beat; the block begins when everybody works."""
    told = Told(
        servers=outlet.servers,
        prefix=outlet.prefix,
        partitions=outlet.partitions,
        topic=_TOPIC,
        groups=load.blocks * (GROUPS_EACH if load.kind is Kind.ROCKETMQ else 1),
        size=load.size,
        interval_s=load.interval_s,
        answered=outlet.side is Side.TRIMTAB,
        rolling_s=load.seconds if scene is Scene.ROLLING else 0.0,
        churn_s=_CHURN_S if scene is Scene.SOAK else 0.0,
        kind=load.kind,
    )
    command = [sys.executable, "-m", "bench.scale.generator", told.text()]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as members:
        assert members.stdin is not None
        assert members.stdout is not None
        try:
            timer = Timer(_START_S, members.kill)
            timer.start()
            if members.stdout.readline().strip() != READY:
                raise Failure("not all members were told what they own", ExitCode.TIMEOUT)
            timer.cancel()
            yield
            members.stdin.close()
            figures = members.stdout.readline()
            if not figures:
                raise Failure("the members have failed: what they said is above")
            seen.generated = json.loads(figures)
        finally:
            timer.cancel()
            members.kill()


def _make_queues(servers: str, directory: Path, load: Load) -> str:
    """Make the probes' queues, and say which ones the members have: Kafka need not have those."""
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 2})
    admin.create_topics([NewTopic(ORDERS, QUEUES, 1)])[ORDERS].result()
    routes = directory / "routes.yaml"
    queues = {_TOPIC: load.queues}
    if load.kind is Kind.ROCKETMQ:
        queues |= {retried(group): 1 for it in range(load.blocks) for group in groups_of(it)}
    routes.write_text(json.dumps({topic: {"broker-a": it} for topic, it in queues.items()}))
    return f"routes.file={routes}"
