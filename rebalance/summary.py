"""The summary: one group on one screen.

What a person asks first: who is in, who owns how much, is it moving, since which epoch and why.
It is computed from the state, never stored, and follows KIP-848's names for the phases.

Called by ``conclusion`` whenever a group's epoch grew. Its one rule: it adds no knowledge.
"""

from rebalance import commons
from rebalance.causes import Cause
from rebalance.decisions import (
    GroupPhase,
    GroupSummarised,
    MemberSummary,
    Portion,
    TopicSummary,
)
from rebalance.group import GroupState, Ownership
from rebalance.ids import MemberId, Millis, TopicName
from rebalance.portions import Shares
from rebalance.routing import subscribed


def summarise(
    state: GroupState, shares: Shares, strategy: str, at: Millis, cause: Cause
) -> GroupSummarised:
    """Describe the group as it stands."""
    topics = _topics(state)
    spare = _left_over(state)
    moving = sum(_moving(owned) for owned in state.ownership.values())
    return GroupSummarised(
        group=state.name,
        phase=_phase(state, topics, moving),
        epoch=state.epoch,
        group_epoch=state.group_epoch,
        target_epoch=state.target_epoch,
        strategy=strategy,
        assigned=len(state.ownership) - moving,
        moving=moving,
        unassigned=sum(_unassigned(state, topic) for topic in _shared(state)),
        topics=topics,
        members=tuple(_member(state, name, shares[name], spare) for name in sorted(state.members)),
        at=at,
        cause=cause,
        paused=state.paused,
        subscriptions=len({member.topics for member in state.members.values()}),
        shortage=tuple(state.shortage.items()),
    )


def _left_over(state: GroupState) -> frozenset[MemberId]:
    """Members for whom the target, which is up to date, has nothing though they could take it."""
    if state.target_epoch < state.group_epoch or not state.target:
        return frozenset()
    able = {
        name
        for name, member in state.members.items()
        if not (member.draining or member.away or member.resting_until is not None)
    }
    return frozenset(able - set(state.target.values()))


def _moving(owned: Ownership) -> bool:
    return owned.heir is not None or owned.holder.asked is not None


def _phase(state: GroupState, topics: tuple[TopicSummary, ...], moving: int) -> GroupPhase:
    if not state.members:
        return GroupPhase.EMPTY
    if any(topic.version == 0 for topic in topics) or state.target_epoch < state.group_epoch:
        return GroupPhase.ASSIGNING
    return GroupPhase.RECONCILING if moving else GroupPhase.STABLE


def _topics(state: GroupState) -> tuple[TopicSummary, ...]:
    summaries = []
    for topic in sorted(subscribed(state.members.values())):
        route = state.routes.get(topic)
        if route is None:
            summaries.append(TopicSummary(topic, version=0, queues=0, exists=False))
        else:
            queues = len(route.queues)
            summaries.append(TopicSummary(topic, route.version, queues, route.exists))
    return tuple(summaries)


def _shared(state: GroupState) -> frozenset[TopicName]:
    return subscribed(filter(commons.shares, state.members.values()))


def _unassigned(state: GroupState, topic: TopicName) -> int:
    route = state.routes.get(topic)
    return 0 if route is None else sum(queue not in state.ownership for queue in route.queues)


def _member(
    state: GroupState, name: MemberId, share: Portion, spare: frozenset[MemberId]
) -> MemberSummary:
    member = state.members[name]
    return MemberSummary(
        member=name,
        hold=len(share.hold),
        give=len(share.give),
        inherit=len(share.inherit),
        draining=member.draining,
        away=member.away,
        held=name in state.held,
        resting=member.resting_until is not None,
        standby=share == Portion() and name in spare,
    )
