"""A group is rebuilt from what is known of it, so that it can be rehearsed.

As by a controller that starts without its checkpoint (``rebalance.groups.adoption``). What no
record of a member says, its summary does: who drains, is away, rests or is silent, what operators
have chosen, and whether the group is paused. Until when somebody rests is not said: longer than any
plan looks ahead.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from console.errors import ExitCode, Failure
from console.planning.known import Known
from console.planning.rehearsal import Rehearsal
from rebalance.allocation import Allocator
from rebalance.groups.model.commands import DrainMember
from rebalance.groups.model.events import (
    Advanced,
    Commanded,
    DrainAsked,
    Left,
    Moment,
    RouteObserved,
)
from rebalance.groups.model.overrides import NONE, Settings
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.roster import Roster
from rebalance.groups.model.rules import Rules
from rebalance.groups.model.state import GroupState
from rebalance.groups.model.target import Target
from rebalance.ids import (
    BrokerName,
    Epoch,
    GroupName,
    MemberId,
    Millis,
    Position,
    Queue,
    TopicName,
)
from rebalance.stamp import Stamp
from streaming.wire.commands import overrides_of
from streaming.wire.translation import event_of
from trimtab.protocol import LifeRef

_REST_MS = 24 * 60 * 60 * 1000
"""A member rests for three half-lives at most (``flapping``), and those are minutes."""


def rebuilt(known: Known, policy: Policy, general: Allocator) -> Rehearsal:
    """Return the group; it is paused while it is rebuilt, so that nothing moves by that.

    Raises:
        Failure: A controller could not do it either, or has a strategy that the settings lack.
    """
    summary, at = known.summary, Millis(known.summary.at_ms)
    now = Stamp(at, heard=at, appended=at, position=Position(TopicName("plan"), 0, 0))
    own = _own_strategy(known, policy)
    overrides = NONE if summary.overrides is None else overrides_of(summary.overrides)
    popped = tuple(TopicName(name) for name, topic in summary.topics.items() if topic.popped)
    rules = Rules(paused=True, strategy=own, overrides=overrides, popped=dict.fromkeys(popped))
    begun = replace(GroupState.unknown(GroupName(summary.group), Epoch(0)), rules=rules)
    begun = replace(begun, target=Target(heirs=_heirs(known)))
    group = Rehearsal(begun, policy, general, now)
    joins = [event_of(record, now) for record in known.joins.values()]
    found = [event_of(it, now) for it in known.published]
    told = Settings(paused=True, strategy=own, overrides=overrides, popped=popped)
    found = [
        replace(it, settings=told, draining=None) if isinstance(it, Advanced) else it
        for it in found
    ]
    group.hear([*joins, *_routes(known, now), *found])
    group.hear(list(_conditions(known, group.state, now)))
    group.state = _with_idle(group.state, known, policy, now)
    if not summary.paused:
        group.resume()
    return group


def _own_strategy(known: Known, policy: Policy) -> str | None:
    """Return the strategy that the group has of its own: without options, whatever its name.

    No record loads code: a user's own is loaded only if the settings name it, with its options.
    """
    summary = known.summary
    if summary.own_strategy is None and summary.strategy == policy.strategy:
        return None
    own = summary.own_strategy or summary.strategy
    if ":" in own:
        said = f"its strategy is {own}, and not that of your settings: give its --config"
        raise Failure(f"{summary.group}: {said}", ExitCode.USAGE)
    return own


def _routes(known: Known, now: Stamp) -> Iterator[Moment]:
    """Say of each topic what the group has heard; what it doubts, the brain is to doubt as well.

    So what is newer than the version that the group is at comes after that one. Before it comes as
    much as names all queues that the group counts: a route may bring queues, and lack others.
    """
    for name, routes in known.routes.items():
        heard = [
            it for it in (event_of(route, now) for route in routes) if isinstance(it, RouteObserved)
        ]
        topic = known.summary.topics.get(name)
        if topic is None:  # there was no room for it in the summary
            yield max(heard, key=lambda it: it.version)
            continue
        believed = [it for it in heard if it.version <= topic.version]
        yield from believed[_beginning(believed, topic.queues) :]
        yield from (it for it in heard if it.version > topic.version)


def _beginning(routes: Sequence[RouteObserved], count: int) -> int:
    """Return from which route on as many queues are named, up to the newest one."""
    begin = max(range(len(routes)), key=lambda it: routes[it].version, default=0)
    queues: set[Queue] = set()
    for place in range(begin, -1, -1):
        queues.update(routes[place].queues if routes else ())
        if len(queues) >= count:
            return place
    return begin


def _heirs(known: Known) -> Mapping[Queue, MemberId]:
    """Return whom holders were told to name should they go, so that nobody else is dealt."""
    return {
        Queue(TopicName(row.topic), BrokerName(row.broker), row.id): MemberId(row.to.member)
        for it in known.assignments
        for row in it.hold
        if row.to is not None
    }


def _conditions(known: Known, state: GroupState, now: Stamp) -> Iterator[Moment]:
    """Say once more what members and operators have said of who goes."""
    asked = {it.life: it for it in known.drains.values()}
    for person in known.summary.people:
        member = state.membership.members.get(name := MemberId(person.member))
        if member is None:
            continue
        life = member.life(name)
        own = asked.get(LifeRef(*life))
        if person.draining and own is not None:
            yield DrainAsked(now, life, own.sequence)
        elif person.draining:
            drain = DrainMember(name, force=True)
            yield Commanded(now, f"drain {name}", "plan", "it drains", drain)
        if person.away:
            yield Left(now, life, member.sequence, temporary=True)


def _with_idle(state: GroupState, known: Known, policy: Policy, now: Stamp) -> GroupState:
    """Return the group with those that rest and those whose silence is doubted."""
    membership = state.membership
    members, pulses = dict(membership.members), dict(membership.pulses)
    suspected = dict(membership.suspected)
    for person in known.summary.people:
        name = MemberId(person.member)
        if (member := members.get(name)) is None:
            continue
        if person.resting:
            members[name] = replace(member, resting_until=Millis(now.clock + _REST_MS))
        if person.held:
            session_ms = policy.silence_ms(member.session_timeout_ms)
            pulses[name] = replace(pulses[name], seen=Millis(now.clock - session_ms))
            suspected[name] = Millis(now.clock + policy.blast_hold_ms)
    membership = replace(membership, members=Roster(members), pulses=pulses, suspected=suspected)
    return replace(state, membership=membership, deadline=Millis(0))
