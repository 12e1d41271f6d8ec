"""A world: brokers, reporters, their log and the jury, from one seed, in virtual time.

First what was planned goes wrong, and after every record the judges judge. Then everything heals:
within a bound that follows from the ejections nobody is out any more. At last one broker goes bad
once more and all reporters fall silent: its verdict has to lapse (E8).
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from random import Random
from typing import Any, Final

from sinks import Record
from streaming.topics import ROUTINE, URGENT, names
from tests.simulation.brokers.controller import CLUSTER, Controller, Differs, Log
from tests.simulation.brokers.delivery import Delivery
from tests.simulation.brokers.judges import EVIDENCE_MS, Judges
from tests.simulation.brokers.model_brokers import Brokers
from tests.simulation.brokers.operators import Operators
from tests.simulation.brokers.plan import EJECTION_MAX_MS, LIFE_MS, SWEEP_MS, Plan, Quirk
from tests.simulation.brokers.reporters import reporters
from tests.simulation.brokers.timeliness import Timeliness
from tests.simulation.rules import PREFIX
from trimtab.protocol import (
    BROKERS,
    COMMANDS,
    DEADLETTERS,
    HEARTBEATS,
    TICK_KEY,
    Tick,
    Topic,
    decode,
    encode,
    read_broker_key,
)

START_MS: Final = 1_767_225_600_000
STEP_MS: Final = 500
REST_MS: Final = EVIDENCE_MS + 2 * EJECTION_MAX_MS
"""Ejections that follow from the last evidence, and one that was prolonged."""


class Failed(Exception):  # noqa: N818 - the world has failed, not the program
    """The first thing that is wrong ends a life."""


@dataclass
class BrokerWorld:
    """Everything there is."""

    plan: Plan
    now: int = START_MS
    hits: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    away_until: int = 0
    silent: bool = False

    def __post_init__(self) -> None:
        """Put everything in its place."""
        plan = self.plan
        self.chance = Random(f"{plan.seed} world")
        self.log = Log()
        self.brokers = Brokers(plan, START_MS)
        self.reporters = list(reporters(plan, self.brokers))
        self.delivery = Delivery(plan, self.log, self.hits)
        self.operators = Operators(plan, self.log, self.brokers, self.hits)
        self.controller = Controller(plan, self.log)
        self.judges = Judges(plan, self.brokers)
        self.timeliness = Timeliness(plan, self.brokers, self.judges, self.hits, START_MS)

    def live(self) -> "BrokerWorld":
        """Live, or until something is wrong."""
        try:
            self._survive()
            self._heal()
            self._fall_silent()
        except Failed:
            pass
        except Differs:
            self.wrong.append("a repeated batch makes other records")
        return self

    def note(self, wrong: Iterable[str]) -> None:
        """Fail at the first thing that is wrong."""
        self.wrong += [f"at {(self.now - START_MS) / 1000:.1f} s: {it}" for it in wrong]
        if self.wrong:
            raise Failed

    def _survive(self) -> None:
        self.operators.look(self.now)
        self._tick()  # or the clock would not know yet how far ahead the first reports are
        while self.now < START_MS + LIFE_MS:
            self.turn()
            if self.now % 1_000 == 0:
                self.operators.act(self.now)
                self.note(self.timeliness.look(self.now, self.operators.replaced))

    def _heal(self) -> None:
        self.brokers.healed_at = self.now
        self.delivery.heal()
        self.away_until = 0
        self._pass(REST_MS)
        self.note(self.judges.at_rest())

    def _fall_silent(self) -> None:
        """Reports stop, and with them all that they say (E8)."""
        victim = self.brokers.all[0]
        self.brokers.worsen(victim, self.now)
        self._pass(3 * SWEEP_MS + 2_000)
        self.hits["E8"] += victim in self.judges.out(self.now)
        self.silent = True
        self._pass(REST_MS)
        self.note(self.judges.at_rest())

    def _pass(self, ms: int) -> None:
        end = self.now + ms
        while self.now < end:
            self.turn(calm=True)

    def turn(self, *, calm: bool = False) -> None:
        """Half a second passes."""
        self.now += STEP_MS
        quirks = frozenset[Quirk]() if calm else self.plan.quirks
        here = self.away_until <= self.now
        if here and self.now % 1_000 == 0:
            self._tick()
        if self.now % 1_000 == STEP_MS and not self.silent:
            self._report()
        self.delivery.deliver(self.now)
        absent, crash = self.chance.random() < 0.01, self.chance.random() < 0.03
        if Quirk.ABSENCES in quirks and absent and here:
            self.hits["A2"] += 1
            self.away_until = self.now + self.chance.choice([4_000, 20_000, 40_000])
        elif here:
            self._decide(quirks, crash=crash and Quirk.CRASHES in quirks)

    def _tick(self) -> None:
        tick = encode(Tick(controller="c", number=self.now))
        self.log.append(HEARTBEATS, TICK_KEY, tick, self.now)

    def _report(self) -> None:
        for reporter in self.reporters:
            value = reporter.window(self.now, self.judges.told)
            if value is not None:
                self.delivery.send(value, self.now)
                self.timeliness.heard(reporter, self.now)

    def _decide(self, quirks: frozenset[Quirk], *, crash: bool) -> None:
        ends = {name: len(rows) for name, rows in self.log.rows.items()}
        if Quirk.ODD_CUTS in quirks:
            ends = self._cut()
        rows = self.controller.choose(ends)
        if not rows:
            return
        self.judges.hear(rows)
        self.hits["A1"] += crash
        for record in self.controller.decide(self.chance, crash=crash):
            self._published(record)
        if not crash:
            self.hits["G3"] += any(_is(row.topic, COMMANDS) for row in rows)
            self.note(self.judges.batch_ends(self.now))

    def _cut(self) -> dict[str, int]:
        """Where a batch ends: each of the two sources reads all of its topics up to one moment."""
        ends = {}
        for source in (ROUTINE, URGENT):
            until = self.now - self.chance.choice([0, 0, 1_000, 3_000])
            for name in names(PREFIX, source):
                rows = self.log.rows[name]
                ends[name] = bisect_right(rows, until, key=attrgetter("appended_ms"))
        return ends

    def _published(self, record: Record) -> None:
        if _is(record.topic, DEADLETTERS):
            self.hits["E9"] += 1
            self.judges.dead_letter_of(decode(DEADLETTERS, record.value))
        elif _is(record.topic, BROKERS):
            key = read_broker_key(record.key)
            assert key.cluster == CLUSTER
            verdict = None if record.value is None else decode(BROKERS, record.value)
            self.note(self.judges.read(key.broker, verdict, self.now))


def _is(name: str, topic: Topic[Any]) -> bool:
    return name == f"{PREFIX}{topic.name}"
