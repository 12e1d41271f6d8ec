"""A story whose controller forgets: its whole log is kept, and what stands published.

    story = Remembered()
    story.reads(joined("a"), routed("orders", 2))
    old = story.memory()
    ...
    story.forgets(old)

``forgets`` is a start with the memory given, or with none: one batch with all that the log still
holds and the memory does not know, and then what a driver would have found published.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from allocators import allocator
from rebalance.clock import LogClock
from rebalance.groups.model.decisions import Decision
from rebalance.groups.model.events import Found, Moment
from rebalance.groups.model.overrides import Settings
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import GroupState
from rebalance.stamp import Stamp, Ticked
from tests.builders.records import Record, advanced, beat_of, found, joined, routed
from tests.builders.story import Story, only


class Memory(NamedTuple):
    """What a checkpoint holds."""

    state: GroupState
    clock: LogClock
    read: int
    """How much of the log."""


@dataclass
class Remembered(Story):
    """A story that can be lived again."""

    log: list[Moment] = field(default_factory=list)
    backup: Memory | None = None

    def memory(self) -> Memory:
        """Return what a checkpoint would hold now."""
        return Memory(self.state, self.clock, len(self.log))

    def missed(self, *records: Record) -> None:
        """Write what no controller reads for now."""
        self.log += [record(self._next()) for record in records]

    def finds(self, *said: Callable[[Stamp], Found]) -> list[Decision]:
        """Read what somebody says was found published."""
        return self._step([each(self._next()) for each in said], self._stamp())

    def forgets(
        self,
        memory: Memory | None = None,
        *,
        kept: int = 0,
        late: float = 0,
        lost: Collection[str] = (),
        still: bool = False,
    ) -> list[Decision]:
        """Start with an old memory; without any, read what is kept of the log.

        The first batch ends ``late`` seconds after what was found, but for what is lost of it:
        the records of these members, or, by an empty name, the group's. If the clock is ``still``,
        all of the past has one time, as where no tick of it moves the clock (``gate``).
        """
        self.log += self._freed(self._stamp())
        self.decided = []  # it was written before the start, and is read with the past
        nothing = Memory(GroupState(self.state.name), LogClock(), kept)
        self.state, self.clock, read = memory or nothing
        past = list(self._again(self.log[read:], still=still))
        told = list(self._found())
        there = [replace(it, of=len(told)) for it in told if getattr(it, "member", "") not in lost]
        self.log += (present := there if lost else told)
        self.away(seconds=late)
        return super()._step([*past, *present], self._stamp())

    def _again(self, log: Sequence[Moment], *, still: bool) -> Iterator[Moment]:
        """Stamp what is read again by the clock as it is now."""
        for moment in log:
            appended = moment.stamp.appended
            if not still:
                self.clock = self.clock.advanced(appended, self.policy.max_clock_step_ms)
            now = self.clock.now
            yield replace(moment, stamp=replace(moment.stamp, clock=now, heard=now))

    def _found(self) -> Iterator[Found]:
        summaries, start = only(GroupSummarised, self.decisions), str(self.offset)
        if summaries:
            last = summaries[-1]
            told, drained = settings(last), [it.member for it in last.members if it.draining]
            yield advanced(
                last.epoch, decided=last.at, start=start, settings=told, draining=drained
            )(self._next())
        for issued in self.records.values():
            if issued is not None:
                named = replace(issued, life=issued.life.on_the_wire)
                yield found(named, start=start)(self._next())

    def _next(self) -> Stamp:
        self.offset += 1
        return self._stamp()

    def _step(self, events: Sequence[Moment], now: Stamp) -> list[Decision]:
        self.log += [*self._freed(now), *events] or [Ticked(now)]
        return super()._step(events, now)


def settings(summary: GroupSummarised) -> Settings:
    """Return what a summary says of commands."""
    return Settings(
        paused=summary.paused,
        pause_ends=summary.paused_until,
        strategy=summary.own_strategy,
        overrides=summary.overrides,
        popped=tuple(it.topic for it in summary.topics if it.popped),
    )


def a_story(policy: Policy | None = None) -> Remembered:
    """Begin with nobody, under the strategy that moves least."""
    return Remembered(policy=policy or Policy(), allocator=allocator("STICKY"))


def at_work(policy: Policy | None = None) -> Remembered:
    """Begin with a and b, who share four queues and beat, in epoch 2."""
    story = a_story(policy)
    story.reads(joined("a"), routed("orders", 4))
    story.reads(joined("b"))
    story.settles()
    story.waits(seconds=1)
    story.reads(*beats(story, "a", "b"))
    return story


def beats(story: Remembered, *names: str) -> list[Record]:
    """Everybody is still there."""
    return [beat_of(name, epoch=story.state.epoch) for name in names]
