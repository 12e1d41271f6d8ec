"""Movers, with everything around them in memory: whatever comes at a time, one works on a queue."""

import threading
import time
from asyncio import CancelledError
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from random import Random
from typing import cast

import pytest

from tests.builders.application import until
from tests.builders.sessions import queue
from trimtab import Grant
from trimtab.callbacks import Ownership
from trimtab.consuming.handover import Handover
from trimtab.engine import State
from trimtab.errors import CallbackError, MemberFailedError
from trimtab.moving import mover as module
from trimtab.moving import wanted_side
from trimtab.moving.company import Company
from trimtab.moving.ending import Ending
from trimtab.moving.mover import Mover
from trimtab.moving.sides import LastCommit, Side, read_commit
from trimtab.moving.silence import Silence
from trimtab.moving.subscription import Changes, Subscription
from trimtab.moving.wanted_side import WantedSide
from trimtab.protocol import QueueRef

QUEUES = [queue(number) for number in range(4)]
STEPS = 60


class Kafka:
    """What is committed, what is wanted, and who works."""

    def __init__(self) -> None:
        self.committed = dict.fromkeys(QUEUES, (0, ""))
        self.wanted: Side | None = None
        self.at_work: dict[QueueRef, str] = {}
        self.wrong: list[str] = []


class Abandoned(Silence):
    """Queues whose owners on trimtab's side are gone, as far as one process sees."""

    queues: frozenset[QueueRef] = frozenset()

    def gone(self, *_: object) -> frozenset[QueueRef]:
        """Those."""
        return self.queues


class Process:
    """One mover, its member and its reader."""

    def __init__(self, name: str, kafka: Kafka) -> None:
        self.name, self.kafka = name, kafka
        self.grants: dict[QueueRef, Grant] = {}
        self.assigned: set[QueueRef] = set()
        self.gone = threading.Event()
        self.errors: list[Exception] = []
        self.failures: list[MemberFailedError] = []
        self.mistake: BaseException | None = None  # what a callback of its application raises
        self.abandoned = Abandoned(0.0)
        subscription, wanted = cast("Subscription", self), cast("WantedSide", self)
        ways = (subscription, wanted, cast("Company", self), self.abandoned)
        reader, report = cast("Handover", self), self.errors.append
        self.mover = Mover(reader, self.granted, ways, Ending(self), report)

    # As a member.

    @property
    def state(self) -> State:
        """Where it is in its life."""
        return "failed" if self.failures else "ended" if self.gone.is_set() else "joined"

    def fail(self, failure: MemberFailedError) -> None:
        """End at once."""
        self.failures.append(failure)

    def granted(self, grants: Collection[Grant]) -> Ownership:
        """As a member answers."""
        mine = {it for it in grants if (has := self.grants.get(it.queue)) and has.token == it.token}
        return Ownership(frozenset(mine), float("inf"), "life")

    # As a subscription and a wanted side.

    def start(self, changes: Changes) -> None:
        """It is subscribed."""

    def read(self) -> Side | None:
        """The wanted side."""
        return self.kafka.wanted

    def last_commits(self, queues: Collection[QueueRef]) -> dict[QueueRef, LastCommit]:
        """What is committed; it takes a moment."""
        time.sleep(0.001)
        return {it: read_commit(*self.kafka.committed[it]) for it in queues}

    def commit(self, places: Mapping[QueueRef, tuple[int, str]]) -> None:
        """Commit."""
        self.kafka.committed |= places

    def agrees(self, wanted: Side | None, *_: object) -> Side | None:
        """Nobody is there who cannot move."""
        return wanted

    def close(self) -> None:
        """It has left."""

    # As what reads.

    def on_assigned(self, grants: tuple[Grant, ...]) -> None:
        """Work on these."""
        self.make_mistakes()
        for it in grants:
            if (other := self.kafka.at_work.setdefault(it.queue, self.name)) != self.name:
                self.kafka.wrong.append(f"{it.queue}: {self.name} begins beside {other}")

    def on_revoked(self, grants: tuple[Grant, ...]) -> dict[QueueRef, int]:
        """Something is in hand."""
        self.make_mistakes()
        time.sleep(0.002)
        self.on_lost(grants)
        return {it.queue: self.kafka.committed[it.queue][0] + 1 for it in grants}

    def on_lost(self, grants: tuple[Grant, ...]) -> None:
        """Stop."""
        self.make_mistakes()
        for it in grants:
            if self.kafka.at_work.pop(it.queue, None) != self.name:
                self.kafka.wrong.append(f"{it.queue}: {self.name} ends what it does not work on")

    def make_mistakes(self) -> None:
        """Have a callback of the application raise."""
        if self.mistake is not None:
            raise self.mistake


@pytest.fixture
def pair(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Process, Process]]:
    """Two processes of a group; a second is a few milliseconds."""
    for place, name, seconds in (
        (wanted_side, "READ_S", 0.005),
        (wanted_side, "_HEARD_S", 0.01),
        (module, "READ_S", 0.005),
        (module, "_SOON_S", 0.001),
    ):
        monkeypatch.setattr(place, name, seconds)
    kafka = Kafka()
    both = Process("a", kafka), Process("b", kafka)
    with ExitStack() as stack:
        for it in both:
            stack.callback(it.mover.end, 60.0)
            stack.callback(it.gone.set)
            it.mover.start()
        yield both


