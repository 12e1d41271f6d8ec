"""A session of a member that knows no releases: the eager and the broadcasting ones.

What RocketMQ's own clients are like. It cries that it is there, and on what it works; what its
newest orders say it does at once; and it never doubts itself: cut off from everybody it goes on. It
has the face of the SDK's session, so that a ``process`` can live it.
"""

from collections.abc import Iterator
from typing import Any, Literal, TypedDict

from tests.simulation.rules import GROUP
from tests.simulation.scenario import SESSION_MS
from trimtab.protocol import (
    HEARTBEATS,
    MEMBERS,
    Assignment,
    Beat,
    GrantRef,
    Join,
    Leave,
    MemberRecord,
    Topic,
    encode,
)
from trimtab.session import Assigned, Ended, Grant, Lost, Send, incarnation
from trimtab.session.actions import Ending, LossReason

Manner = Literal["eager", "broadcasting"]


class _Signature(TypedDict):
    member: str
    incarnation: str
    sequence: int


class Crier:
    """One life after another of one member."""

    def __init__(self, member: str, topics: tuple[str, ...], manner: Manner, number: int) -> None:
        self.member, self.topics, self.manner, self.number = member, topics, manner, number
        self.works_on: dict[GrantRef, Grant] = {}
        self._sequence = 0

    def begin(self, now: int) -> None:
        """Start a life."""
        self.incarnation = incarnation(now, self.number)
        self.epoch, self.wake_at = 0, now

    @property
    def phase(self) -> str:
        """Where it stands, in the SDK's words."""
        return "joined" if self.epoch else "joining"

    def tick(self, now: int) -> list[Send]:
        """Cry, if it is time: what it works on, or, as long as nobody answers, that it is there."""
        if now < self.wake_at:
            return []
        self.wake_at = now + SESSION_MS // 3
        if self.epoch:
            owned = tuple(self.works_on)
            return [self._says(HEARTBEATS, Beat(**self._signed(), epoch=self.epoch, owned=owned))]
        eager = self.manner == "eager"
        join = Join(
            **self._signed(),
            topics=self.topics,
            session_timeout_ms=SESSION_MS,
            protocol="eager" if eager else "cooperative",
            mode="clustering" if eager else "broadcasting",
        )
        return [self._says(MEMBERS, join)]

    def receive(self, record: Assignment | None, now: int) -> list[Assigned | Lost | Ended]:
        """Do what it is told, at once."""
        if record is None:
            lost = self._lost(LossReason.UNKNOWN)
            self.begin(now)
            return lost
        if record.incarnation > self.incarnation:
            return [*self._lost(LossReason.REPLACED), Ended(Ending.REPLACED)]
        if record.incarnation < self.incarnation or record.epoch <= self.epoch:
            return []
        self.epoch, self.wake_at = record.epoch, now
        return list(self._follows(record))

    def _follows(self, record: Assignment) -> Iterator[Assigned | Lost]:
        gone = [ref for ref in self.works_on if ref not in record.hold]
        if gone:
            yield Lost(tuple(self.works_on.pop(ref) for ref in gone), LossReason.TAKEN)
        new = [ref for ref in record.hold if ref not in self.works_on]
        if new:
            self.works_on |= {ref: Grant(ref.queue, ref.epoch) for ref in new}
            yield Assigned(tuple(self.works_on[ref] for ref in new))

    def _lost(self, reason: LossReason) -> list[Assigned | Lost | Ended]:
        grants = tuple(self.works_on.values())
        self.works_on.clear()
        return [Lost(grants, reason)] if grants else []

    def stop(self, now: int, timeout_ms: int) -> list[Lost | Send | Ended | Assigned]:
        """Stop, and say so."""
        del now, timeout_ms
        leave = self._says(MEMBERS, Leave(**self._signed()))
        return [*self._lost(LossReason.TAKEN), leave, Ended(Ending.LEFT)]

    def nothing(self, *what: object) -> list[Send]:
        """What it answers to releases, to answers, and to the end of the log."""
        del what
        return []

    finish = acknowledged = failed = hear = caught_up = nothing

    def _signed(self) -> _Signature:
        self._sequence += 1
        return _Signature(member=self.member, incarnation=self.incarnation, sequence=self._sequence)

    def _says(self, topic: Topic[Any], record: MemberRecord) -> Send:
        return Send(topic.name, GROUP.encode(), encode(record), self._sequence)
