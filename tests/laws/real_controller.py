"""The real ``step``, tabulated: what the explorer puts against real sessions.

The brain is a pure function, so each (state, event) needs computing once; after that the explorer
works with small integers. Nothing of the brain is imitated here: events go in as single-record
batches, and its decisions come out as the records that members would read.

The target is whatever the explorer wishes for: a member called "pilot", which is given nothing
itself, carries the wish in its weight, and the strategy reads it there.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from rebalance.allocation import AllocationPlan, AllocationRequest
from rebalance.groups.model.decisions import AssignmentIssued, AssignmentWithdrawn, Decision, Freed
from rebalance.groups.model.events import Inheritance, Moment
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import GroupState
from rebalance.groups.step import step
from rebalance.ids import Life, MemberId, Millis, Naming
from tests.laws import starting, views
from tests.laws.events import PILOT, TOPIC, Cast, stamp
from tests.laws.messages import (
    NOBODY,
    Elapsed,
    Input,
    Passed,
    Started,
)
from tests.laws.older import Summary, Told, Unsaid
from tests.laws.views import Inherit, Record, Release
from tests.laws.views import Life as MemberLife
from tests.laws.wishes import decoded, instance_of

GRACE_MS = Millis(1)
POLICY = Policy(
    route_damping_ms=Millis(0),  # routes are believed at once: time stands still here
    route_share_percent=100,
    flap_limit=1_000_000,  # and nobody rests
    eager_grace_ms=GRACE_MS,
    heartbeat_auto=True,
)
STANDING = replace(POLICY, standing_heirs=True)


Decisions = tuple[Decision, ...]


class Reply(NamedTuple):
    """What one input made of the controller."""

    state: int
    said: tuple[Unsaid, ...]


class RealController:
    """Every state of the group that was ever reached, by number."""

    def __init__(
        self,
        members: int,
        queues: int,
        *,
        newcomers: int = 0,
        eager: int = 0,
        policy: Policy,
        restarted: bool = False,
    ) -> None:
        """Let everybody join and learn of the queues, with a wish for nobody.

        Args:
            members: How many there are from the beginning.
            queues: How many queues the topic has.
            newcomers: How many members may come later.
            eager: How many of the members, the first ones, know no releases.
            policy: The group's.
            restarted: Whether others of it may start.
        """
        self._cast = Cast.of(members, queues, newcomers=newcomers)
        self.members, self.queues = self._cast.members, self._cast.queues
        self._numbers = {queue: index for index, queue in enumerate(self.queues)}
        self._policy, self._slots = policy, members
        self._is_whole = restarted or policy.standing_heirs
        self._states: list[GroupState] = []
        self._known: list[tuple[int, ...]] = []
        self._index: dict[object, int] = {}
        self._replies: dict[tuple[int, type[Input], Input], Reply] = {}
        state, nobody = starting.UNKNOWN, (NOBODY,) * queues
        words = starting.first_words(self._cast, nobody, eager=eager)
        events = [self._cast.event(state, each) for each in words]
        self.start = self._number(step(state, events, stamp(), policy, self._wished).state)

    def reply(self, state: int, message: Input) -> Reply:
        """Put one record to the controller in one of its states."""
        asked = state, type(message), message  # ``Gone`` and ``Marked`` compare equal
        known = self._replies.get(asked)
        if known is None:
            before = self._states[state]
            if isinstance(message, Started):
                before = starting.before(before, message)
            after, decisions = self._stepped(before, message)
            self._check(starting.reached(self._cast, before, message), after, decisions)
            known = Reply(self._number(after), tuple(self._said(decisions)))
            self._replies[asked] = known
        return known

    def _stepped(self, before: GroupState, message: Input) -> tuple[GroupState, Decisions]:
        now, events = stamp(), list[Moment]()
        match message:
            case Elapsed():
                now, before = stamp(GRACE_MS), self._stepped(before, Passed())[0]  # a batch later
            case Started():
                events += starting.moments(self._cast, before, message, self._policy)
            case Passed():
                pass
            case _:
                events.append(self._cast.event(before, message))
        outcome = step(before, events, now, self._policy, self._wished)
        return outcome.state, outcome.decisions

    def epoch(self, state: int) -> int:
        """Return the last epoch that was drawn."""
        return self._states[state].epoch

    def lives(self, state: int) -> tuple[int, ...]:
        """By member, the life that the controller takes for the present one; 0 for none."""
        return self._known[state]

    def present(self, state: int, slot: int) -> MemberLife | None:
        """Return which life may be given anything of those with an instance."""
        for number, (name, life) in enumerate(zip(self.members, self.lives(state), strict=True)):
            member = self._states[state].membership.members.get(name)
            if member is None or member.draining or member.away:
                continue
            if member.instance == instance_of(slot):
                return number, life
        return None

    def existing(self, state: int) -> int:
        """Count the queues that there are."""
        return len(self._states[state].topics.routes[TOPIC].queues)

    def paused(self, state: int) -> bool:
        """Tell whether nothing is to move."""
        return self._states[state].rules.paused

    def settled(self, state: int) -> bool:
        """Tell whether nobody is asked for anything, or promised what nobody would name it for."""
        books = self._states[state].handover.books.values()
        return all(
            owned.asked is None and {heir.epoch for heir in owned.heirs} <= {owned.named}
            for owned in books
        )

    def successor(self, state: int, queue: int) -> MemberLife | None:
        """Return the standing heir of a queue, if it was promised that."""
        owned = self._states[state].handover.books.get(self.queues[queue])
        heir = None if owned is None else owned.heir
        return None if heir is None else self._life(heir.life)

    def strangers(self, state: int) -> frozenset[MemberLife]:
        """Return the lives that hold a queue by a release, and are no members."""
        return frozenset(map(self._life, self._states[state].handover.strangers))

    def awaits(self, state: int, member: int) -> bool:
        """Tell whether a member is promised nothing before its mark is read."""
        known = self._states[state].membership.members.get(self.members[member])
        return known is not None and known.awaits_mark

    def __len__(self) -> int:
        """Count the states."""
        return len(self._states)

    def _wished(self, request: AllocationRequest) -> AllocationPlan:
        wish = decoded(request.candidates[PILOT].weight, len(self.queues), self._slots)
        members = {each.instance: name for name, each in request.candidates.items()}
        owners = {
            queue: members[instance_of(slot)]
            for queue, slot in zip(self.queues, wish, strict=True)
            if instance_of(slot) in members and queue in request.queues.get(TOPIC, ())
        }
        return AllocationPlan(owners)

    def _number(self, state: GroupState) -> int:
        members = [state.membership.members.get(name) for name in self.members]
        lives = tuple(int(member.incarnation) if member else 0 for member in members)
        manners = tuple((it.draining, it.away, it.instance) if it else None for it in members)
        books = tuple(
            (state.handover.books.get(queue), state.target.owners.get(queue))
            for queue in self.queues
        )
        pilot, seen = state.membership.members[PILOT].weight, len(state.topics.routes[TOPIC].queues)
        awaits = state.rules.paused, state.target.epoch == state.group_epoch
        key = (state.epoch, pilot, lives, manners, books, seen, awaits, self._standing(state))
        number = self._index.setdefault(key, len(self._states))
        if number == len(self._states):
            self._states.append(state)
            self._known.append(lives)
        return number

    def _standing(self, state: GroupState) -> tuple[object, ...]:
        """Return what else counts then: who they are, and who has read of it."""
        if not self._is_whole:
            return ()
        members, pulses = state.membership.members, state.membership.pulses
        return (
            tuple(state.handover.loose),
            tuple(sorted(state.handover.strangers)),
            tuple(state.target.heirs.get(queue) for queue in self.queues),
            tuple(
                (members[name].awaits_mark, None if unread is None else unread.epoch)
                for name in self.members
                if name in members
                for unread in (pulses[name].unread,)
            ),
        )

    def _said(self, decisions: Decisions) -> Iterator[Unsaid]:
        for decision in decisions:
            match decision:
                case AssignmentIssued():
                    if decision.member != PILOT:
                        number = self.members.index(decision.member)
                        yield Told(number, self._record(decision))
                case AssignmentWithdrawn():
                    yield Told(self.members.index(decision.member), None)
                case Freed():
                    yield from self._freed(decision)
                case GroupSummarised():
                    yield Summary(decision.epoch)
                case _:
                    pass  # for people

    def _freed(self, freed: Freed) -> Iterator[Release]:
        who = self.members.index(freed.member), int(freed.incarnation)
        for queue, epoch, named, _ in freed.namings:
            yield Release(*who, self._numbers[queue], epoch, named or 0, own=False)

    def _record(self, issued: AssignmentIssued) -> Record:
        portion = issued.portion
        return Record(
            life=int(issued.incarnation),
            epoch=issued.epoch,
            hold=tuple(map(self._naming, portion.hold)),
            give=tuple(map(self._naming, portion.give)),
            inherit=tuple(self._inherit(line) for line in portion.inherit),
        )

    def _naming(self, naming: Naming) -> views.Naming:
        to = None if naming.to is None else self._life(naming.to)
        return self._numbers[naming.queue], naming.epoch, naming.next or 0, to

    def _life(self, life: Life) -> MemberLife:
        return self.members.index(life.member), int(life.incarnation)

    def _inherit(self, line: Inheritance) -> Inherit:
        queue, (giver, life) = self._numbers[line.queue], self._life(line.predecessor.life)
        source = Release(giver, life, queue, line.predecessor.epoch, line.epoch)
        return Inherit(queue, line.epoch, source)

    def _check(self, known: int, after: GroupState, decisions: Decisions) -> None:
        """Hold each step to what a reader of its records relies on."""
        issued = [each for each in decisions if isinstance(each, AssignmentIssued)]

        assert known <= after.epoch <= known + 1
        assert {after.epoch} >= {each.epoch for each in issued}
        assert {
            queue for queue, name in after.target.owners.items() if _is_there(after, name)
        } <= set(after.handover.books)
        assert len({each.member for each in issued}) == len(issued)


def _is_there(state: GroupState, name: MemberId) -> bool:
    return name in state.membership.members and not state.membership.members[name].away
