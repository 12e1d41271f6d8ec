"""A group in any condition, built in a sentence.

a_group().with_member("a").with_route("orders", 2).with_page("orders-0", "a@1").at_epoch(1)
"""

from dataclasses import dataclass, replace

from rebalance.causes import Cause, CauseKind
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.member import Member, Pulse
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.route import Route
from rebalance.groups.model.state import GroupState
from rebalance.ids import (
    BrokerName,
    Epoch,
    GroupName,
    InstanceId,
    Millis,
    Pattern,
    Position,
    Queue,
    TopicName,
)
from tests.builders.notation import life, page, queue

BEGINNING = Cause(CauseKind.JOIN, "the beginning", Position(TopicName("log"), 0, 0))


@dataclass(frozen=True)
class GroupBuilder:
    """A state that each sentence adds to."""

    state: GroupState

    def with_member(
        self,
        who: str,
        topics: str = "orders",
        *,
        sequence: int = 0,
        session_ms: int = 10_000,
        revocation_ms: int = 60_000,
        seen: int = 0,
    ) -> "GroupBuilder":
        """Add a member that was last heard of at ``seen``; a topic with a ``*`` is a pattern."""
        name, incarnation = life(who)
        member = Member(
            incarnation,
            sequence,
            frozenset(TopicName(topic) for topic in topics.split() if "*" not in topic),
            Millis(session_ms),
            Millis(revocation_ms),
            patterns=frozenset(Pattern(topic) for topic in topics.split() if "*" in topic),
        )
        members = {**self.state.membership.members, name: member}
        pulses = {**self.state.membership.pulses, name: Pulse(Millis(seen), sequence=-1)}
        membership = replace(self.state.membership, members=members, pulses=pulses)
        return self._but(replace(self.state, membership=membership))

    def with_drain(self, who: str) -> "GroupBuilder":
        """Let a member want to go."""
        return self._with(replace(self.state.membership.members[life(who)[0]], draining=True), who)

    def with_unread_mark(self, who: str) -> "GroupBuilder":
        """Let a member be promised nothing yet."""
        member = self.state.membership.members[life(who)[0]]
        return self._with(replace(member, awaits_mark=True), who)

    def with_guard(self, who: str) -> "GroupBuilder":
        """Let a member be guarded."""
        member = self.state.membership.members[life(who)[0]]
        return self._with(replace(member, guarded=True), who)

    def with_instance(self, who: str, instance: str) -> "GroupBuilder":
        """Let a member be static."""
        member = self.state.membership.members[life(who)[0]]
        return self._with(replace(member, instance=InstanceId(instance)), who)

    def with_route(
        self, topic: str, queues: int, *, version: int = 1, exists: bool = True
    ) -> "GroupBuilder":
        """Add what is known of a topic."""
        name = TopicName(topic)
        seen = tuple(Queue(name, BrokerName(""), number) for number in range(queues))
        routes = {**self.state.topics.routes, name: Route(version, exists, seen)}
        return self._but(replace(self.state, topics=replace(self.state.topics, routes=routes)))

    def with_page(self, name: str, text: str) -> "GroupBuilder":
        """Add a page to the books."""
        owned = page(text)
        assert owned is not None, "an empty page is no page"
        books = {**self.state.handover.books, queue(name): owned}
        return self._but(replace(self.state, handover=replace(self.state.handover, books=books)))

    def with_target(self, name: str, who: str) -> "GroupBuilder":
        """Mean a queue for a member."""
        owners = {**self.state.target.owners, queue(name): life(who)[0]}
        return self._but(replace(self.state, target=replace(self.state.target, owners=owners)))

    def with_loose(self, name: str) -> "GroupBuilder":
        """Let a queue wait for its member in the target."""
        handover = self.state.handover
        loose = (*handover.loose, queue(name))
        return self._but(replace(self.state, handover=replace(handover, loose=loose)))

    def at_epoch(self, epoch: int) -> "GroupBuilder":
        """Say which epoch was drawn last, for a change that is now complete."""
        now = Epoch(epoch)
        target = replace(self.state.target, epoch=now)
        outbox = replace(self.state.outbox, change_cause=BEGINNING)
        state = replace(self.state, epoch=now, group_epoch=now, target=target, outbox=outbox)
        return self._but(state)

    def due_at(self, deadline: int) -> "GroupBuilder":
        """Say when silence may next decide something."""
        return self._but(replace(self.state, deadline=Millis(deadline)))

    def drafted(self, policy: Policy | None = None) -> Draft:
        """Return the group in the middle of a step."""
        return Draft(self.state, policy or Policy())

    def _with(self, member: Member, who: str) -> "GroupBuilder":
        members = {**self.state.membership.members, life(who)[0]: member}
        membership = replace(self.state.membership, members=members)
        return self._but(replace(self.state, membership=membership))

    def _but(self, state: GroupState) -> "GroupBuilder":
        return GroupBuilder(state)


def a_group(name: str = "billing") -> GroupBuilder:
    """Begin with a group of which nothing is known."""
    return GroupBuilder(GroupState(GroupName(name)))
