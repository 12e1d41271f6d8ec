"""A story: records are read, time goes by, and the group's state is carried along.

    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    story.waits(seconds=9)

Each ``reads`` is one batch. Time is log time: ``waits`` lets the controller tick once a second, as
it does in truth, and each tick is a batch of its own; ``away`` lets time go by without a record.
To keep stories short all topics are one partition here, whose every record moves the clock.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from allocators.rocketmq.averagely import averagely
from rebalance.allocation import Allocator
from rebalance.clock import LogClock
from rebalance.groups.model.decisions import (
    AssignmentIssued,
    AssignmentWithdrawn,
    Decision,
    Freed,
)
from rebalance.groups.model.events import Begun, Event, Moment, Portion, Released
from rebalance.groups.model.overview import GroupPhase, GroupSummarised
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import GroupState
from rebalance.groups.step import step
from rebalance.ids import GroupName, MemberId, Millis, Position, TopicName
from rebalance.stamp import Stamp, Ticked
from tests.builders.notation import life, life_text, naming_text, page_text, queue_text
from tests.builders.records import Record, joined, released, routed

TICK_MS = 1_000
BIRTH_MS = 1_700_000_000_000
"""The broker's clock at the first record: any date will do."""

AnyDecision = TypeVar("AnyDecision", bound=Decision)
AnySaid = TypeVar("AnySaid", Event, Event | Ticked)


@dataclass
class Story:
    """One group from its first record on."""

    policy: Policy = field(default_factory=Policy)
    allocator: Allocator = averagely
    state: GroupState = field(default_factory=lambda: GroupState(GroupName("billing")))
    clock: LogClock = field(default_factory=LogClock)
    wall: int = BIRTH_MS
    decisions: list[Decision] = field(default_factory=list)
    """Everything decided so far."""
    decided: list[Decision] = field(default_factory=list)
    """What the last batch decided."""
    records: dict[MemberId, AssignmentIssued | None] = field(default_factory=dict)
    """What each member would read now; None was withdrawn."""
    offset: int = -1
    unheard: list[Freed] = field(default_factory=list)
    """What the last batch released for others: the next one reads it."""

    def reads(self, *records: Record) -> list[Decision]:
        """Read these records as one batch; return what was decided."""
        events = [self._stamped(record) for record in records]
        return self._step(events, events[-1].stamp)

    def reads_late(self, *records: Record, apart: float) -> list[Decision]:
        """Read these as one batch, although they were written so many seconds apart."""
        events = []
        for record in records:
            self.wall += round(apart * 1000)
            events.append(self._stamped(record))
        return self._step(events, events[-1].stamp)

    def starts(self, *records: Callable[[Stamp], Event | Ticked]) -> list[Decision]:
        """Begin again, with the memory that there was; these were written meanwhile."""
        begun = Begun(self._stamp())
        events = [self._stamped(record) for record in records]
        return self._step([begun, *events], self._stamp())

    def waits(self, *, seconds: float) -> list[Decision]:
        """Let time go by, with a tick each second and one at the end."""
        end = self.wall + round(seconds * 1000)
        decided: list[Decision] = []
        while self.wall < end:
            self.wall = min(self.wall + TICK_MS, end)
            decided = decided + self.ticks()
        return decided

    def ticks(self) -> list[Decision]:
        """Read a tick, stamped now."""
        return self._step([], self._stamp())

    def away(self, *, seconds: float) -> None:
        """Let time go by while nobody writes anything: Kafka or the controller was down."""
        self.wall += round(seconds * 1000)

    def obeys(self, *members: str) -> list[Decision]:
        """Let members release, in one batch, what their records tell them to give."""
        records = []
        for name in members:
            issued = self.records[life(name)[0]]
            if issued is not None and issued.portion.give:
                records.append(released(name, " ".join(map(naming_text, issued.portion.give))))
        if records:
            return self.reads(*records)
        self.decided = []
        return self.decided

    def settles(self) -> None:
        """Let everybody obey until there is nothing left to give."""
        while any(issued and issued.portion.give for issued in self.records.values()):
            self.obeys(*(name for name, issued in self.records.items() if issued))

    def told(self, member: str) -> Portion:
        """Return what a member reads in its record."""
        issued = self.records[MemberId(member)]
        assert issued is not None, f"{member} was withdrawn"
        return issued.portion

    def pages(self) -> dict[str, str]:
        """Return the books, in the notation."""
        ownership = self.state.handover.books
        return {queue_text(queue): page_text(ownership[queue]) for queue in sorted(ownership)}

    def owners(self) -> dict[str, str]:
        """Return who holds each queue, whatever the epoch."""
        ownership = self.state.handover.books
        return {queue_text(queue): ownership[queue].holder.member for queue in sorted(ownership)}

    def freed(self) -> dict[str, str]:
        """Return by life what the last batch released for it; the next batch reads that."""
        return {
            life_text(*it.life): " ".join(map(naming_text, it.namings))
            for it in only(Freed, self.decided)
        }

    def phase(self) -> GroupPhase:
        """Return the phase that was last published."""
        return only(GroupSummarised, self.decisions)[-1].phase

    def _stamped(self, record: Callable[[Stamp], AnySaid]) -> AnySaid:
        self.offset += 1
        return record(self._stamp())

    def _stamp(self) -> Stamp:
        appended = Millis(self.wall)
        self.clock = self.clock.advanced(appended, self.policy.max_clock_step_ms)
        now = self.clock.now
        return Stamp(now, now, appended, Position(TopicName("log"), 0, self.offset))

    def _freed(self, now: Stamp) -> list[Released]:
        """Return what the last batch released for others, as it is read."""
        return [Released(now, it.life, it.namings, own=False) for it in self.unheard]

    def _step(self, events: Sequence[Moment], now: Stamp) -> list[Decision]:
        """Read what the last batch released for others as well, before all else."""
        events = [*self._freed(now), *events]
        outcome = step(self.state, events, now, self.policy, self.allocator)
        self.state = outcome.state
        for decision in outcome.decisions:
            if isinstance(decision, AssignmentIssued):
                self.records[decision.member] = decision
            elif isinstance(decision, AssignmentWithdrawn):
                self.records[decision.member] = None
        self.decided = list(outcome.decisions)
        self.unheard = only(Freed, self.decided)
        self.decisions += self.decided
        return self.decided


def only(kind: type[AnyDecision], decisions: Iterable[Decision]) -> list[AnyDecision]:
    """Return the decisions of one kind."""
    return [decision for decision in decisions if isinstance(decision, kind)]


def two_members(*, queues: int = 2, policy: Policy | None = None) -> Story:
    """Begin with a and b, who share the queues of one topic."""
    story = Story(policy=policy or Policy())
    story.reads(joined("a"), joined("b"), routed("orders", queues))
    return story


CREDULOUS = Policy(route_damping_ms=Millis(0), route_share_percent=100)
"""Believes at once that queues are gone."""


def handing_over(*, policy: Policy | None = None) -> Story:
    """Begin with orders-1 on its way from a to b, told in epoch 2."""
    story = Story(policy=policy or Policy())
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("b"))
    return story
