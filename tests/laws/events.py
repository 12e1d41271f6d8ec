"""What the explorer says, as the events that the brain understands: one for each message.

Used by ``real_controller``. Its one rule: an event depends on nothing but the message and the
state that it is said to.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rebalance.groups.model.commands import Command, DrainMember, EvictMember, Pause, Resume
from rebalance.groups.model.events import (
    BeatSeen,
    Commanded,
    Event,
    Joined,
    Left,
    Released,
    RouteObserved,
)
from rebalance.groups.model.state import GroupState
from rebalance.ids import (
    BrokerName,
    Epoch,
    Held,
    Incarnation,
    Life,
    MemberId,
    Millis,
    Naming,
    Position,
    Queue,
    TopicName,
)
from rebalance.stamp import Stamp
from tests.laws.messages import (
    Away,
    Beat,
    Booked,
    Drained,
    Gone,
    Input,
    Marked,
    Paused,
    Rejoined,
    Resized,
    Resumed,
    Silent,
    Wished,
)
from tests.laws.views import Life as MemberLife
from tests.laws.wishes import encoded, instance_of

PILOT = MemberId("pilot")
"""It carries the wish in its weight. It has no room, so it is promised nothing."""
TOPIC = TopicName("orders")
OfAMember = Rejoined | Away | Silent | Booked | Marked | Beat


class Cast(NamedTuple):
    """Who takes part."""

    members: Sequence[MemberId]
    queues: Sequence[Queue]
    slots: int
    """So many instances."""

    @classmethod
    def of(cls, members: int, queues: int, *, newcomers: int) -> "Cast":
        """Name so many."""
        names = tuple(MemberId(f"m{index}") for index in range(members + newcomers))
        return cls(names, tuple(Queue(TOPIC, BrokerName(""), at) for at in range(queues)), members)

    def event(self, state: GroupState, message: Input) -> Event:
        """Say something to the controller."""
        match message:
            case Rejoined() | Away() | Silent() | Booked() | Marked() | Beat():
                return self._of_a_member(state, message)
            case Wished(wish):
                code, topics = encoded(wish, self.slots), frozenset({TOPIC})
                life = Life(PILOT, Incarnation("1"))
                return Joined(stamp(), life, 0, topics, weight=code, capacity=0)
            case Resized(queues):
                version = state.epoch + 1
                seen = tuple(self.queues[:queues])
                return RouteObserved(stamp(), TOPIC, version, exists=True, queues=seen)
            case Gone() | Drained() | Paused() | Resumed():
                command = self._command(message)
                name = f"{command} at {state.epoch}"  # obeyed, a command draws the next epoch
                return Commanded(stamp(), name, "", "", command)
            case _:
                raise AssertionError(message)

    def _of_a_member(self, state: GroupState, message: OfAMember) -> Event:
        who = self.life((message.member, message.life))
        match message:
            case Rejoined():
                return Joined(
                    stamp(),
                    who,
                    0,
                    frozenset({TOPIC}),
                    instance=instance_of(message.slot),
                    eager=message.eager,
                    marks=message.marks,
                )
            case Away():
                return Left(stamp(), who, 0, temporary=True)
            case Silent():
                return Left(stamp(), who, 0)  # it ends alike, and time stands still here
            case Booked():
                named = Epoch(message.named) if message.named else None
                to = None if message.to is None else self.life(message.to)
                naming = Naming(self.queues[message.queue], Epoch(message.epoch), named, to)
                return Released(stamp(), who, (naming,), own=message.own)
            case Marked():
                return Released(stamp(), who, ())
            case Beat():
                owned = tuple(Held(self.queues[queue], Epoch(at)) for queue, at in message.owned)
                pulse = state.membership.pulses.get(who.member) if message.newest else None
                sequence = 0 if pulse is None else pulse.sequence + 1
                return BeatSeen(stamp(), who, sequence, Epoch(message.epoch), owned)

    def life(self, life: MemberLife) -> Life:
        """Spell a life."""
        return Life(self.members[life[0]], Incarnation(str(life[1])))

    def _command(self, message: Gone | Drained | Paused | Resumed) -> Command:
        match message:
            case Gone(member, _):
                return EvictMember(self.members[member], force=True)
            case Drained(member):
                return DrainMember(self.members[member], force=True)
            case Paused():
                return Pause()
            case Resumed():
                return Resume()


def stamp(clock: int = 0) -> Stamp:
    """Return the one moment at which everything happens; only a grace may run out."""
    now = Millis(clock)
    return Stamp(now, now, now, Position(TOPIC, 0, 0))
