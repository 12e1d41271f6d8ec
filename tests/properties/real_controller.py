"""The real ``step``, tabulated: what the explorer puts against its model members.

The brain is a pure function, so each (state, event) needs computing once; after that the explorer
works with small integers. Nothing of the brain is imitated here: events go in as single-record
batches, and its decisions come out as the records that members would read.

The target is whatever the explorer wishes for: a member called "pilot", which is given nothing
itself, carries the wish in its weight, and the strategy reads it there.
"""

from typing import NamedTuple

from rebalance.allocation import AllocationPlan, AllocationRequest
from rebalance.decisions import AssignmentIssued, AssignmentWithdrawn, Decision, Inheritance
from rebalance.events import Beaten, Event, Joined, Left, Released, RouteObserved, Stamp
from rebalance.group import GroupState
from rebalance.ids import (
    BrokerName,
    Epoch,
    GroupName,
    Incarnation,
    MemberId,
    Millis,
    Position,
    Queue,
    TopicName,
)
from rebalance.policy import Policy
from rebalance.step import step
from tests.properties.model_member import Claim, Inherit, Orders, Release

NOBODY = -1
PILOT = MemberId("pilot")
TOPIC = TopicName("orders")
STAMP = Stamp(Millis(0), Millis(0), Millis(0), Position(TOPIC, 0, 0))
POLICY = Policy()

Wish = tuple[int, ...]
"""By queue, the member that is to own it, or NOBODY."""


class Wished(NamedTuple):
    """The target changes."""

    wish: Wish


class Rejoined(NamedTuple):
    """A member joins, as this life of its."""

    member: int
    life: int


class Gone(NamedTuple):
    """The controller learns that a life has ended, as it would by expiry or a guard's leave."""

    member: int
    life: int


class Booked(NamedTuple):
    """The controller reads a release."""

    member: int
    life: int
    queue: int
    epoch: int


class Beat(NamedTuple):
    """The controller reads a full beat."""

    member: int
    life: int
    epoch: int
    owned: tuple[Claim, ...]


Input = Wished | Rejoined | Gone | Booked | Beat


class Reply(NamedTuple):
    """What one input made of the controller."""

    state: int
    records: tuple[tuple[int, Orders | None], ...]


