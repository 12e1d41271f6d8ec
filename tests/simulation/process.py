"""A member of a world: a real session, an application that takes its time, and a bad connection.

The session is the SDK's own, sans I/O, or that of a ``foreign`` member; what shells do with threads
and clients is done here with lists. A process may be suspended without knowing it, cut off from
Kafka in either direction, and its clock may be an hour wrong.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple, assert_never

from audit.history import Life
from audit.violations import Violation
from audit.witness import Witness, Worker
from tests.simulation.faults import Faults
from tests.simulation.foreign import ForeignMember, Manner
from tests.simulation.model_kafka import Broker
from tests.simulation.rules import GROUP, first_life
from tests.simulation.scenario import REVOCATION_MS, SESSION_MS, Quirk
from tests.simulation.wire import Wire
from trimtab.protocol import RELEASES, Assignment, QueueRef
from trimtab.session import (
    Action,
    Assigned,
    Ended,
    Ending,
    FindEnd,
    Grant,
    Lost,
    MemberSession,
    Profile,
    Revoked,
    Send,
    Unheard,
)

Deed = Send | Assigned | Revoked | Lost | Ended


class End(NamedTuple):
    """Where the log ended when a process asked."""

    address: str
    orders: int
    releases: int
    asked_at: int


class Process:
    """One process."""

    def __init__(
        self,
        number: int,
        name: str,
        topics: tuple[str, ...],
        wire: Wire,
        instance: str | None,
        capacity: int | None,
    ) -> None:
        self.number, self.name, self.wire = number, name, wire
        self.broker: Broker = wire.broker
        self.offset_ms = 0
        self.suspended_until = 0
        self.awake = True
        """Whether it has looked at its clock since it was suspended."""
        self.deaf_until = 0
        self.working: dict[QueueRef, tuple[Grant, Worker]] = {}
        self.finishing: dict[Grant, int] = {}
        """What the application was told to stop, and when it will have."""
        self.ended = self.leaving = False
        self.left = False
        """Whether its guard says that it has left."""
        self.ending: Ending | None = None
        """How, if it ended by itself."""
        self._end: End | None = None
        """Where the log ended when it last asked, until it has read so far."""
        self._wake_at = 0
        self.first_life = ""
        self._releases = wire.broker.log(RELEASES)
        self.topics = topics
        self.instance, self.capacity = instance, capacity
        self.manner: Manner | None = None
        """How it differs from a usual member of the SDK; None: not at all."""
        self._read = Counter[str]()

    def begin(self, now: int, offset_ms: int, manner: Manner | None) -> None:
        """Start up, with a clock that may be wrong; the latest orders are read again."""
        self.first_life = first_life(now + offset_ms, self.number)
        self.offset_ms, self.manner = offset_ms, manner
        self.heard = len(self.broker.log(RELEASES))
        self._missed = 0
        self._read[self.name] = max(0, len(self.broker.orders[self.name]) - 1)
        if manner not in {None, "sharing"}:
            foreign = ForeignMember(self.name, self.topics, manner, self.number)
            foreign.begin(now + offset_ms)
            self.session: MemberSession | ForeignMember = foreign
            return
        profile = Profile(
            group=GROUP,
            member=self.name,
            topics=self.topics,
            mode="shared" if manner == "sharing" else "clustering",
            instance=self.instance,
            capacity=self.capacity,
            session_timeout_ms=SESSION_MS,
            revocation_timeout_ms=REVOCATION_MS,
        )
        self.session = MemberSession(profile, self.first_life, now + offset_ms)

    def skip(self) -> None:
        """Begin at the end of its orders, as the SDK does: the latest may be of a younger life."""
        self._read[self.name] = len(self.broker.orders[self.name])

    @property
    def address(self) -> str:
        """Where its orders come: under its name, or its life's where twins are told apart."""
        own = f"{self.name}@{self.session.incarnation}"
        return own if own in self.broker.orders else self.name

    def unread(self) -> list[Assignment | None]:
        """Orders that it has not read."""
        return self.broker.orders[self.address][self._read[self.address] :]

    @property
    def worker(self) -> Worker:
        """Who it is just now."""
        return Life(self.name, self.session.incarnation), self.number

    # -- one turn

    def awaits(self, now: int) -> bool:
        """Whether it can do anything now."""
        if self.ended or self.suspended_until > now:
            return False
        return (
            not self.awake
            or self._wake_at <= now
            or self.wire.pending(self.number)
            or (self.deaf_until <= now and (self._end is not None or self._behind))
        )

    @property
    def _behind(self) -> bool:
        """Whether there is anything that it has not read."""
        return self.heard < len(self._releases) or bool(self.unread())

    def run(self, now: int, witness: Witness, faults: Faults) -> Iterator[Violation]:
        """Do what it is woken for: time first, then what has come in."""
        mine, session = now + self.offset_ms, self.session
        yield from self.perform(session.tick(mine), now, witness)
        if not self.awake:
            self.awake = True
            for worker in {worker for _, worker in self.working.values()}:
                yield from witness.resumed(worker)
        for grant in [grant for grant, due in self.finishing.items() if due <= now]:
            del self.finishing[grant]
            self._stop(grant, witness)
            yield from self.perform(session.finish({grant: None}, mine), now, witness)
        for ticket, taken in self.wire.delivered(self.number, now):
            answer = session.acknowledged if taken else session.failed
            yield from self.perform(answer(ticket, mine), now, witness)
        if self.deaf_until <= now and self.broker.up(now):
            yield from self._receive(now, witness, faults)
        if isinstance(session, ForeignMember) and session.betrays:
            session.betrays = False
            faults.occurred("C8")
        self._wake_at = min([session.wake_at - self.offset_ms, *self.finishing.values()])

    def _receive(self, now: int, witness: Witness, faults: Faults) -> Iterator[Violation]:
        """Read releases and orders, as far as chance lets it; orders may be skipped."""
        if Quirk.LATE_READERS in self.wire.quirks and self.number % 2:
            self.deaf_until = now + self.wire.chance.choice([0, 0, 500, 2_000])
        chance, mine = self.wire.chance, now + self.offset_ms
        releases = self._releases
        # Mostly all there is; now and then it stops short, so that anything may come first.
        end = len(releases) if chance.random() < 0.8 else chance.randint(self.heard, len(releases))
        while self.heard < end:
            row = releases[self.heard]
            self.heard += 1
            release = self.wire.read(row)
            if release is not None:
                yield from self.perform(self.session.hear(release, mine), now, witness)
        while (mail := self.unread()) and chance.random() < 0.9:
            skipped = len(mail) - 1 if Quirk.SKIPS in self.wire.quirks else 0
            if skipped:
                faults.occurred("F5")
            self._read[self.address] += skipped + 1
            record = mail[skipped]
            if Quirk.LOST_READS in self.wire.quirks and self._misses(chance):
                faults.occurred("F12")
                continue
            actions = list(self.session.receive(record, mine))
            yield from self.perform(actions, now, witness)
        yield from self._catch_up(now, witness)

    def _misses(self, chance: Random) -> bool:
        """Draw whether a record is missed; never three in a row, which need not be waited for."""
        self._missed = self._missed + 1 if self._missed < 2 and chance.random() < 0.2 else 0
        return self._missed > 0

    def _catch_up(self, now: int, witness: Witness) -> Iterator[Violation]:
        """Tell the session that it has read as far as it asked."""
        end = self._end
        if end is None or self.heard < end.releases or self._read[end.address] < end.orders:
            return
        self._end = None
        caught_up = self.session.caught_up(end.asked_at + self.offset_ms, now + self.offset_ms)
        yield from self.perform(caught_up, now, witness)

    # -- what a session asks for

    def perform(self, actions: Sequence[Action], now: int, witness: Witness) -> Iterator[Violation]:
        """Carry out what the session asks for."""
        for action in actions:
            if isinstance(action, Unheard):
                continue  # for people
            if not isinstance(action, FindEnd):
                yield from self._act(action, now, witness)
            elif self._end is None or self._end.address != self.address:
                orders = len(self.broker.orders[self.address])
                self._end = End(self.address, orders, len(self._releases), now)

    def _act(self, action: Deed, now: int, witness: Witness) -> Iterator[Violation]:
        match action:
            case Assigned(grants):
                yield from self._start(grants, witness)
            case Revoked(grants):
                for grant in grants:
                    self.finishing[grant] = now + self.wire.reluctance()
            case Lost(grants):
                for grant in grants:
                    self._stop(grant, witness)
                    self.finishing.pop(grant, None)
            case Ended(ending):
                self.ended, self.ending = True, ending
            case Send():
                self.wire.send(self.number, action, now)
            case _:
                assert_never(action)

    def _start(self, grants: tuple[Grant, ...], witness: Witness) -> Iterator[Violation]:
        for grant in grants:
            self.working[grant.queue] = (grant, self.worker)
            if self.manner is None:  # of the others nobody promises that they work alone
                yield from witness.starts(self.worker, grant.queue, grant.token)

    def _stop(self, grant: Grant, witness: Witness) -> None:
        held, worker = self.working.get(grant.queue, (None, self.worker))
        if held == grant:
            del self.working[grant.queue]
            witness.stops(worker, grant.queue)

    # -- what is done to it

    def stop(
        self, now: int, timeout_ms: int, witness: Witness, *, temporary: bool = False
    ) -> Iterator[Violation]:
        """It is asked to leave, for ever or for a while."""
        if not self.ended and self.suspended_until <= now:
            self.leaving = True
            mine = now + self.offset_ms
            actions = self.session.stop(mine, timeout_ms, temporary=temporary)
            yield from self.perform(actions, now, witness)
            self._wake_at = now

    def heal(self, now: int) -> None:
        """From now on it runs, hears, and lets go in time."""
        self.suspended_until = self.deaf_until = 0
        if isinstance(self.session, ForeignMember):
            self.session.hoards = False
        self.finishing = {grant: min(due, now + 300) for grant, due in self.finishing.items()}
        self._wake_at = now

    def suspend(self, until: int, witness: Witness) -> None:
        """It does nothing for a while, and does not know it."""
        self.awake = False
        self.suspended_until = max(self.suspended_until, until)
        for worker in {worker for _, worker in self.working.values()}:
            witness.suspended(worker)

    def die(self, witness: Witness) -> None:
        """It is gone without a word; what it has sent may still arrive."""
        self.ended = True
        for worker in {worker for _, worker in self.working.values()}:
            witness.ended(worker)
        self.working.clear()
