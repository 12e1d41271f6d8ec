"""The commons: what members work on without owning it.

A broadcasting member works on every queue of its topics. Members that share (RocketMQ's POP) stand
in a ring: a topic's queues are cut into as many even runs as there are such members, and each works
on its own run and on those of the next few, so that a slow one delays nothing. How many those are
is the share number; with none, or one that covers all members, each works on everything.

Nothing is handed over, and the books do not mention it: such a member's record follows from the map
of queues and the roster, under the epoch of its own joining. It takes no part in the target, so it
does not affect members of the same group that own their queues (fault C19). By a command
RocketMQ's clients share the queues of single topics, and own the rest (``Member.pops``).

``target`` leaves these members out. Called by ``conclusion`` and ``summary`` for what they work on.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from rebalance.allocation import first_of
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Mode, Portion
from rebalance.groups.model.member import Member
from rebalance.groups.model.roster import Roster, Trait
from rebalance.groups.model.route import Route
from rebalance.groups.model.state import GroupState
from rebalance.groups.model.subscriptions import known, popped_by, topics_of, wants
from rebalance.ids import ANY_QUEUE, MemberId, Naming, Queue, TopicName, java_order

_ALL: Final = -1
"""The share number with which each draws from every queue."""

Drawn = Mapping[MemberId, Sequence[Queue]]
"""What each member of a ring draws from."""


def _draws(member: Member) -> bool:
    return member.mode is Mode.SHARED or bool(popped_by(member))


def _draws_from(member: Member, topic: TopicName) -> bool:
    return topic in popped_by(member) if member.owns else _draws(member) and wants(member, topic)


@dataclass(frozen=True, slots=True)
class Commons:
    """What the members of one group work on in common."""

    members: Roster
    routes: Mapping[TopicName, Route]
    share_numbers: Mapping[TopicName, int]
    """The share numbers of topics (``share_numbers``)."""
    there: frozenset[TopicName]
    """Topics that exist."""
    _rings: dict[TopicName, Drawn] = field(default_factory=dict)

    @classmethod
    def of(cls, state: GroupState, roster: Roster) -> "Commons":
        """Return the commons of a group as it stands."""
        routes = state.topics.routes
        there = known(routes) if roster.those(Trait.OWNS_NOTHING) else frozenset()
        return cls(roster, routes, state.outbox.share_numbers, there)

    def portion(self, name: MemberId) -> Portion:
        """Return what a member works on.

        One that wants to go gives everything if it broadcasts; where others draw from the same
        queues, it has left the ring.
        """
        member, topics = self.members[name], self.topics(name)
        if member.owns:
            return Portion(shared=self._drawn(name, topics))
        if _draws(member):
            return Portion(hold=self._drawn(name, topics))
        queues = sorted(queue for topic in topics for queue in self.routes[topic].queues)
        every = tuple(Naming(queue, member.since) for queue in queues)
        return Portion(give=every) if member.draining else Portion(hold=every)

    def size(self, name: MemberId) -> int:
        """Return how many queues a member works on, or gives; to name them would cost far more."""
        return sum(len(self.queues(topic, name)) for topic in self.topics(name))

    def topics(self, name: MemberId) -> frozenset[TopicName]:
        """Return the topics that are on the map and that a member shares, or broadcasts."""
        member = self.members[name]
        wanted = popped_by(member) if member.owns else topics_of(member, self.there)
        return frozenset(topic for topic in wanted if topic in self.routes)

    def queues(self, topic: TopicName, name: MemberId) -> Sequence[Queue]:
        """Return what a member works on, or gives, of one of those topics."""
        draws = _draws(self.members[name])
        return self.drawn(topic, name) if draws else self.routes[topic].queues

    def former(self, name: MemberId) -> Portion | None:
        """Return what one of the members of a later step worked on, if it was here then."""
        return self.portion(name) if name in self.members else None

    def _drawn(self, name: MemberId, topics: Collection[TopicName]) -> tuple[Naming, ...]:
        since = self.members[name].since
        queues = sorted(queue for topic in topics for queue in self.drawn(topic, name))
        return tuple(Naming(queue, since) for queue in queues)

    def drawn(self, topic: TopicName, name: MemberId) -> Sequence[Queue]:
        """Return what a member draws from of one topic."""
        return self._ring(topic).get(name, ()) if topic in self.routes else ()

    def _ring(self, topic: TopicName) -> Drawn:
        if topic not in self._rings:
            queues = sorted(
                self.routes[topic].queues, key=lambda it: (java_order(it.broker), it.id)
            )
            names = [
                name
                for name, member in self.members.items()
                if _draws_from(member, topic) and not member.draining
            ]
            following = self.share_numbers.get(topic, _ALL)
            self._rings[topic] = ring(queues, sorted(names, key=java_order), following)
        return self._rings[topic]


def ring(queues: Sequence[Queue], names: Sequence[MemberId], following: int) -> Drawn:
    """Return what each member draws from, as RocketMQ's ``allocate4Pop`` does by AVG.

    With more members than queues, each gets exactly one.
    """
    count, size = len(names), len(queues)
    if not 0 < following < count - 1:
        return dict.fromkeys(names, _every(queues))
    if count > size:
        return {name: queues[at % size :][:1] for at, name in enumerate(names)} if size else {}
    starts = [first_of(at, count, size) for at in range(count)]
    starts += [size + start for start in starts] + [2 * size]
    twice = [*queues, *queues]  # the ring, cut open
    return {name: twice[starts[at] : starts[at + following + 1]] for at, name in enumerate(names)}


def _every(queues: Sequence[Queue]) -> Sequence[Queue]:
    """Return all queues: those of a broker by name are its to choose from, as in RocketMQ."""
    return list(dict.fromkeys(it._replace(id=ANY_QUEUE) if it.broker else it for it in queues))


def share_numbers(draft: Draft) -> dict[TopicName, int]:
    """Return the share number of each topic, but of those that each draws from as a whole."""
    roster, policy, popped = draft.membership.members.merged(), draft.policy, draft.rules.popped
    some = roster.those(Trait.OWNS_NOTHING) | roster.those(Trait.POPPING)
    if not any(_draws(roster[name]) for name in some):
        return {}
    found = dict[TopicName, int]()
    for topic in sorted(draft.topics.routes.merged()):
        own = popped.get(topic)
        number = policy.share_number_of(draft.before.name, topic) if own is None else own
        if number > 0:
            found[topic] = number
    return found


def readers(draft: Draft, after: Commons) -> list[MemberId]:
    """Return the members whose part of the commons this step changed."""
    changed, told = draft.topics.routes.written.keys(), draft.membership.members.written
    if not changed and not told and draft.before.outbox.share_numbers == after.share_numbers:
        return []
    before = Commons.of(draft.before, draft.membership.members.before)
    names = after.members.those(Trait.OWNS_NOTHING) | after.members.those(Trait.POPPING)
    names |= before.members.those(Trait.POPPING) & after.members.keys()
    others = {name: after.members[name] for name in names}
    alike = _Alike(before, after)
    return [
        name
        for name, member in others.items()
        if (_draws(member) or name in told or any(wants(member, topic) for topic in changed))
        and not alike.is_so(name)
        and after.portion(name) != before.former(name)
    ]


class _Alike:
    """Tells cheaply which members work on what they worked on before; they may be very many.

    Most of them work on the same list of queues, which is compared once.
    """

    def __init__(self, before: Commons, after: Commons) -> None:
        self._before, self._after = before, after
        self._last: dict[TopicName, tuple[Sequence[Queue], Sequence[Queue], bool]] = {}
        """The lists of one topic that were compared last, and whether they are alike."""

    def is_so(self, name: MemberId) -> bool:
        """Tell whether a member does; if not for certain, no."""
        was, now = self._before.members.get(name), self._after.members[name]
        if was is None or was.since != now.since or _kind(was) != _kind(now):
            return False
        topics = self._after.topics(name)
        same = self._before.topics(name) == topics
        return same and all(self._are_alike(topic, name) for topic in topics)

    def _are_alike(self, topic: TopicName, name: MemberId) -> bool:
        was, now = (it.queues(topic, name) for it in (self._before, self._after))
        last = self._last.get(topic)
        if last is None or last[0] is not was or last[1] is not now:
            last = self._last[topic] = was, now, was == now
        return last[2]


def _kind(member: Member) -> tuple[Mode, bool]:
    """Return what its portion depends on, beside queues: whose they are, and if it gives them."""
    return member.mode, member.draining
