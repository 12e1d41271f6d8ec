"""A member of a world: a real session, an application that takes its time, and a bad connection.

The session is the SDK's own, sans I/O; what its shells do with threads and clients is done here
with lists. A process may be suspended without knowing it, cut off from Kafka in either direction,
and its clock may be an hour wrong.
"""

from collections.abc import Iterator
from typing import assert_never

from audit.history import Life
from audit.violations import Violation
from audit.witness import Witness, Worker
from tests.simulation.broker import Broker
from tests.simulation.faults import Faults
from tests.simulation.rules import GROUP
from tests.simulation.scenario import REVOCATION_MS, SESSION_MS, Quirk
from tests.simulation.wire import Wire
from trimtab.protocol import RELEASES, QueueRef
from trimtab.session import (
    Action,
    Assigned,
    Ended,
    FindEnd,
    Grant,
    Lost,
    MemberSession,
    Profile,
    Revoked,
    Send,
    incarnation,
)

Deed = Send | Assigned | Revoked | Lost | Ended


class Process:
    """One process."""

    def __init__(
        self, number: int, name: str, topics: tuple[str, ...], wire: Wire, instance: str | None
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
        self.ended = False
        self._wake_at = 0
        self._releases = wire.broker.log(RELEASES)
        self.topics = topics
        self.instance = instance

    def begin(self, now: int, offset_ms: int) -> None:
        """Start up, with a clock that may be wrong; the latest orders are read again."""
        self.offset_ms = offset_ms
        born = incarnation(now + offset_ms, self.number)
        profile = Profile(
            group=GROUP,
            member=self.name,
            topics=self.topics,
            instance=self.instance,
            session_timeout_ms=SESSION_MS,
            revocation_timeout_ms=REVOCATION_MS,
        )
        self.session = MemberSession(profile, born, now + offset_ms)
        self.heard = len(self.broker.log(RELEASES))
        self.read = max(0, len(self.broker.orders[self.name]) - 1)

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
            or (
                self.deaf_until <= now
                and (
                    self.heard < len(self._releases)
                    or self.read < len(self.broker.orders[self.name])
                )
            )
        )

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
        self._wake_at = min([session.wake_at - self.offset_ms, *self.finishing.values()])

    def _receive(self, now: int, witness: Witness, faults: Faults) -> Iterator[Violation]:
        """Read releases and orders, as far as chance lets it; orders may be skipped."""
        chance, mine = self.wire.chance, now + self.offset_ms
        releases = self._releases
        while self.heard < len(releases) and chance.random() < 0.8:
            row = releases[self.heard]
            self.heard += 1
            release = self.wire.read(row)
            if release is not None:
                yield from self.perform(self.session.hear(release, mine), now, witness)
        mail = self.broker.orders[self.name]
        while self.read < len(mail) and chance.random() < 0.8:
            if Quirk.SKIPS in self.wire.quirks and self.read < len(mail) - 1:
                self.read = len(mail) - 1
                faults.occurred("F5")
            record = mail[self.read]
            self.read += 1
            yield from self.perform(self.session.receive(record, mine), now, witness)

    # -- what a session asks for

    def perform(self, actions: list[Action], now: int, witness: Witness) -> Iterator[Violation]:
        """Carry out what the session asks for."""
        for action in actions:
            if isinstance(action, FindEnd):
                if self.deaf_until <= now and self.broker.up(now):
                    mine = now + self.offset_ms
                    actions += self.session.caught_up(mine, mine)
            else:
                yield from self._act(action, now, witness)

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
            case Ended():
                self.ended = True
            case Send():
                self.wire.send(self.number, action, now)
            case _:
                assert_never(action)

    def _start(self, grants: tuple[Grant, ...], witness: Witness) -> Iterator[Violation]:
        for grant in grants:
            self.working[grant.queue] = (grant, self.worker)
            yield from witness.starts(self.worker, grant.queue, grant.token)

    def _stop(self, grant: Grant, witness: Witness) -> None:
        held, worker = self.working.get(grant.queue, (None, self.worker))
        if held == grant:
            del self.working[grant.queue]
            witness.stops(worker, grant.queue)

    # -- what is done to it

    def stop(self, now: int, timeout_ms: int, witness: Witness) -> Iterator[Violation]:
        """It is asked to leave."""
        if not self.ended and self.suspended_until <= now:
            actions = self.session.stop(now + self.offset_ms, timeout_ms)
            yield from self.perform(actions, now, witness)
            self._wake_at = now

    def heal(self, now: int) -> None:
        """From now on it runs, hears, and lets go in time."""
        self.suspended_until = self.deaf_until = 0
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
