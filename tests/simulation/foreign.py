"""A session of a member that is not the SDK's: eager, broadcasting, or hoarding.

RocketMQ's own clients are like this. It says that it is there, and on what it works. It does at
once what its newest assignment says, and it never stops by itself, even when it is cut off. A
hoarder says that it let go, and works on (C8). All have the methods of the SDK's session, so that
a ``process`` can run them.
"""

from collections.abc import Iterator
from typing import Any, Literal, TypedDict

from tests.simulation.rules import GROUP, first_life
from tests.simulation.scenario import SESSION_MS
from trimtab.protocol import (
    HEARTBEATS,
    MEMBERS,
    RELEASES,
    Assignment,
    Beat,
    GrantRef,
    Join,
    Leave,
    MemberRecord,
    Release,
    ReleaseRef,
    Topic,
    encode,
)
from trimtab.session import Assigned, Ended, Grant, Lost, Send
from trimtab.session.actions import Ending, LossReason
from trimtab.session.incarnation import next_incarnation

Manner = Literal["eager", "broadcasting", "hoarding", "sharing"]
"""How a member differs from the usual; one that shares is the SDK's all the same."""


class _Signature(TypedDict):
    member: str
    incarnation: str
    sequence: int


class ForeignMember:
    """One life after another of one member."""

    def __init__(self, member: str, topics: tuple[str, ...], manner: Manner, number: int) -> None:
        self.member, self.topics, self.manner, self.number = member, topics, manner, number
        self.works_on: dict[GrantRef, Grant] = {}
        self.hoards = manner == "hoarding"
        self.betrays = False
        """It has just said that it let go of something, and has not."""
        self._ordered: tuple[GrantRef, ...] = ()
        self._sequence = self.epoch = 0
        self._last_epoch: int | None = None

    def begin(self, now: int) -> None:
        """Start the first life."""
        self.incarnation, self.wake_at = first_life(now, self.number), now

    def _begin_again(self, now: int) -> None:
        """Start the next one."""
        self.incarnation, self.wake_at = next_incarnation(self.incarnation), now
        self._last_epoch, self.epoch = self.epoch or self._last_epoch or 0, 0

    @property
    def phase(self) -> str:
        """Where it stands, in the SDK's words."""
        return "joined" if self.epoch else "joining"

    def tick(self, now: int) -> list[Send | Lost]:
        """Beat, if it is time, with what it works on; or ask to join, as long as nobody answers."""
        dropped = [] if self.hoards else list(self._drops())
        if now < self.wake_at:
            return [*dropped]
        self.wake_at = now + SESSION_MS // 3
        if self.epoch:
            owned = tuple(self.works_on)
            beat = Beat(**self._signed(), epoch=self.epoch, owned=owned)
            return [*dropped, self._says(HEARTBEATS, beat)]
        return [self._joins()]

    def _joins(self) -> Send:
        eager = self.manner == "eager"
        join = Join(
            **self._signed(),
            topics=self.topics,
            session_timeout_ms=SESSION_MS,
            protocol="eager" if eager else "cooperative",
            mode="broadcasting" if self.manner == "broadcasting" else "clustering",
            last_epoch=self._last_epoch,
        )
        return self._says(MEMBERS, join)

    def receive(self, record: Assignment | None, now: int) -> list[Assigned | Lost | Ended | Send]:
        """Do what it is told, at once."""
        if record is None:
            lost: list[Assigned | Lost | Ended | Send] = [*self._lost(LossReason.UNKNOWN)]
            self._begin_again(now)
            return lost
        if record.incarnation > self.incarnation:
            return [*self._lost(LossReason.REPLACED), Ended(Ending.REPLACED)]
        if record.incarnation < self.incarnation or record.epoch <= self.epoch:
            return []
        self.epoch, self.wake_at = record.epoch, now
        asked = [self._joins()] if record.join_again else []
        return [*asked, *self._follows(record)]

    def _follows(self, record: Assignment) -> Iterator[Assigned | Lost | Send]:
        self._ordered = tuple(GrantRef(*row[:4]) for row in record.hold)
        if not self.hoards:
            yield from self._drops()
        if self.manner == "hoarding" and record.give:
            self.betrays = self.hoards
            given = tuple(ReleaseRef(*row[:4], None, row.next) for row in record.give)
            yield self._says(RELEASES, Release(**self._signed(), queues=given))
        new = [ref for ref in self._ordered if ref not in self.works_on]
        if new:
            for former in [ref for ref in self.works_on if ref.queue in {it.queue for it in new}]:
                del self.works_on[former]  # hoarded, and now granted anew
            self.works_on |= {ref: Grant(ref.queue, ref.epoch) for ref in new}
            yield Assigned(tuple(self.works_on[ref] for ref in new))

    def _drops(self) -> Iterator[Lost]:
        gone = [ref for ref in self.works_on if ref not in self._ordered]
        if gone:
            yield Lost(tuple(self.works_on.pop(ref) for ref in gone), LossReason.TAKEN)

    def _lost(self, reason: LossReason) -> list[Lost]:
        grants = tuple(self.works_on.values())
        self.works_on.clear()
        self._ordered = ()
        return [Lost(grants, reason)] if grants else []

    def stop(
        self, now: int, timeout_ms: int, *, temporary: bool = False
    ) -> list[Lost | Send | Ended | Assigned]:
        """Stop, and say so."""
        del now, timeout_ms
        leave = self._says(MEMBERS, Leave(**self._signed(), temporary=temporary))
        return [*self._lost(LossReason.TAKEN), leave, Ended(Ending.LEFT)]

    def nothing(self, *what: object) -> list[Send]:
        """What it answers to releases, to answers, and to the end of the log."""
        del what
        return []

    finish = acknowledged = failed = hear = caught_up = nothing

    def _signed(self) -> _Signature:
        self._sequence += 1
        return _Signature(member=self.member, incarnation=self.incarnation, sequence=self._sequence)

    def _says(self, topic: Topic[Any], record: MemberRecord | Release) -> Send:
        return Send(topic.name, GROUP.encode(), encode(record), self._sequence)
