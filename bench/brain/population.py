"""Groups of any size, and what may happen to them next.

Its members have joined, know their queues and are at rest; the events are made before anything is
timed. Used by the bench and by its test. Every member has a name, a life and a wish of its own, as
members that came through the log have.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from allocators import allocator
from rebalance.allocation import Allocator
from rebalance.groups.conclusion import Step
from rebalance.groups.model.decisions import AssignmentIssued
from rebalance.groups.model.events import BeatSeen, Event, Joined, Left, Released, RouteObserved
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import GroupState
from rebalance.groups.step import step
from rebalance.ids import (
    BrokerName,
    GroupName,
    Incarnation,
    Life,
    MemberId,
    Millis,
    Position,
    Queue,
    TopicName,
)
from rebalance.stamp import Stamp

_TOPIC: Final = TopicName("orders")
LIFE: Final = Incarnation("1767225600000-00000000")
QUEUES_EACH: Final = 2
"""Of 10,000 members: a group takes in what one record can name, 26,000 queues of such a topic."""

POLICY: Final = Policy(max_members=100_000, max_queues=1_000_000, standing_heirs=True)
STRATEGY: Final = allocator(POLICY.strategy)


class Population(NamedTuple):
    """A group at rest, and what may come next."""

    state: GroupState
    beats: Sequence[Event]
    """One of each member, that changes nothing."""
    join: Sequence[Event]
    leave: Sequence[Event]


def population(members: int, name: str = "population") -> Population:
    """Let so many members join, with a few queues for each."""
    names = [MemberId(f"{name}-{number:05}") for number in range(members)]
    queues = tuple(Queue(_TOPIC, BrokerName(""), it) for it in range(QUEUES_EACH * members))
    begin: list[Event] = [_joined(member) for member in names]
    begin.append(RouteObserved(at(0), _TOPIC, 1, exists=True, queues=queues))
    first = stepped(GroupState(GroupName(name)), begin, second=0).state
    assert len(first.handover.books) == len(queues), "every queue has an owner"
    while first.outbox.unposted:  # heirs are named when their members have shown that they read
        read = [BeatSeen(at(0), Life(member, LIFE), 0, first.epoch) for member in names]
        first = stepped(first, read, second=0).state
    beats = [BeatSeen(at(1), Life(member, LIFE), 1, first.epoch) for member in names]
    leave = [Left(at(1), Life(names[members // 2], LIFE), 1)]
    return Population(first, beats, [_joined(MemberId(f"{name}-newcomer"), second=1)], leave)


def released(after: Step) -> Sequence[Event]:
    """Let go whatever a step has asked for."""
    told = [it for it in after.decisions if isinstance(it, AssignmentIssued) and it.portion.give]
    return [Released(at(1), it.life, it.portion.give) for it in told]


def stepped(
    state: GroupState, events: Sequence[Event], second: int = 1, strategy: Allocator = STRATEGY
) -> Step:
    """Step a group."""
    return step(state, events, at(second), POLICY, strategy)


def at(second: int) -> Stamp:
    """Stamp what is read in a second of the log."""
    clock = Millis(1_000 * second)
    return Stamp(clock, clock, clock, Position(TopicName("trimtab.heartbeats"), 0, second))


def _joined(member: MemberId, second: int = 0) -> Joined:
    return Joined(at(second), Life(member, LIFE), 0, frozenset({TopicName(str(_TOPIC))}))