def share(pair: tuple[Process, Process]) -> None:
    """Each side gives half to each, but not the same half."""
    for number, it in enumerate(QUEUES):
        to_take(pair[number % 2], it)
        to_grant(pair[number // 2], Grant(it, 1))


def to_take(process: Process, it: QueueRef) -> None:
    """Kafka assigns it to a process."""
    process.assigned.add(it)
    process.mover.take([it])


def to_grant(process: Process, grant: Grant) -> None:
    """The controller grants it."""
    process.grants[grant.queue] = grant
    process.mover.on_assigned((grant,))


def workers(pair: tuple[Process, Process], side: Side) -> dict[QueueRef, str]:
    """Who is to work on what."""
    return {
        it: process.name
        for process in pair
        for it in (process.assigned if side == "kafka" else process.grants)
    }


def test_all_go_over_and_back(pair: tuple[Process, Process]) -> None:
    """Who owns a queue on the side that was wanted works on it, and nobody else."""
    kafka = pair[0].kafka
    share(pair)
    until(lambda: kafka.at_work == workers(pair, "kafka"))  # without any wanted side
    for side in ("trimtab", "kafka", "trimtab"):
        kafka.wanted = side
        until(lambda: kafka.at_work == workers(pair, kafka.wanted or "kafka"))

    assert ([], [], []) == (kafka.wrong, pair[0].errors, pair[1].errors)
    assert {"trimtab:1:"} == {said for _, said in kafka.committed.values()}
    assert {3} == {offset for offset, _ in kafka.committed.values()}


@pytest.mark.parametrize("seed", range(4))
def test_whatever_comes_at_a_time_one_works(pair: tuple[Process, Process], seed: int) -> None:
    """Orders, rebalances and hand-overs, with no time between them; and then all is at rest."""
    kafka, random = pair[0].kafka, Random(seed)
    share(pair)
    for _ in range(STEPS):
        one, (before, after) = random.choice(QUEUES), random.sample(pair, 2)
        match random.choice(("want", "kafka", "trimtab", "nothing")):
            case "want":
                kafka.wanted = random.choice(("kafka", "trimtab"))
            case "kafka" if one in before.assigned:
                before.mover.give([one])
                before.assigned.discard(one)
                to_take(after, one)
            case "trimtab" if (grant := before.grants.get(one)) is not None:
                before.mover.on_revoked((grant,))
                del before.grants[one]
                to_grant(after, Grant(one, grant.token + 1))
            case _:
                time.sleep(random.uniform(0.0, 0.01))
    kafka.wanted = "trimtab"
    until(lambda: kafka.at_work == workers(pair, "trimtab"))

    assert ([], [], []) == (kafka.wrong, pair[0].errors, pair[1].errors)


def test_what_others_commit_takes_it_away(pair: tuple[Process, Process]) -> None:
    """A program that knows no sides was given the queue by Kafka: two are less than one."""
    kafka = pair[0].kafka
    kafka.wanted = "trimtab"
    share(pair)
    until(lambda: kafka.at_work == workers(pair, "trimtab"))
    for process in pair:
        process.mover.give(QUEUES)
    kafka.committed |= dict.fromkeys(QUEUES, (9, ""))
    until(lambda: kafka.at_work == {})

    assert [] == kafka.wrong


def test_what_nobody_can_give_back_is_taken(pair: tuple[Process, Process]) -> None:
    """Its owner on trimtab's side is gone, and no controller names another."""
    one, other = pair
    kafka = one.kafka
    kafka.wanted = "trimtab"
    share(pair)
    until(lambda: kafka.at_work == workers(pair, "trimtab"))
    other.mover.on_lost(tuple(other.grants.values()))
    other.grants.clear()
    for process in pair:
        process.mover.lose(QUEUES)
        process.assigned.clear()
    for it in QUEUES:
        to_take(one, it)
    kafka.wanted, one.abandoned.queues = "kafka", frozenset(QUEUES)
    until(lambda: kafka.at_work == workers(pair, "kafka"))

    assert [] == kafka.wrong
    assert {"kafka"} == {said.split(":")[0] for _, said in kafka.committed.values()}


@pytest.mark.parametrize("mistake", [LookupError, SystemExit, CancelledError])
def test_a_callback_that_raises_at_the_beginning_ends_the_member(
    pair: tuple[Process, Process], mistake: type[BaseException]
) -> None:
    """On Kafka's side as on trimtab's: it would hold a queue that it never reads."""
    one = pair[0]
    one.mistake = mistake("no such table")
    to_take(one, QUEUES[0])
    until(lambda: one.failures and not one.mover.working)

    assert CallbackError is type(one.failures[0])
    assert ("no such table", []) == (str(one.failures[0].__cause__).strip("'"), one.errors)


@pytest.mark.parametrize("how", ["give", "lose"])
def test_a_callback_that_raises_at_the_end_ends_the_member(
    pair: tuple[Process, Process], how: str
) -> None:
    """Kafka's rebalance goes on, and the queue is nobody's of this process."""
    one = pair[0]
    to_take(one, QUEUES[0])
    until(lambda: one.mover.working)
    one.mistake = CancelledError()
    getattr(one.mover, how)([QUEUES[0]])

    assert CallbackError is type(one.failures[0])
    assert ((), frozenset()) == (one.mover.working, one.mover.owned([Grant(QUEUES[0], 0)]).grants)


def test_what_kafka_says_instead_is_told_once(pair: tuple[Process, Process]) -> None:
    """It may be said again and again, as long as it lasts."""
    one = pair[0]
    for _ in range(3):
        one.mover.trouble(LookupError("INCONSISTENT_GROUP_PROTOCOL"))

    assert ["INCONSISTENT_GROUP_PROTOCOL"] == list(map(str, one.errors))
