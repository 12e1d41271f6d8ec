"""The summary: one group on one screen.

It answers what people ask first: who is in, who owns how much, is it moving, since which epoch and
why. It is computed from the state, never stored, and follows KIP-848's names for the phases.

Called by ``conclusion`` whenever a group's epoch grew.
"""

from collections.abc import Mapping
from heapq import nsmallest
from typing import Final

from rebalance.causes import Cause
from rebalance.groups import commons
from rebalance.groups.model.books import Books
from rebalance.groups.model.overview import GroupPhase, GroupSummarised, MemberSummary, TopicSummary
from rebalance.groups.model.portions import Counts, counted, counted_alone
from rebalance.groups.model.roster import Roster, Trait
from rebalance.groups.model.state import GroupState
from rebalance.groups.model.subscriptions import known, patterns, popped_by, subscribed
from rebalance.ids import MemberId, Millis, TopicName

PEOPLE: Final = 1_000
"""How many members are named; what the contract allows (``trimtab.protocol.limits``), and more than
anybody reads. The counts stay complete."""


NO_ROOM: Final = "the group has no room for them"
"""Why a queue has no owner: there are too many to tell one member of (``extent``)."""


_NOBODY: Final = MemberId("")


def summarise(
    state: GroupState,
    books: Books,
    common: commons.Commons,
    strategy: str,
    at: Millis,
    cause: Cause,
) -> GroupSummarised:
    """Describe the group as it stands."""
    asked = common.members.wishes
    wanted = subscribed(asked, known(state.topics.routes))
    topics = _topics(state, wanted)
    moving = len(books.moving)
    unassigned = _unassigned(state, books, _owned(state, common, wanted)) + _left_out(topics)
    return GroupSummarised(
        group=state.name,
        phase=_phase(state, topics, moving, unassigned),
        epoch=state.epoch,
        group_epoch=state.group_epoch,
        target_epoch=state.target.epoch,
        strategy=strategy,
        assigned=len(books) - moving,
        moving=moving,
        unassigned=unassigned,
        topics=topics,
        population=len(state.membership.members),
        members=_people(state, books, common),
        at=at,
        cause=cause,
        paused=state.rules.paused,
        paused_until=state.rules.pause_ends,
        own_strategy=state.rules.strategy,
        subscriptions=len(asked),
        shortage=_shortage(state, topics),
        overrides=state.rules.overrides,
        ailment="" if state.ailment is None else state.ailment.reason,
        patterns=tuple(sorted(patterns(asked))),
        pace_ms=state.rules.pace_ms,
    )


def _phase(
    state: GroupState, topics: tuple[TopicSummary, ...], moving: int, unassigned: int
) -> GroupPhase:
    if not state.membership.members:
        return GroupPhase.EMPTY
    if any(topic.version == 0 for topic in topics) or state.target.epoch < state.group_epoch:
        return GroupPhase.ASSIGNING
    if moving or _awaits_marks(state):
        return GroupPhase.RECONCILING
    return GroupPhase.STARVED if unassigned else GroupPhase.STABLE


def _awaits_marks(state: GroupState) -> bool:
    """Tell whether queues wait for members that have not shown yet that they read releases."""
    owners, members = state.target.owners, state.membership.members
    meant = (members.get(owners.get(queue, _NOBODY)) for queue in state.handover.loose)
    return any(member is not None and member.awaits_mark for member in meant)


def _left_out(topics: tuple[TopicSummary, ...]) -> int:
    return sum(topic.left_out for topic in topics)


def _shortage(state: GroupState, topics: tuple[TopicSummary, ...]) -> tuple[tuple[str, int], ...]:
    """Say why queues have no owner; those without room were never put to the strategy."""
    left_out = _left_out(topics)
    return (*state.target.shortage.items(), *([(NO_ROOM, left_out)] if left_out else []))


