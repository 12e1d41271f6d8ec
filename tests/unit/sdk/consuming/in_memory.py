"""A reader whose Kafka and member are in memory: what is taken, owned and committed is at hand."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future
from typing import Any, cast

from confluent_kafka import KafkaError, KafkaException, Message

from tests.builders.sessions import queue
from trimtab import Grant
from trimtab.callbacks import Ownership
from trimtab.consuming.assembly import Parts
from trimtab.consuming.choice import Start, Times, Told
from trimtab.consuming.commits import Commits
from trimtab.consuming.contract import Committed, Ends, RefusedError
from trimtab.consuming.handover import Handover
from trimtab.consuming.intake import Intake
from trimtab.consuming.offsets import GroupOffsets
from trimtab.consuming.refusals import Refusals
from trimtab.consuming.taking import Taking
from trimtab.consuming.upkeep import Upkeep
from trimtab.protocol import QueueRef
from trimtab.transports.link import Link

REFUSALS = Refusals(Link.of_confluent("broker-1:9092", {}), "billing", ["orders"])


class Said:
    """A message."""

    def __init__(self, offset: int, it: QueueRef) -> None:
        self._offset, self._queue = offset, it

    def topic(self) -> str:
        """Its topic."""
        return self._queue.topic

    def partition(self) -> int:
        """Its partition."""
        return self._queue.id

    def offset(self) -> int:
        """Its offset."""
        return self._offset


class Memory:
    """What reads, and what commits."""

    slice_s = 0.005
    lack: Exception = KafkaException(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART))

    def __init__(self) -> None:
        self.astray: dict[QueueRef, int | None] = {}
        self.troubles: list[Exception] = []
        self.messages: list[Said] = []
        self.reached: dict[QueueRef, int] = {}
        self.length = 1_000
        self.earliest = 0
        self.leaderless: set[QueueRef] = set()
        self.denied: set[QueueRef] = set()
        self.commits = True
        self.begun: dict[QueueRef, int] = {}
        self.interrupts = False
        self.written: list[dict[QueueRef, int]] = []
        self.refusal: RefusedError | None = None

    def open(self) -> None:
        """It is open."""

    def take(self, most: int, timeout_s: float) -> list[Said]:
        """Take what there is."""
        if not self.messages:
            time.sleep(timeout_s)
        taken, self.messages = self.messages[:most], self.messages[most:]
        for it in taken:
            self.reached[QueueRef(it.topic(), "", it.partition())] = it.offset() + 1
        if self.interrupts:
            raise InterruptedError
        return taken

    collect = take

    def look(self) -> None:
        """It reads."""

    def begin(self, places: Mapping[QueueRef, int]) -> None:
        """Read these."""
        self.begun |= places

    def end(self, queues: Collection[QueueRef]) -> None:
        """Read these no more."""
        for it in queues:
            self.astray.pop(it, None)
            self.reached.pop(it, None)

    def pause(self, queues: Iterable[QueueRef]) -> None:
        """Nothing is fetched."""

    resume = pause

    def positions(self, queues: Iterable[QueueRef]) -> dict[QueueRef, int]:
        """What comes next."""
        return {it: self.reached[it] for it in queues if it in self.reached}

    def ends(self, queues: Iterable[QueueRef]) -> dict[QueueRef, int]:
        """Where they end."""
        return dict.fromkeys(queues, self.length)

    def committed(self, queues: list[QueueRef], _: float) -> Committed:
        """What is committed."""
        every = {queue: at for places in self.written for queue, at in places.items()}
        none = 0 if self.commits else -1
        at = {it: (every.get(it, none), "") for it in queues if it not in self.denied}
        return Committed(at, None if len(at) == len(queues) else RefusedError(self.lack))

    def found(self, queues: list[QueueRef], end: object, _: float) -> Ends:
        """Where they begin, or end."""
        there = [it for it in queues if it not in self.leaderless]
        at = dict.fromkeys(there, self.length if end == "latest" else self.earliest)
        refused = None if len(at) == len(queues) else RefusedError(self.lack)
        return Ends(at, refused)

    def found_apart(
        self, queues: list[QueueRef], end: Start, timeout_s: float
    ) -> dict[QueueRef, int]:
        """Answer the same."""
        return self.found(queues, end, timeout_s).at

    def close(self) -> None:
        """It is closed."""

    def write(self, places: Mapping[QueueRef, tuple[int, str]]) -> Future[Any]:
        """Commit."""
        self.written.append({it: at for it, (at, _) in places.items()})
        answer: Future[Any] = Future()
        answer.set_result(None)
        return answer

    def check(self, _: Future[Any]) -> None:
        """Say what is wrong with a commit."""
        if self.refusal is not None:
            raise self.refusal

    def drop(self) -> None:
        """Nothing is on its way."""


class InMemory:
    """A reader of one queue, and the member's view of what is owned."""

    def __init__(self, *, manual: bool = False) -> None:
        self.kafka = Memory()
        self.owned: set[Grant] = set()
        self.finish_by: float | None = None
        client = cast("Any", self.kafka)
        offsets = GroupOffsets(client, "earliest")
        self.intake = Intake(client, offsets, self._owned, manual=manual)
        commits = Commits(client, self._owned, self.intake.heard)
        self.errors: list[Exception] = []
        self.stuck: list[float] = []
        self.revoked: list[bool] = []
        """Each time that the application is told of it: whether it has nothing in hand then."""
        self.tells_revoked: Callable[[], object] = bool
        """What the application does then."""
        told = Told(bool, self._revoke, bool, self.errors.append, self.stuck.append)
        self.handover = Handover(self.intake, commits, None, told, 2.0)
        self.upkeep = Upkeep(self.handover, Times(60, 600, 0.05), told, REFUSALS)
        self.parts = Parts(self.intake, self.handover, self.upkeep)
        self.taking = Taking(self.intake, lambda: False)

    def grant(self, token: int, position: int = 0) -> Grant:
        """Have it own the queue."""
        grant = Grant(queue(), token, position=position)
        self.owned.add(grant)
        self.handover.on_assigned((grant,))
        return grant

    def lose(self, grant: Grant) -> None:
        """Have it own the queue no more."""
        self.owned.discard(grant)
        self.handover.on_lost((grant,))

    def offer(self, *offsets: int) -> None:
        """Have messages come."""
        self.kafka.messages += [Said(it, queue()) for it in offsets]

    def take(self, seconds: float = 1.0) -> Message | None:
        """Come back for the next message."""
        return self.taking.next(time.monotonic() + seconds)

    def taken(self) -> Message:
        """Take a message that is there."""
        message = self.take()
        assert message is not None
        return message

    def committed(self) -> list[int]:
        """What was committed, in order."""
        return [at for places in self.kafka.written for at in places.values()]

    def _revoke(self, _: tuple[Grant, ...]) -> None:
        self.revoked.append(self.intake.hand.is_empty())
        self.tells_revoked()

    def _owned(self, grants: Collection[Grant]) -> Ownership:
        mine, until = frozenset(self.owned & set(grants)), time.monotonic() + 3_600
        return Ownership(mine, until, "0-life", finish_by=self.finish_by)
