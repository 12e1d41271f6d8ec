"""A world: one group, its members, Kafka and the controller, from one seed, in virtual time.

First the safety phase: what the scenario plans goes wrong, and at every step the auditor judges
what was published and the witness what was done. Then everything heals, and within a bound that
follows from the timeouts the group must rest: each queue worked on by one member, acknowledged,
nothing left to say. Everything is drawn from the seed, so a failure can be lived again.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random

from audit.checker import Checker, Promises
from audit.entitlement import Balance
from audit.silence import Blast
from audit.violations import Invariant, Violation
from audit.witness import Witness
from streaming.cell.packed import pack
from tests.simulation.behind import SHUT
from tests.simulation.brain import Brain
from tests.simulation.checkpoints import Checkpoint
from tests.simulation.cutting import ends_of
from tests.simulation.driver import Driver
from tests.simulation.faults import Faults
from tests.simulation.foreign import Manner
from tests.simulation.given_up import given_up
from tests.simulation.haste import hasty
from tests.simulation.incidents import HAPPENS, members, operators
from tests.simulation.model_kafka import Broker
from tests.simulation.process import Process
from tests.simulation.rest import unrest
from tests.simulation.rules import GROUP
from tests.simulation.scenario import (
    HOLD_MS,
    MAX_STEP_MS,
    REVOCATION_MS,
    SESSION_MS,
    Quirk,
    Scenario,
)
from tests.simulation.usurpers import evicted, usurped
from tests.simulation.wire import Wire
from trimtab.protocol.limits import NAME_CHARACTERS

START_MS = 1_000_000_000
JOIN_RETRY_MS = 16_000
"""The longest that a member waits before it asks again to join."""
BATCHES_MS = 3_000
"""A few batches, and the beat that acknowledges."""
REST_MS = 2 * JOIN_RETRY_MS + 3 * SESSION_MS + HOLD_MS + REVOCATION_MS + BATCHES_MS
"""Where newer lives are refused, the join of a life that its process has given up may be read late
and keep the next one out for a session and one more retry; and whoever is asked for a queue has a
session for reading that (``timers``)."""
IDLE_MS = 2_000
PROMISES = {
    strategy: Promises(
        max_clock_step_ms=MAX_STEP_MS, balance=balance, blast=Blast(hold_ms=HOLD_MS), exact=True
    )
    for strategy, balance in {"STICKY": Balance.IN_TOTAL, "AVG": Balance.BY_TOPIC}.items()
}


@dataclass(slots=True)
class Outcome:
    """What became of a world."""

    scenario: Scenario
    violations: list[Violation]
    faults: Faults
    brain: Brain
    rested_ms: int = 0
    """How long after everything healed the group came to rest."""


class Failed(Exception):  # noqa: N818 - the world has failed, not the program
    """The first violation ends a world."""


@dataclass
class World:
    """Everything there is."""

    scenario: Scenario
    now: int = START_MS
    away_until: int = 0
    """The controller does nothing."""
    crashing: bool = False
    """The next batch is not committed."""
    processes: list[Process] = field(default_factory=list)
    everybody: list[Process] = field(default_factory=list)
    """Also those that are gone."""
    violations: list[Violation] = field(default_factory=list)
    youngest: dict[str, Process] = field(default_factory=dict)
    """By name, who started last."""
    agenda: list[tuple[int, Callable[[], object]]] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)
    born: int = 0
    straying: int = 0
    """How often the broker's clock will still be ahead for a moment."""
    healed: bool = False

    def __post_init__(self) -> None:
        """Put everything in its place."""
        scenario, self.broker = self.scenario, Broker()
        self.chance = Random(scenario.seed + 1)
        self.checker = Checker(PROMISES[scenario.strategy])
        self.brain = Brain(scenario, self.broker, self.checker, self.faults)
        self.witness = Witness(GROUP, strict=scenario.strict)
        self.wire = Wire(self.broker, self.chance, scenario.quirks, self.faults)
        self.brain.reading.begins(SHUT, 0, (), self.now)
        self.driver = Driver(self.broker, scenario.queues, self.brain.reading)

    # -- a life

    def live(self) -> Outcome:
        """Live through safety and rest, or until the first violation."""
        outcome = Outcome(self.scenario, self.violations, self.faults, self.brain)
        try:
            self._survive()
            self.heal()
            outcome.rested_ms = self._rest()
        except Failed:
            pass
        except Exception as error:  # noqa: BLE001 - whatever the brain or a member raises is a finding
            detail = f"{type(error).__name__}: {error}"
            self.violations.append(Violation(Invariant.TOTAL, GROUP, "step", detail))
        return outcome

    def _survive(self) -> None:
        for number in range(self.scenario.members):
            self.start(f"m{number}")
        plan = list(self.scenario.incidents)
        end = START_MS + self.scenario.safety_ms
        while self.now < max(end, self.away_until):
            while plan and START_MS + plan[0].at_ms <= self.now:
                incident = plan.pop(0)
                HAPPENS[incident.kind](self, Random(incident.dice))
            self.turn()

    def _rest(self) -> int:
        began = self.now
        while not self._rested():
            if self.now - began > REST_MS:
                self.note(self._restless())
                self.note([Violation(Invariant.LIVELY, GROUP, "group", self._unrest())])
            for _ in range(3):
                self.turn()
        rested = self.now - began
        self._stay_calm(began + REST_MS)
        packed = pack(self.brain.state)
        things = len(self.brain.state.membership.members) + len(self.brain.state.handover.books)
        size = len(packed.beats) + len(packed.rest)
        self.note(self.checker.measured(GROUP, size, things))
        return rested

    def _stay_calm(self, until: int) -> None:
        """At rest nobody says anything; a last consequence of the past may have to settle."""
        said, since = self.brain.said, self.now
        while self.now - since < IDLE_MS:
            self.turn()
            if self.brain.said != said:
                said, since = self.brain.said, self.now
            if self.now > until:
                self.note([Violation(Invariant.CALM, GROUP, "group", "never falls silent")])

    def _rested(self) -> bool:
        return not self._unrest() and not list(self._restless())

    def _restless(self) -> Iterable[Violation]:
        counts = self.faults.counts
        lost = self.scenario.forgetful or counts["A15"]  # beats that Kafka had taken
        lost = lost or counts["G11"]  # or that are old beside what a stranger said
        return self._told(self.checker.at_rest(GROUP, acknowledged=not lost))

    def _unrest(self) -> str:
        return unrest(self.processes, self.driver.topics, self.brain.state)

    def _told(self, violations: Iterable[Violation]) -> list[Violation]:
        """Leave out what a liar says of itself, and the end of dead ones that were not found."""
        violations = [it for it in violations if not it.detail.startswith("work under liar")]
        if not self.scenario.half_told:
            return violations
        published = {Invariant.ONE_OWNER, Invariant.BALANCED, Invariant.LIVELY}
        return [it for it in violations if it.subject == "group" or it.invariant not in published]

    def note(self, violations: Iterable[Violation]) -> None:
        """Fail at the first violation."""
        self.violations += self._told(violations)
        if self.violations:
            raise Failed(*map(str, self.violations))

    # -- one step

    def turn(self) -> None:
        """A little time passes, and everybody does what is due, in some order."""
        exactly = self._advance()
        if self.broker.up(self.now) and self.away_until <= self.now:
            self.driver.keep_time(self.now)
        self.wire.echo(self.now)
        for _, action in [due for due in self.agenda if due[0] <= self.now]:
            action()
        self.agenda = [due for due in self.agenda if due[0] > self.now]
        for process in self.chance.sample(self.processes, len(self.processes)):
            if process.awaits(self.now):
                self.note(process.run(self.now, self.witness, self.faults))
        self.note(usurped(self.processes, self.everybody))
        self.processes = [process for process in self.processes if not process.ended]
        if exactly or self.chance.random() < 0.6:
            self._decide()

    def _advance(self) -> bool:
        """Let time pass; or, to be mean, stop at the millisecond before something is due."""
        step = self.chance.choice([50, 150, 300, 600])
        clock, deadline = self.brain.clock, self.brain.state.deadline
        if Quirk.EDGES in self.scenario.quirks and deadline is not None and clock.latest:
            wait = deadline - 1 - clock.now
            wait += min(wait, clock.owed)
            edge = clock.latest + wait - self.broker.skew_ms
            if self.now < edge <= self.now + step:
                self.now = self.driver.next_tick = edge
                return True
        self.now += step
        return False

    def _decide(self) -> None:
        if self.away_until > self.now or not self.broker.up(self.now):
            return
        challenger = self.brain.challenger
        if challenger is not None and challenger.at <= self.now:
            self.restart(challenger.begins())
        if not self.brain.choose(ends_of(self)):
            return
        crash, self.crashing = self.crashing, False
        self.note(self.brain.decide(self.now, self.chance, crash=crash))
        decided = self.brain.decided[-1] if self.brain.decided else ()
        self.note([*evicted(decided, self.everybody), *hasty(self.brain, self.broker, decided)])
        for life in given_up(self.brain, self.processes):
            self.witness.fenced(life)

    # -- what incidents do

    def start(
        self,
        name: str,
        topics: tuple[str, ...] = (),
        *,
        offset_ms: int = 0,
        instance: str | None = None,
        manner: Manner | None = None,
    ) -> Process:
        """A process starts, under a name that it may have had before."""
        if manner is None and instance is None and Quirk.INSTANCES in self.scenario.quirks:
            instance = f"instance of {name}"[:NAME_CHARACTERS]
        self.born += 1
        wanted = topics or tuple(self.driver.topics)
        capacity = None
        if Quirk.CAPACITY in self.wire.quirks and self.scenario.strategy == "STICKY":
            capacity = 1 + self.born % 2
        process = Process(self.born, name, wanted, self.wire, instance, capacity)
        process.begin(self.now, offset_ms, manner)
        self.processes.append(process)
        self.youngest[name] = process
        self.everybody.append(process)
        if len(self.processes) > sum(seen.queues for seen in self.driver.topics.values()):
            self.faults.occurred("C16")
        if len({process.topics for process in self.processes}) > 1:
            self.faults.occurred("C18")
        if len({process.manner for process in self.processes}) > 1:
            self.faults.occurred("C19")
        return process

    def later(self, after_ms: int, action: Callable[[], object]) -> None:
        """Something follows, unless everything has healed by then."""
        self.agenda.append((self.now + after_ms, action))

    def restart(self, copy: Checkpoint | None) -> None:
        """The controller begins with a copy of its checkpoint, or with none."""
        if self.broker.up(self.now) and self.brain.restart(copy, self.now):
            self.faults.occurred("A6" if copy is None else "A7")

    def change(self, topic: str, queues: int) -> None:
        """A topic changes; no queues: it is gone."""
        self.driver.change(topic, queues, self.now)

    def heal(self) -> None:
        """From now on nothing goes wrong, and somebody is there."""
        self.healed = True
        self.agenda.clear()
        self.wire.heal()
        self.away_until, self.broker.down_until, self.crashing = 0, 0, False
        for process in self.processes:
            process.heal(self.now)
        members.settle_duels(self)
        self.driver.look(self.now)
        operators.resume(self, self.chance)
        operators.rule(self, self.chance, {})
        self.start("the last")
