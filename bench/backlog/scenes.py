"""The scenes: a controller that is killed, or frozen, while very many beats are written.

Two members work, and a third falls silent just before. A fourth joins while the controller is gone,
so its join waits with all the beats. What must come of it: the two that live lose nothing but what
they hand over, the newcomer gets its share by hand-over, and only the silent one is removed.

Called by the command. Its one rule: a wrong decision is a failure, not a figure.
"""

import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # stubs

from bench.backlog.flood import flood
from bench.backlog.memory import watched
from bench.backlog.observer import Observer
from bench.floor.contender import Contender
from bench.floor.plan import Side
from bench.floor.race import make_topics, settings_of
from bench.floor.writer import Outlet
from console.embedded.broker import EmbeddedKafka
from console.errors import Failure
from console.progress import Progress
from trimtab import Member
from trimtab.protocol import DEFAULT_PARTITIONS, MEMBERS, Join, encode, partition_of

_GROUP: Final = "billing"
_TOPIC: Final = "orders"
_QUEUES: Final = 8
_ALL: Final = list(range(_QUEUES))
_SILENT: Final = "silent"
_LIFE: Final = "1767225600000-0a1b2c3d"


class Scene(StrEnum):
    """What becomes of the controller."""

    KILLED = "killed"
    FROZEN = "frozen"


class Told(NamedTuple):
    """What a scene was like."""

    scene: Scene
    written_s: float
    """What it took to write the beats."""
    newcomer_s: float
    """From the controller's return until the newcomer works."""
    rest_s: float
    """Until the silent member is removed and nothing moves any more."""
    memory: int
    """The most that the controller took, in bytes."""


def play(scene: Scene, beats: int, directory: Path, progress: Progress) -> Told:
    """Play a scene on a Kafka of its own.

    Raises:
        Failure: Something did not start, did not come true, or was decided wrongly.
    """
    home = directory / scene
    with ExitStack() as running:
        kafka = running.enter_context(EmbeddedKafka(home, port=0, progress=progress))
        outlet = Outlet(Side.TRIMTAB, kafka.bootstrap_servers, "t.", DEFAULT_PARTITIONS)
        make_topics(outlet)
        _make_queues(outlet)
        controller = running.enter_context(_started(home, outlet))
        observer = running.enter_context(closing(Observer(outlet, _GROUP, controller.check)))
        with progress.step("two members and a silent one come to rest"):
            cast = [running.enter_context(_Player(outlet, name)) for name in "ab"]
            observer.wait_until(lambda: observer.at_rest("a", "b"))
            _join_silently(outlet)
            observer.wait_until(lambda: observer.at_rest("a", "b", _SILENT))
        before = len(observer.handovers)
        controller.freeze()
        with progress.step(f"{beats:,} beats are written; the controller is {scene}"):
            began = time.monotonic()
            flood(outlet.servers, outlet.prefix, beats)
            written_s = time.monotonic() - began
        newcomer = running.enter_context(_Player(outlet, "c"))
        with progress.step("the controller is back, and reads"):
            began = time.monotonic()
            if scene is Scene.KILLED:
                controller.kill()
                controller = running.enter_context(_started(home, outlet))
                observer.check = controller.check
            else:
                controller.thaw()
            with watched(controller.pid) as memory:
                observer.wait_until(lambda: len(newcomer.queues()) > 0)
                newcomer_s = time.monotonic() - began
                observer.wait_until(lambda: observer.at_rest("a", "b", "c"))
                observer.wait_until(lambda: _worked_on(*cast, newcomer) == _ALL)  # they read it
                rest_s = time.monotonic() - began
        _judge(cast, newcomer, observer, before)
        return Told(scene, written_s, newcomer_s, rest_s, memory[0])


class _Player(Member):
    """A member that notes what it has lost."""

    def __init__(self, outlet: Outlet, name: str) -> None:
        self.lost: list[object] = []
        super().__init__(
            outlet.servers,
            group=_GROUP,
            topics=[_TOPIC],
            member_id=name,
            prefix=outlet.prefix,
            on_lost=self.lost.extend,
        )

    def queues(self) -> set[int]:
        """What it works on."""
        return {grant.queue.id for grant in self.assignment}


def _worked_on(*players: "_Player") -> list[int]:
    return sorted(it for player in players for it in player.queues())


def _judge(old: Sequence["_Player"], newcomer: "_Player", observer: Observer, before: int) -> None:
    """See that nothing was decided wrongly; so many hand-overs were before.

    Raises:
        Failure: It was.
    """
    for player in (*old, newcomer):
        if player.lost:
            raise Failure(f"{player.member_id} has lost {player.lost}")
    if _worked_on(*old, newcomer) != _ALL:
        raise Failure(f"not each queue is worked on once: {_worked_on(*old, newcomer)}")
    stay = {player.member_id for player in old}
    for number, handover in enumerate(observer.handovers):
        silent = handover.from_member == _SILENT
        needless = number >= before and {handover.from_member, handover.to_member} <= stay
        if (handover.ending == "released") is silent or needless:
            raise Failure(f"a hand-over that should not be: {handover}")


def _started(home: Path, outlet: Outlet) -> Contender:
    return Contender(Side.TRIMTAB, home / "trimtab", settings_of(outlet))


def _make_queues(outlet: Outlet) -> None:
    admin = AdminClient({"bootstrap.servers": outlet.servers, "log_level": 2})
    admin.create_topics([NewTopic(_TOPIC, _QUEUES, 1)])[_TOPIC].result()


def _join_silently(outlet: Outlet) -> None:
    """Join in the name of a member that is never heard again."""
    producer = Producer({"bootstrap.servers": outlet.servers, "log_level": 2})
    joined = encode(Join(member=_SILENT, incarnation=_LIFE, sequence=1, topics=(_TOPIC,)))
    place = partition_of(_GROUP, outlet.partitions)
    producer.produce(f"{outlet.prefix}{MEMBERS.name}", joined, _GROUP.encode(), place)
    if producer.flush(10):
        raise Failure("Kafka does not take a join")