class RealController:
    """Every state of the group that was ever reached, by number."""

    def __init__(self, members: int, queues: int) -> None:
        """Let everybody join and learn of the queues, with a wish for nobody."""
        self.members = [MemberId(f"m{index}") for index in range(members)]
        self.queues = [Queue(TOPIC, BrokerName(""), index) for index in range(queues)]
        self._numbers = {queue: index for index, queue in enumerate(self.queues)}
        self._states: list[GroupState] = []
        self._known: list[tuple[int, ...]] = []
        self._index: dict[object, int] = {}
        self._replies: dict[tuple[int, Input], Reply] = {}
        nobody = (NOBODY,) * queues
        start: list[Event] = [
            RouteObserved(STAMP, TOPIC, 1, exists=True, queues=tuple(self.queues))
        ]
        start += [self._event(Rejoined(member, 1)) for member in range(members)]
        joined = [self._event(Wished(nobody)), *start[1:], start[0]]
        first = step(GroupState(GroupName("g")), joined, STAMP, POLICY, self._wished)
        self.start = self._number(first.state)

    def reply(self, state: int, message: Input) -> Reply:
        """Put one record to the controller in one of its states."""
        known = self._replies.get((state, message))
        if known is None:
            before = self._states[state]
            outcome = step(before, [self._event(message)], STAMP, POLICY, self._wished)
            self._check(before, outcome.state, outcome.decisions)
            known = Reply(self._number(outcome.state), self._records(outcome.decisions))
            self._replies[state, message] = known
        return known

    def lives(self, state: int) -> tuple[int, ...]:
        """By member, the life that the controller takes for the present one; 0 for none."""
        return self._known[state]

    def settled(self, state: int) -> bool:
        """Tell whether the books hold no heir, and nobody is asked for anything."""
        books = self._states[state].ownership.values()
        return all(owned.heir is None and owned.holder.asked is None for owned in books)

    def __len__(self) -> int:
        """Count the states."""
        return len(self._states)

    def _event(self, message: Input) -> Event:
        match message:
            case Wished(wish):
                code = _encoded(wish, len(self.members))
                topics = frozenset({TOPIC})
                return Joined(STAMP, PILOT, Incarnation("1"), 0, topics, weight=code)
            case Rejoined(member, life):
                name, topics = self.members[member], frozenset({TOPIC})
                return Joined(STAMP, name, Incarnation(str(life)), 0, topics)
            case Gone(member, life):
                return Left(STAMP, self.members[member], Incarnation(str(life)), 0)
            case Booked(member, life, queue, epoch):
                grants = ((self.queues[queue], Epoch(epoch)),)
                return Released(STAMP, self.members[member], Incarnation(str(life)), grants)
            case Beat(member, life, epoch, claims):
                owned = tuple((self.queues[queue], Epoch(at)) for queue, at in claims)
                life_name = Incarnation(str(life))
                return Beaten(STAMP, self.members[member], life_name, 0, Epoch(epoch), owned)

    def _wished(self, request: AllocationRequest) -> AllocationPlan:
        wish = _decoded(request.candidates[PILOT].weight, len(self.queues), len(self.members))
        owners = {
            self.queues[queue]: self.members[member]
            for queue, member in enumerate(wish)
            if member != NOBODY and self.members[member] in request.candidates
        }
        return AllocationPlan(owners)

    def _number(self, state: GroupState) -> int:
        lives = tuple(
            int(state.members[name].incarnation) if name in state.members else 0
            for name in self.members
        )
        books = tuple((queue, state.ownership.get(queue)) for queue in self.queues)
        key = (state.epoch, state.members[PILOT].weight, lives, books)
        number = self._index.setdefault(key, len(self._states))
        if number == len(self._states):
            self._states.append(state)
            self._known.append(lives)
        return number

    def _records(self, decisions: tuple[Decision, ...]) -> tuple[tuple[int, Orders | None], ...]:
        records: list[tuple[int, Orders | None]] = []
        for decision in decisions:
            if isinstance(decision, AssignmentIssued) and decision.member != PILOT:
                records.append((self.members.index(decision.member), self._orders(decision)))
            elif isinstance(decision, AssignmentWithdrawn):
                records.append((self.members.index(decision.member), None))
        return tuple(records)

    def _orders(self, issued: AssignmentIssued) -> Orders:
        numbers, portion = self._numbers, issued.portion
        return Orders(
            life=int(issued.incarnation),
            epoch=issued.epoch,
            hold=tuple((numbers[queue], epoch) for queue, epoch in portion.hold),
            give=tuple((numbers[queue], epoch) for queue, epoch in portion.give),
            inherit=tuple(self._inherit(line) for line in portion.inherit),
        )

    def _inherit(self, line: Inheritance) -> Inherit:
        queue, life = self._numbers[line.queue], int(line.from_incarnation)
        source = Release(self.members.index(line.from_member), life, queue, line.from_epoch)
        return Inherit(queue, line.epoch, source)

    def _check(
        self, before: GroupState, after: GroupState, decisions: tuple[Decision, ...]
    ) -> None:
        """Hold each step to what a reader of its records relies on."""
        issued = [each for each in decisions if isinstance(each, AssignmentIssued)]

        assert before.epoch <= after.epoch <= before.epoch + 1
        assert {after.epoch} >= {each.epoch for each in issued}
        assert set(after.target) <= set(after.ownership)
        assert len({each.member for each in issued}) == len(issued)


def _encoded(wish: Wish, members: int) -> int:
    code = 0
    for member in reversed(wish):
        code = code * (members + 1) + member + 1
    return code + 1


def _decoded(code: int, queues: int, members: int) -> Wish:
    wish, rest = [], code - 1
    for _ in range(queues):
        rest, digit = divmod(rest, members + 1)
        wish.append(digit - 1)
    return tuple(wish)