def _topics(state: GroupState, subscribed: frozenset[TopicName]) -> tuple[TopicSummary, ...]:
    summaries = []
    for topic in sorted(subscribed):
        route, popped = state.topics.routes.get(topic), topic in state.rules.popped
        if route is None:
            summaries.append(TopicSummary(topic, version=0, queues=0, exists=False, popped=popped))
        else:
            summaries.append(
                TopicSummary(
                    topic,
                    route.version,
                    len(route.queues),
                    route.exists,
                    route.generation,
                    route.left_out,
                    popped,
                )
            )
    return tuple(summaries)


def _owned(
    state: GroupState, common: commons.Commons, wanted: frozenset[TopicName]
) -> frozenset[TopicName]:
    """Return what is subscribed to be owned: nearly always all that is wanted."""
    members = common.members
    if not (members.those(Trait.OWNS_NOTHING) or members.those(Trait.POPPING)):
        return wanted
    return subscribed(members.owners_wishes, known(state.topics.routes))


def _unassigned(state: GroupState, books: Books, owned: frozenset[TopicName]) -> int:
    """Count the queues that no member has.

    Off the map only what moves can be, once the target has caught up with it: so the books need not
    be gone through.
    """
    queues = [state.topics.routes[topic].queues for topic in owned if topic in state.topics.routes]
    if state.target.epoch < state.group_epoch:
        return sum(queue not in books for shelf in queues for queue in shelf)
    strays = {queue for queue in books.moving if queue not in state.target.owners}
    if strays:
        strays.difference_update(*queues)
    return sum(map(len, queues)) - (len(books) - len(strays))


def _people(state: GroupState, books: Books, common: commons.Commons) -> tuple[MemberSummary, ...]:
    names = _named(state, common.members)
    counts = _counts(state, books, names)
    awaited = {state.target.owners.get(queue) for queue in (*books.moving, *state.handover.loose)}
    idle = state.target.owners and state.target.epoch == state.group_epoch
    return tuple(
        _member(state, common, name, counts[name], spare=bool(idle) and name not in awaited)
        for name in names
    )


def _named(state: GroupState, members: Roster) -> list[MemberId]:
    """Name the members by name; where they are too many, first those that are not as most are.

    Who drains, rests, is away or silent gets nothing, so a plan has to know it (``console``). Who
    stands by is not among them: that would leave no room for those that work.
    """
    if len(members) <= PEOPLE:
        return sorted(members)
    away = {name for name in members.those(Trait.UNREADY) if members[name].away}
    idle = members.those(Trait.DRAINING) | members.those(Trait.RESTING) | away
    idle |= state.membership.suspected.keys()
    first = nsmallest(PEOPLE, idle)
    return first + nsmallest(PEOPLE - len(first), members.keys() - idle)


def _counts(state: GroupState, books: Books, names: list[MemberId]) -> Mapping[MemberId, Counts]:
    """Count what each has; what a stranger has is not its namesake's."""
    members = state.membership.members
    shared = {it.member for it in state.handover.strangers}.intersection(names)
    alone = {it: counted_alone(books, members[it].life(it)) for it in shared}
    return {**counted(books, (it for it in names if it not in shared)), **alone}


def _member(
    state: GroupState, common: commons.Commons, name: MemberId, counts: Counts, *, spare: bool
) -> MemberSummary:
    """Describe a member; it stands by if it is able, and the target has nothing for it."""
    member = state.membership.members[name]
    if not member.owns:
        size = common.size(name)
        counts = Counts(give=size) if member.draining else Counts(hold=size)
    elif popped_by(member):
        counts = counts._replace(hold=counts.hold + common.size(name))
    able = not (member.draining or member.away or member.resting_until is not None)
    return MemberSummary(
        member=name,
        hold=counts.hold,
        give=counts.give,
        inherit=counts.inherit,
        heir_of=counts.stand_by,
        draining=member.draining,
        away=member.away,
        held=name in state.membership.suspected,
        resting=member.resting_until is not None,
        standby=spare and able and counts == Counts(stand_by=counts.stand_by),
        guarded=member.guarded,
    )
