"""Last workers: whether a member may be stopped by command, or its queues would have no worker.

Those that are away, or are known to be silent, are no workers. Where members set limits, the
strategy is asked what it would do without the member. In a pause no target is made, so only those
queues go on that a standing heir was promised.

A rack is stopped by one command for each of its members, all in one batch. To look at everybody for
each of them would stop the controller for minutes in a large group. So a few members are looked for
that work on all that the leaving one does, and together have room for all of its queues. While they
stay, nothing else has to be counted. And a strategy that does not use all room is asked about some
of them alone: the others are refused, and stopped by a later batch.

Asked by ``obeying``. What is allowed is the same as if all were counted each time.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from rebalance.allocation import Allocator
from rebalance.groups import ailments, target
from rebalance.groups.model.capacity import limited
from rebalance.groups.model.commands import DrainMember, EvictMember
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.member import Member
from rebalance.groups.model.ownership import Ownership
from rebalance.groups.model.roster import Asking, Trait
from rebalance.groups.model.subscriptions import (
    Wish,
    known,
    popped_by,
    subscribed,
    topics_of,
    wish_of,
)
from rebalance.ids import MemberId, Queue, TopicName
from rebalance.owners import Owners

_REASON_CHARACTERS: Final = 200
"""Of a strategy's own words: an answer has 300 (``trimtab.protocol.limits``)."""

_ASKS: Final = 32
"""How often a strategy may be asked in one step, however large the group is."""

_WORK: Final = 1_000_000
"""How many members and queues it may be shown in one step, each time counted: some seconds."""

_HEIRLESS: Final = "its queues without a standing heir"


class _TooMany(Exception):  # noqa: N818 - nothing is wrong
    """The strategy was asked often enough in this step."""


@dataclass(slots=True)
class _Step:
    """What this module keeps for one step."""

    names: list[MemberId] | None = None
    """Who was a member when this was asked first."""
    rest: dict[Wish, Iterator[MemberId]] = field(default_factory=dict)
    """By what a leaving member asks for, those that have not been looked at yet."""
    relief: dict[Wish, list[MemberId]] = field(default_factory=dict)
    """Who together could have all that such a member has; nobody: they are too few."""
    is_limited: bool = False
    """Some member sets a limit, and queues have owners."""
    heeds: bool = False
    """The strategy was asked, and uses all the room that there is."""
    asks: int = 0
    """How often it was asked."""
    of: tuple[object, ...] = ()
    """Of what: members, topics, and owners."""
    left: dict[frozenset[MemberId], set[Queue]] = field(default_factory=dict)
    """What it said, by who was left out."""
    owners: Owners | None = None
    """The target's, of which ``owned`` says how many queues of some topics have one."""
    owned: dict[frozenset[TopicName], int] = field(default_factory=dict)


def why_not(
    draft: Draft, command: DrainMember | EvictMember, leaving: Member, allocator: Allocator
) -> str:
    """Return what forbids to stop a member; empty: nothing does."""
    name, evicts = command.member, isinstance(command, EvictMember)
    if evicts and draft.membership.suspected.get(name) is not None:
        return ""  # it does no work anyway
    reason = "" if leaving.draining else _unworked(draft, name, leaving, allocator)
    if not reason and evicts and (count := _waiting(draft, name)):
        reason = f"{_HEIRLESS} ({count}) would have no worker until `groups resume`"
    return reason


def remark(draft: Draft, name: MemberId) -> str:
    """Say what of a member that was stopped goes to nobody before a pause ends."""
    count = _waiting(draft, name)
    return f"{_HEIRLESS} ({count}) wait for `groups resume`" if count else ""


def _works(draft: Draft, name: MemberId, member: Member) -> bool:
    """Tell whether a member works, as far as is known, and goes on with it."""
    idle = member.draining or member.away
    return not idle and draft.membership.suspected.get(name) is None


def _waiting(draft: Draft, name: MemberId) -> int:
    """Count the queues that nobody is ready to take over from a member while a pause lasts."""
    if not draft.rules.paused:
        return 0
    books = draft.handover.books
    return sum(_waits(draft, queue, books[queue], name) for queue in books.concerning({name}))


def _waits(draft: Draft, queue: Queue, page: Ownership, name: MemberId) -> bool:
    heir, meant = page.heir, draft.target.owners.get(queue)
    if heir is not None and heir.member == name:  # is it about to begin? No other one may
        return page.moves or page.holder.life in draft.ended
    if page.holder.member != name or meant is None:
        return False
    taker = meant if heir is None else heir.member
    there = draft.membership.members.get(taker)
    if taker == name or there is None or not _works(draft, taker, there):
        return True
    return heir is not None and heir.life != there.life(taker)


