"""The controller of a world: the real decoding, clock and step, driven as Spark drives them.

A batch is chosen before it is computed and stays chosen until it is committed: a crash anywhere in
between repeats it, to the byte (A1, A10). What is remembered between batches is one state and one
clock; after a crash they come back from their packed form, as from a checkpoint.

Every batch is shown to the auditor, and the strategy is counted: it is asked at most once.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from unittest.mock import patch

from allocators import allocator
from audit import history
from audit.checker import Checker
from audit.history import Place
from audit.violations import Invariant, Violation
from rebalance.allocation import AllocationPlan, AllocationRequest
from rebalance.brokers.policy import VerdictPolicy
from rebalance.clock import LogClock
from rebalance.groups.conclusion import Step
from rebalance.groups.members.own_names import told_apart
from rebalance.groups.model.decisions import (
    AssignmentIssued,
    AssignmentWithdrawn,
    Decision,
    EventRefused,
    Freed,
)
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Found
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.state import GroupState
from rebalance.groups.step import step
from rebalance.ids import GroupName
from sinks import Outlet, record_of
from sinks.releases import freed
from streaming.cell.gate import Passed, Untold
from streaming.cell.hearing import CellRules, Heard, hear
from streaming.cell.packed import pack, unpack
from streaming.startup.supersession import Superseded, give_way
from streaming.wire.rows import Row
from tests.builders import entries
from tests.simulation.batches import Batch
from tests.simulation.behind import SHUT, Behind, Punctual
from tests.simulation.checkpoints import GRACE_MS, Challenger, Checkpoint, Copying, reminders
from tests.simulation.faults import Faults
from tests.simulation.model_kafka import Broker
from tests.simulation.publishing import assignment, of_a_newer_release
from tests.simulation.rules import DECODER, GROUP, PARTITIONS, PREFIX
from tests.simulation.scenario import Scenario, policy
from trimtab.protocol import RELEASES, ROUTES, START_KEY, Assignment, Start, encode

NAME = GroupName(GROUP)


class Brain:
    """One controller."""

    def __init__(
        self, scenario: Scenario, broker: Broker, checker: Checker, faults: Faults
    ) -> None:
        self._scenario, self.broker, self._checker = scenario, broker, checker
        self._faults = faults
        self._strategy = allocator(scenario.strategy)
        self.rules = CellRules(
            DECODER, policy(scenario), self._ask, Outlet(PREFIX, PARTITIONS), VerdictPolicy()
        )
        self.state = GroupState(NAME)
        self.clock = LogClock()
        self.read = dict.fromkeys(broker.logs, 0)
        self.pending: Batch | None = None
        self.cuts: list[list[Row]] = []
        """Every batch so far, for the transcript, and what was decided in it, if committed."""
        self.decided: list[tuple[Decision, ...]] = []
        self.elsewhere_ms = 0
        """How wrong the clock of a worker is that repeats the next batch; 0: none repeats it."""
        self._writing = scenario.odd
        self._asked = 0
        self.said = 0
        self.copying: Copying | None = None
        """A copy of the checkpoint is to be taken."""
        self.copy: Checkpoint | None = None
        self.starting = False
        """It was told what is published, and has not read that yet."""
        self.challenger: Challenger | None = None
        self.upgraded = False
        """Every other record that it writes is from a newer release."""
        self._ended = False
        """It has given way."""
        self._starts, self._started = 0, -1
        self._summary: GroupSummarised | None = None
        self._shown: dict[str, int] = {}
        """The last record of each topic that the auditor has heard."""
        self.reading = Behind(broker) if scenario.bounded else Punctual(broker)

    @property
    def furthest(self) -> Mapping[str, int]:
        """The last record of each topic that was ever read."""
        return self._shown

    def restart(self, copy: Checkpoint | None, now: int) -> bool:
        """Begin with a copy or with nothing, having been told what is published; say if it was."""
        if self._summary is None:
            return False
        self._begin(copy, now)
        return self.state.epoch < self._summary.epoch

    def _begin(self, copy: Checkpoint | None, now: int) -> None:
        self.state = GroupState(NAME) if copy is None else unpack(copy.packed)
        self.clock = LogClock() if copy is None else copy.clock
        self.read = dict.fromkeys(self.read, 0) if copy is None else dict(copy.read)
        self.pending = Batch(list(copy.planned)) if copy and copy.planned else None
        self.starting, self._starts = True, self._starts + 1
        self._ended, self._started = False, self._announce(now)
        self.challenger = None
        known = self._summary
        told = (
            ()
            if known is None
            else reminders(self._starts, self.broker.orders, known, self._scenario)
        )
        gate = SHUT if copy is None else copy.gate
        self.reading.begins(gate, self._starts, told, now, self._started)
        self.starting = copy is not None or not isinstance(self.reading, Behind)
        list(self._checker.take(history.Started(Place("t.routes", 0, 0, now), GROUP)))

    def checkpoint(self) -> Checkpoint:
        """Take a copy of what is remembered just now."""
        planned = self.pending.rows if self.pending else ()
        return Checkpoint(pack(self.state), self.clock, dict(self.read), planned, self.reading.gate)

    def challenge(self, begins: Callable[[], Checkpoint | None], now: int) -> None:
        """Another controller says that it starts, and waits until this one can have read it."""
        if self._summary is not None and self.challenger is None:
            self._announce(now)
            self.challenger = Challenger(begins, now + GRACE_MS)

    def _announce(self, now: int) -> int:
        start = Start(controller="c", start=f"{now:013}-0b5e55ed")
        return self.broker.append(ROUTES, START_KEY, encode(start), now)

    def _gives_way(self, batch: Batch) -> bool:
        try:
            give_way(batch.rows, DECODER, [self._started] * PARTITIONS)
        except Superseded:
            self._faults.occurred("A5")
            self._ended = True
        return self._ended

    def _copy(self, now: Copying) -> None:
        if self.copying is now:
            self.copying = None
            self.copy = self.checkpoint()

    def _ask(self, request: AllocationRequest) -> AllocationPlan:
        self._asked += 1
        return self._strategy(request)

    def choose(self, ends: Mapping[str, int]) -> bool:
        """Choose the next batch, up to these places; a batch that was not committed comes first.

        None is chosen by a controller that reads in it that another one has started.
        """
        if self._ended:
            return False
        if self.pending is None:
            rows = []
            for name, end in ends.items():
                rows += self.broker.logs[name][self.read[name] : end]
                self.read[name] = max(self.read[name], end)
            if rows:
                whole = self.reading.is_whole(self.read)
                self.pending = Batch(rows, reminded=self.starting, whole=whole)
                self.cuts.append(rows)
        return self.pending is not None and not self._gives_way(self.pending)

    def decide(self, now: int, chance: Random, *, crash: bool) -> Iterator[Violation]:
        """Compute the chosen batch and publish it; a crash keeps it from being committed."""
        batch = self.pending
        assert batch is not None, "no batch was chosen"
        try:
            let = self.reading.passed(batch.rows)
        except Untold:
            self._begin(self.checkpoint(), now)
            return
        if let.rows:
            yield from self._decide(batch, let, now, chance, crash=crash)
        else:
            self._commit(batch, let)

    def _decide(
        self, batch: Batch, let: Passed, now: int, chance: Random, *, crash: bool
    ) -> Iterator[Violation]:
        heard = self._hear(let)
        outcome = self._step(heard)
        if not batch.shown:
            yield from self._show(heard, let.rows)
            batch.shown = True
        yield from self._judge(batch, outcome)
        if self.elsewhere_ms:
            yield from self._judge(batch, self._repeated(batch))
        self._copy(Copying.IN_A_BATCH)
        decisions = outcome.decisions
        if crash:
            decisions = decisions[: chance.randint(0, len(decisions))]
        for decision in decisions:
            yield from self._publish(decision, now)
        if crash:
            self.state = unpack(pack(self.state))
            self._faults.occurred("A1")
            self._faults.occurred("A8")
            return
        self.state, self.clock = outcome.state, heard.clock
        self._commit(batch, let)
        self.starting = self.starting and not batch.reminded
        self._copy(Copying.AFTER_A_BATCH)
        self.decided.append(outcome.decisions)
        if outcome.state.target.shortage:
            self._faults.occurred("C17")
        yield from self._checker.batch_ends()

    def _hear(self, let: Passed) -> Heard:
        clock = self.clock.restarted() if let.opened else self.clock
        heard = hear(clock, let.rows, self.rules, let.gate.start)
        return replace(heard, begins=let.opened)

    def _commit(self, batch: Batch, let: Passed) -> None:
        self.pending = None
        self.reading.committed(let.gate, batch.rows, whole=batch.whole)

    def _step(self, heard: Heard) -> Step:
        state = self.state
        self._asked = 0
        due = state.deadline is not None and heard.clock.now >= state.deadline
        if NAME not in heard.events and not due and not heard.begins:
            return Step(state, ())
        return step(state, heard.moments(NAME), heard.now, self.rules.policy, self.rules.allocator)

    def _repeated(self, batch: Batch) -> Step:
        """Compute the batch again as another worker would (A10), by a clock that is wrong (B6)."""
        wrong = time.time() + self.elsewhere_ms / 1000
        kept, self.state = self.state, unpack(pack(self.state))
        with patch("time.time", lambda: wrong), patch("time.monotonic", lambda: wrong):
            outcome = self._step(self._hear(self.reading.passed(batch.rows)))
        self.state, self.elsewhere_ms = kept, 0
        self._faults.occurred("A10")
        self._faults.occurred("B6")
        return outcome

    def _show(self, heard: Heard, rows: Sequence[Row]) -> Iterator[Violation]:
        events = {event.stamp.position: event for _, event in heard.events.get(NAME, [])}
        unknown = Draft(GroupState(NAME), self.rules.policy)
        for row in rows:
            event = events.get(row.position)
            if isinstance(event, Found) or row.offset <= self._shown.get(row.topic, -1):
                continue
            if event is not None:
                event = told_apart(unknown, event)
                yield from self._checker.take(entries.heard(event))
            elif row.topic == DECODER.heartbeats:
                yield from self._checker.take(entries.ticked(row))
        for row in rows:
            self._shown[row.topic] = max(row.offset, self._shown.get(row.topic, -1))

    def _judge(self, batch: Batch, outcome: Step) -> Iterator[Violation]:
        if self._asked > 1:
            detail = f"the strategy was asked {self._asked} times in one batch"
            yield Violation(Invariant.FEW_TARGETS, GROUP, "target", detail)
        if batch.outcome is not None and batch.outcome != outcome:
            yield Violation(Invariant.REPEATABLE, GROUP, "batch", "a repeated batch differs")
        batch.outcome = outcome

    def _publish(self, decision: Decision, now: int) -> Iterator[Violation]:
        self.said += 1
        at = Place("t.published", 0, self.said, now)
        if isinstance(decision, AssignmentIssued):
            self.broker.orders[decision.member].append(self._written(decision))
        elif isinstance(decision, AssignmentWithdrawn):
            self.broker.orders[decision.member].append(None)
        elif isinstance(decision, Freed):
            record = freed(decision, self.rules.outlet)
            self.broker.append(RELEASES, record.key, record.value, now)
        if isinstance(decision, GroupSummarised):
            known = self._summary
            self._summary = decision if known is None or known.epoch <= decision.epoch else known
        if self._writing and not isinstance(decision, EventRefused):
            record_of(decision, self.rules.outlet)
        entry = entries.published(decision, at)
        if entry is not None:
            yield from self._checker.take(entry)

    def _written(self, decision: AssignmentIssued) -> Assignment:
        if not self.upgraded or self.said % 2:
            return assignment(decision)
        self._faults.occurred("A12")
        return of_a_newer_release(decision, self.rules.outlet)
