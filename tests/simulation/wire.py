"""The way to Kafka: what members send arrives late, twice, out of order, or never.

A client library keeps what it was given in a queue, writes it when it can and gives it up after a
while. Here is that queue for every process, with the accidents that the scenario makes likely.
"""

from random import Random
from typing import NamedTuple

from streaming.wire.rows import Row
from tests.simulation.faults import Faults
from tests.simulation.model_kafka import Broker
from tests.simulation.scenario import SESSION_MS, Quirk
from trimtab.protocol import HEARTBEATS, RELEASES, TOPICS, Release, UndecodableRecord, decode
from trimtab.session import Send

DELIVERY_MS = 10_000
"""After this long the client gives a record up."""


class UnderWay(NamedTuple):
    """A record on its way."""

    ready_at: int
    sent_at: int
    sender: int
    message: Send


class Wire:
    """Everybody's outgoing records."""

    def __init__(
        self, broker: Broker, chance: Random, quirks: frozenset[Quirk], faults: Faults
    ) -> None:
        self.broker, self.chance, self.quirks = broker, chance, quirks
        self.cut_until: dict[int, int] = {}
        self._faults = faults
        self._queues: dict[int, list[UnderWay]] = {}
        self._echoes: list[tuple[int, Send]] = []
        self._releases: dict[Row, Release | None] = {}

    def heal(self) -> None:
        """From now on everything arrives, once and in time; echoes of the past come at once."""
        self.quirks = frozenset()
        self.cut_until.clear()
        self._echoes = [(0, message) for _, message in self._echoes]

    def send(self, sender: int, message: Send, now: int) -> None:
        """Take a record from a client."""
        delay = 0
        if Quirk.DELAYS in self.quirks and self.chance.random() < 0.2:
            delay = self.chance.choice([200, 1_000, 4_000, 9_000])
        self._queues.setdefault(sender, []).append(UnderWay(now + delay, now, sender, message))

    def pending(self, sender: int) -> bool:
        """Whether anything of a client is still on its way."""
        return bool(self._queues.get(sender))

    def delivered(self, sender: int, now: int) -> list[tuple[int, bool]]:
        """Write what can be written; tell by ticket what Kafka has and what was given up."""
        letters = self._queues.get(sender)
        if not letters:
            return []
        reachable = self.broker.up(now) and self.cut_until.get(sender, 0) <= now
        told, waiting, blocked = [], [], set[str]()
        for letter in letters:
            message = letter.message
            if not reachable or letter.ready_at > now or message.topic in blocked:
                if letter.sent_at + DELIVERY_MS <= now:
                    told.append((message.ticket, False))
                    continue
                waiting.append(letter)
                if Quirk.REORDERS not in self.quirks:
                    blocked.add(message.topic)
                continue
            if blocked:
                self._faults.occurred("B4")
            told.append((message.ticket, self._written(letter, now)))
        self._queues[sender] = waiting
        return told

    def _written(self, letter: UnderWay, now: int) -> bool:
        message, chance = letter.message, self.chance
        if Quirk.LOSSES in self.quirks and chance.random() < 0.15:
            self._faults.occurred("C7" if message.topic == RELEASES.name else "F2")
            if chance.random() < 0.5:
                return False
            self._append(message, letter.sent_at, now)  # taken, but the answer was lost
            return False
        self._append(message, letter.sent_at, now)
        if Quirk.DUPLICATES in self.quirks and chance.random() < 0.15:
            self._faults.occurred("C7" if message.topic == RELEASES.name else "B3")
            self._echoes.append((now + chance.choice([0, 100, 2_000, 8_000]), message))
        return True

    def echo(self, now: int) -> None:
        """Records arrive again."""
        if self._echoes and self.broker.up(now):
            due = [message for at, message in self._echoes if at <= now]
            self._echoes = [(at, message) for at, message in self._echoes if at > now]
            for message in due:
                self._append(message, now, now)

    def _append(self, message: Send, sent_at: int, now: int) -> None:
        if message.topic == HEARTBEATS.name and now - sent_at > SESSION_MS:
            self._faults.occurred("B5")
        self.broker.append(TOPICS[message.topic], message.key, message.value, now)

    def read(self, row: Row) -> Release | None:
        """Read a release, as every member does; what is no release is nothing to them."""
        if row not in self._releases:
            try:
                release = decode(RELEASES, row.value)
            except UndecodableRecord:
                release = None
            self._releases[row] = release
        return self._releases[row]

    def reluctance(self) -> int:
        """How long an application takes to let a queue go."""
        chance = self.chance
        if Quirk.RELUCTANCE in self.quirks and chance.random() < 0.1:
            self._faults.occurred("C5")
            return 60_000
        if Quirk.SLOW_RELEASES in self.quirks and chance.random() < 0.5:
            self._faults.occurred("C6")
            return chance.choice([1_000, 4_000, 9_000])
        return chance.choice([0, 0, 5, 300])