def _unworked(draft: Draft, name: MemberId, leaving: Member, allocator: Allocator) -> str:
    """Say which topics, or how many queues, would have no worker."""
    there, step = known(draft.topics.routes.merged()), draft.scratch(_Step)
    mine = topics_of(leaving, there)
    is_relieved = _is_relieved(draft, name, wish_of(leaving), mine, there)
    if is_relieved and (step.heeds or not step.is_limited):
        return ""
    roster = draft.membership.members.merged()
    odd = roster.those(Trait.DRAINING) | roster.those(Trait.UNREADY)
    odd |= draft.membership.suspected.merged().keys()
    idle = {name, *(it for it in odd & roster.keys() if not _works(draft, it, roster[it]))}
    cards = ((it.wish, names) for it, names in roster.cards.items() if isinstance(it, Asking))
    wanted = subscribed([wish for wish, names in cards if not names <= idle], there)
    if last := sorted((mine & there) - wanted):
        return f"no other member works on {', '.join(last[:3])}"
    if not roster.those(Trait.LIMITED) or not draft.target.owners:
        return ""
    return _unplanned(draft, idle, name, wanted, allocator)


def _unplanned(
    draft: Draft,
    idle: set[MemberId],
    leaving: MemberId,
    wanted: frozenset[TopicName],
    allocator: Allocator,
) -> str:
    """Ask the strategy; say how many queues have a worker now, and would have none.

    The target may be older than the group, so what has no worker with the member either is not
    missed for it.
    """
    stopped = idle - {leaving} - draft.membership.members.merged().those(Trait.DRAINING)
    owners = draft.target.owners
    try:
        left = _left(draft, idle, allocator)
        lost = {it for it in left if it.topic in wanted and it in owners}
        lost = {it for it in lost if owners[it] not in stopped}
        lost = lost and lost - _left(draft, idle - {leaving}, allocator)
    except _TooMany:
        return "so many are stopped together that the strategy is not asked of each: stop it later"
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it may be a user's own
        reason = ailments.reason_of(error)[:_REASON_CHARACTERS]  # what to do follows it
        return f"the strategy cannot say who would have its queues: {reason}"
    return f"without it {len(lost)} of {len(owners)} queues would have no worker" if lost else ""


def _left(draft: Draft, without: set[MemberId], allocator: Allocator) -> set[Queue]:
    """Return which queues a strategy would take from their owners, and give to nobody."""
    step, members = draft.scratch(_Step), draft.membership.members.merged()
    owners, routes = draft.target.owners, draft.topics.routes.merged()
    of, key = (members, routes, owners), frozenset(without)
    if not step.of or any(now is not before for now, before in zip(of, step.of, strict=True)):
        step.of, step.left = of, {}
    if key not in step.left:
        step.left[key] = _asked(draft, without, allocator)
    return step.left[key]


def _asked(draft: Draft, without: set[MemberId], allocator: Allocator) -> set[Queue]:
    step, owners = draft.scratch(_Step), draft.target.owners
    if step.asks >= max(_ASKS, _WORK // (draft.population + len(owners))):
        raise _TooMany
    step.asks += 1
    request = target.question(draft, without)
    plan = limited(allocator(request), target.capacities(draft, request), owners)
    step.heeds = plan.heeds_capacity
    changed = owners if plan.changed is None else plan.changed
    return {it for it in changed if plan.owners.get(it) not in request.candidates}


def _owned(draft: Draft, mine: frozenset[TopicName]) -> int:
    """Count the queues of some topics that have an owner in the target."""
    step, owners = draft.scratch(_Step), draft.target.owners
    if owners is not step.owners:
        step.owners, step.owned = owners, {}
    if mine not in step.owned:
        step.owned[mine] = sum(queue.topic in mine for queue in owners)
    return step.owned[mine]


def _is_relieved(
    draft: Draft,
    leaving: MemberId,
    wish: Wish,
    mine: frozenset[TopicName],
    there: frozenset[TopicName],
) -> bool:
    """Tell whether a few members are found that could have all of that, and work on no more."""
    step, members, owned = draft.scratch(_Step), draft.membership.members, _owned(draft, mine)
    if step.names is None:
        step.names = [name for name, _ in members.items()]
        limits = any(it.capacity is not None for _, it in members.items())
        step.is_limited = limits and bool(draft.target.owners)
    found, rest = step.relief.get(wish), step.rest.setdefault(wish, iter(step.names))
    if not mine or found == []:
        return False
    able, room = list[MemberId](), 0.0
    for name, capacity in _relief(draft, leaving, mine, there, chain(found or (), rest)):
        able.append(name)
        room += capacity
        if room >= owned:
            break
    step.relief[wish] = able if room >= owned else []
    return bool(step.relief[wish])


def _relief(
    draft: Draft,
    leaving: MemberId,
    mine: frozenset[TopicName],
    there: frozenset[TopicName],
    names: Iterable[MemberId],
) -> Iterator[tuple[MemberId, float]]:
    """Find members that work on all of these topics, and how many queues each can carry."""
    for name in names:
        member = draft.membership.members.get(name)
        if member is None or name == leaving or not _works(draft, name, member):
            continue
        if not member.owns or member.resting_until is not None or popped_by(member):
            continue
        topics = topics_of(member, there)
        if member.capacity is None and topics >= mine:
            yield name, math.inf
        elif member.capacity is not None and topics == mine:  # what else it has takes room
            yield name, member.capacity
