"""Random logs: what a small group might write in a short while, sensible or not.

Few names, small numbers: so that late, repeated and contradictory records meet each other often.
A log is read through a clock, as the shell does it, and can be cut into batches anywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from hypothesis import strategies as st

from allocators.rocketmq.averagely import averagely
from rebalance.allocation import Allocator
from rebalance.clock import LogClock
from rebalance.groups.conclusion import Step
from rebalance.groups.model.commands import (
    Approve,
    ChooseMode,
    ChoosePolicy,
    ChooseStrategy,
    DrainMember,
    EvictMember,
    Forget,
    Pace,
    Pause,
    RebalanceNow,
    Resume,
    UndrainMember,
)
from rebalance.groups.model.events import Event, Mode, Moment, Released
from rebalance.groups.model.overrides import Overrides
from rebalance.groups.model.policy import Policy, TwinRule
from rebalance.groups.model.portions import portions
from rebalance.groups.model.state import GroupState
from rebalance.groups.step import step
from rebalance.ids import (
    GroupName,
    InstanceId,
    Life,
    MemberId,
    Millis,
    Naming,
    Position,
    TopicName,
)
from rebalance.stamp import Stamp
from tests.builders.records import (
    Record,
    beat_of,
    commanded,
    drained,
    joined,
    left,
    released,
    routed,
    wild,
)

Entry = tuple[int, Record]
"""Milliseconds since the entry before, and the record."""


def _millis(number: int | None) -> Millis | None:
    return None if number is None else Millis(number)


LIVES = st.sampled_from(["a", "a:2", "b", "b:2", "c"])
TOPICS = st.sampled_from(["orders", "payments", "orders payments"])
SEQUENCES = st.integers(0, 5)
EPOCHS = st.integers(0, 6)
GAPS = st.sampled_from([0, 0, 1, 500, 1_000, 1_000, 2_000, 60_000])
CLAIMS = st.lists(
    st.builds(
        "{}-{}@{}".format, st.sampled_from(["orders", "payments"]), st.integers(0, 3), EPOCHS
    ),
    max_size=3,
    unique=True,
).map(" ".join)

JOINS = st.builds(
    joined,
    LIVES,
    TOPICS,
    sequence=SEQUENCES,
    session_ms=st.sampled_from([None, 1_000, 20_000]),
    weight=st.integers(1, 2),
)
BEATS = st.builds(beat_of, LIVES, sequence=SEQUENCES, epoch=EPOCHS, owned=st.none() | CLAIMS)
NEXT = st.just("") | EPOCHS.map(">{}".format)
TURNS = st.tuples(CLAIMS, NEXT).map(lambda it: " ".join(each + it[1] for each in it[0].split()))
RELEASES = st.builds(released, LIVES, TURNS)
OBEYING = st.builds(released, LIVES, st.just(""))
"""Releases of whatever the member is told to give when the batch is read (``Telling``)."""
ROUTES = st.builds(
    routed,
    st.sampled_from(["orders", "payments"]),
    st.integers(0, 4),
    version=st.integers(1, 5),
    exists=st.booleans(),
)
GOINGS = st.builds(drained, LIVES, sequence=SEQUENCES) | st.builds(
    left, LIVES, temporary=st.booleans()
)
STRANGERS = st.builds(
    joined,
    LIVES,
    sequence=SEQUENCES,
    instance=st.none() | st.sampled_from("ik").map(InstanceId),
    mode=st.sampled_from(Mode),
    eager=st.booleans(),
    patterns=st.sampled_from(["", "pay*", "*"]).map(wild),
)
RECORDS: st.SearchStrategy[Record] = st.one_of(
    JOINS, JOINS, STRANGERS, BEATS, RELEASES, OBEYING, OBEYING, ROUTES, GOINGS
)
NAMES = st.sampled_from("abc").map(MemberId)
OVERRIDES = st.builds(
    Overrides,
    session_timeout_ms_max=st.sampled_from([None, 1_000, 10_000, 12_000]).map(_millis),
    heartbeat_interval_ms=st.sampled_from([None, 500]).map(_millis),
    on_twin=st.sampled_from([None, *TwinRule]),
    on_twin_instance=st.sampled_from([None, *TwinRule]),
    assignment_interval_ms=st.sampled_from([None, 5_000]).map(_millis),
    blast_members=st.sampled_from([None, 0, 1]),
    blast_hold_ms=st.sampled_from([None, 0]).map(_millis),
    flap_limit=st.sampled_from([None, 1]),
    route_damping_ms=st.sampled_from([None, 0]).map(_millis),
)
ORDERED = st.sampled_from(["orders", "payments"]).map(TopicName)
COMMANDS = st.builds(
    commanded,
    st.one_of(
        st.builds(Pause, st.none() | st.integers(0, 20_000).map(Millis)),
        st.builds(Resume),
        st.builds(DrainMember, NAMES, st.booleans()),
        st.builds(UndrainMember, NAMES),
        st.builds(EvictMember, NAMES, st.booleans()),
        st.builds(RebalanceNow),
        st.builds(ChooseStrategy, st.sampled_from([None, "AVG"])),
        st.builds(ChoosePolicy, OVERRIDES),
        st.builds(ChooseMode, ORDERED, st.booleans(), st.none() | st.integers(-1, 2)),
        st.builds(Pace, st.sampled_from([500, 9_000, 60_000]).map(Millis)),
        st.builds(Approve),
        st.builds(Forget),
    ),
    name=st.none() | st.sampled_from(["c1", "c2"]),
    base=st.none() | EPOCHS,
)

PRELUDE: list[Entry] = [
    (0, joined("a", "orders payments", sequence=0)),
    (0, joined("b", "orders", sequence=0)),
    (0, routed("orders", 3)),
    (0, routed("payments", 2)),
]
LOGS = st.lists(st.tuples(GAPS, RECORDS), min_size=6, max_size=16).map(PRELUDE.__add__)
"""Two members share two topics; then anything: liars, zombies, newcomers, outages."""
COMMANDED_LOGS = st.lists(st.tuples(GAPS, RECORDS | COMMANDS), min_size=6, max_size=16).map(
    PRELUDE.__add__
)
"""The same with an operator at work, whose commands take effect between batches."""

CUTS = st.sets(st.integers(1, 19), min_size=4)
"""Where a log is cut into batches."""


def read(log: Sequence[Entry], policy: Policy, tick_ms: int | None = None) -> list[Event]:
    """Stamp a log as the shell does, perhaps with ticks so far apart between its records."""
    clock, wall, events = LogClock(), 0, []
    for offset, (gap, record) in enumerate(log):
        for tick in range(wall, wall + gap, tick_ms) if tick_ms else ():
            clock = clock.advanced(Millis(tick), policy.max_clock_step_ms)
        wall += gap
        clock = clock.advanced(Millis(wall), policy.max_clock_step_ms)
        place = Position(TopicName("log"), 0, offset)
        events.append(record(Stamp(clock.now, clock.now, Millis(wall), place)))
    return events


def batches(events: Sequence[Event], cuts: set[int]) -> list[Sequence[Event]]:
    """Cut a log into batches."""
    edges = [0, *sorted(cut for cut in cuts if cut < len(events)), len(events)]
    return [events[start:end] for start, end in pairwise(edges)]


class Told(NamedTuple):
    """One batch, and what became of it."""

    before: GroupState
    batch: Sequence[Event]
    outcome: Step


@dataclass
class Telling:
    """A log, told batch by batch from an empty group."""

    policy: Policy
    allocator: Allocator = averagely

    def tell(self, events: Sequence[Event], cuts: set[int]) -> list[Told]:
        """Tell the whole log."""
        state, told = GroupState(GroupName("g")), []
        for cut in batches(events, cuts):
            batch = [*freed(state, cut[0].stamp), *(_obedient(state, event) for event in cut)]
            told.append(Told(state, batch, self.step(state, batch)))
            state = told[-1].outcome.state
        return told

    def step(self, state: GroupState, batch: Sequence[Moment]) -> Step:
        """Take one step."""
        return step(state, batch, batch[-1].stamp, self.policy, self.allocator)

    def settled(self, state: GroupState, now: Stamp) -> GroupState:
        """Let every member obey, over and over, until nothing is left to give, or to read."""
        while said := [*freed(state, now), *_obeyed(state, now)]:
            state = self.step(state, said).state
        return state


def is_spared(state: GroupState) -> bool:
    """Tell whether somebody rests while somebody is away.

    Who rests gets what only the other would work on, but not before the target is made anew for
    another reason: a temporary leave is none. Whether there is one depends on the cuts.
    """
    away = any(member.away for member in state.membership.members.values())
    return away and any(member.resting_until for member in state.membership.members.values())


def freed(state: GroupState, now: Stamp) -> list[Event]:
    """Return the releases that the controller wrote itself and has not read yet."""
    return [
        Released(
            now, owned.holder.life, (Naming(queue, owned.holder.epoch, owned.named),), own=False
        )
        for queue, owned in sorted(state.handover.books.items())
        if owned.ending is not None
    ]


def _obeyed(state: GroupState, now: Stamp) -> list[Event]:
    members = state.membership.members.items()
    releases = (
        Released(now, life, _told_to_give(state, life))
        for life in sorted(member.life(it) for it, member in members)
    )
    return [release for release in releases if release.namings]


def _obedient(state: GroupState, event: Event) -> Event:
    if isinstance(event, Released) and not event.namings:
        return replace(event, namings=_told_to_give(state, event.life))
    return event


def _told_to_give(state: GroupState, life: Life) -> tuple[Naming, ...]:
    return portions(state.handover.books.items(), [life])[life.member].give
