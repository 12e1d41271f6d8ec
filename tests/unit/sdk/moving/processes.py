"""Processes of a group that moves, with everything around their movers in memory."""

import threading
import time
from collections.abc import Collection, Mapping
from typing import cast

from tests.builders.application import until
from tests.builders.sessions import queue
from trimtab import Grant
from trimtab.callbacks import Ownership
from trimtab.consuming.handover import Finished, Handover
from trimtab.engine import State
from trimtab.errors import MemberFailedError, TransportError
from trimtab.moving.company import Company
from trimtab.moving.ending import Ending
from trimtab.moving.mover import Mover
from trimtab.moving.sides import Asking, LastCommit, Others, Side, read_commit
from trimtab.moving.silence import Silence
from trimtab.moving.subscription import Changes, Subscription
from trimtab.moving.wanted_side import WantedSide
from trimtab.protocol import QueueRef

QUEUES = [queue(number) for number in range(4)]


class Kafka:
    """What is committed, what is wanted, and who works."""

    def __init__(self) -> None:
        self.committed = dict.fromkeys(QUEUES, (0, ""))
        self.wanted: Side | None = None
        self.others: Others = "can"
        self.refuses = False
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
        self.begun: dict[QueueRef, int | None] = {}  # where each began last
        self.held: set[QueueRef] = set()  # of these it has a message in hand, and does not finish
        self.in_between = 0  # it commits so many more by itself before it gives a queue up
        self.awaited: set[QueueRef] = set()  # of these somebody waits for that
        self.abandoned = Abandoned(0.0)
        self.times_read = 0  # the wanted side
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
        self.times_read += 1
        return self.kafka.wanted

    def last_commits(self, queues: Collection[QueueRef]) -> dict[QueueRef, LastCommit]:
        """What is committed; it takes a moment."""
        time.sleep(0.001)
        return {it: read_commit(*self.kafka.committed[it]) for it in queues}

    def commit(self, places: Mapping[QueueRef, tuple[int, str]]) -> None:
        """Commit, if Kafka takes it."""
        if self.kafka.refuses:
            raise TransportError("it has not said so")
        self.kafka.committed |= places

    def change(self) -> None:
        """Kafka has assigned anew."""

    def others(self, asking: Asking, *_: object) -> Others:
        """Whether they can all move, if that is asked."""
        return "unknown" if asking == "never" else self.kafka.others

    def close(self) -> None:
        """It has left."""

    # As what reads.

    def on_assigned(self, grants: tuple[Grant, ...]) -> None:
        """Work on these."""
        self.make_mistakes()
        self.begun |= {it.queue: it.position for it in grants}
        for it in grants:
            if (other := self.kafka.at_work.setdefault(it.queue, self.name)) != self.name:
                self.kafka.wrong.append(f"{it.queue}: {self.name} begins beside {other}")

    def on_revoked(
        self, grants: tuple[Grant, ...], finished: Finished = bool
    ) -> dict[QueueRef, int]:
        """Something is in hand, of some of them."""
        idle = tuple(it for it in grants if it.queue not in self.held)
        at_once = self._finish(idle)
        finished(at_once)
        return at_once | self._finish(tuple(it for it in grants if it not in idle))

    def _finish(self, grants: tuple[Grant, ...]) -> dict[QueueRef, int]:
        self.make_mistakes()
        time.sleep(0.002)
        queues = {it.queue for it in grants}
        self.awaited |= queues
        try:
            until(lambda: self.held.isdisjoint(queues))
        finally:
            self.awaited -= queues
        for it in grants if self.in_between else ():
            at = self.kafka.committed[it.queue][0] + self.in_between
            self.kafka.committed[it.queue] = (
                at,
                self.mover.said(it.queue, at, f"trimtab:{it.token}:"),
            )
        self.on_lost(grants)
        return {it.queue: self.kafka.committed[it.queue][0] + 1 for it in grants}

    def in_hand(self) -> frozenset[QueueRef]:
        """These."""
        return frozenset(self.held)

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


def to_take(process: Process, it: QueueRef) -> None:
    """Kafka assigns it to a process."""
    process.assigned.add(it)
    process.mover.take([it])


def to_grant(process: Process, grant: Grant) -> None:
    """The controller grants it."""
    process.grants[grant.queue] = grant
    process.mover.on_assigned((grant,))
