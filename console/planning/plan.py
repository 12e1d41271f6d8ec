"""A plan: what a change would move, from whom to whom and why.

Called by `trimtab plan` and by commands with `--dry-run`. A move is a queue whose target owner is
another one, or none, after the change; what moves already is no part of it.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from allocators import BadOption, allocator
from console.errors import ExitCode, Failure
from console.planning.changes import Change, Told, happen
from console.planning.known import Known
from console.planning.rebuilding import rebuilt
from console.planning.rehearsal import Rehearsal
from console.views.sentences import several
from rebalance.allocation import Allocator
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import Ailment, GroupState
from rebalance.ids import Epoch, MemberId, Queue

Asking = Callable[[Rehearsal], Iterable[Change]]
"""What is asked of a group: some questions name members by what they are, so they see it first."""


@dataclass(frozen=True, slots=True)
class Move:
    """A queue that would change hands."""

    queue: Queue
    giver: MemberId | None
    taker: MemberId | None
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What would happen."""

    group: str
    epoch: int
    strategy: str
    changes: Sequence[str]
    notes: Sequence[str]
    unknown: Sequence[str]
    """What is not known; the plan can only guess there."""
    refused: bool
    queues: int
    moves: Sequence[Move]
    before: Mapping[MemberId, int]
    after: Mapping[MemberId, int]
    """How many queues each is meant to have."""


def plan(known: Known, policy: Policy, asking: Asking, *, resumed: bool) -> Plan:
    """Ask what changes would move.

    Args:
        known: The group.
        policy: The controller's settings.
        asking: What is asked.
        resumed: End a pause first, or nothing would move.

    Raises:
        Failure: The group cannot be rebuilt, or what is asked names nothing.
    """
    group = rebuilt(known, policy, _general(policy))
    published = group.state.target.owners
    told = Told()
    if resumed and group.state.rules.paused:
        told.notes.append("it is paused, and all of this waits for `groups resume`")
        group.resume()
    elif group.state.rules.paused:
        told.notes.append(
            "it is paused: all that the command does not move itself waits for `groups resume`"
        )
    group.settle()
    begun = group.state
    if anyway := len(list(_differing(published, begun))):
        told.notes.append(f"{anyway} queues move in any case: its members or routes have changed")
    told.notes += _doubts(begun)
    for change in asking(group):
        happen(group, change, told, Epoch(known.summary.epoch))
    after = group.state
    if after.ailment is not None:
        _look_at(after, after.ailment.reason, told, was=begun.ailment)
    told.notes += [
        f"{count} queues have no worker: {why}" for why, count in after.target.shortage.items()
    ]
    return Plan(
        group=known.summary.group,
        epoch=known.summary.epoch,
        strategy=after.rules.strategy or policy.strategy,
        changes=told.changes,
        notes=told.notes,
        unknown=list(known.missing),
        refused=told.refused,
        queues=len(_queues(begun) | _queues(after)),
        moves=list(_moves(begun, after, told, policy)),
        before=_loads(begun),
        after=_loads(after),
    )


def _look_at(group: GroupState, reason: str, told: Told, *, was: Ailment | None) -> None:
    """Note what the strategy has no answer for, as long as the rest is planned.

    Raises:
        Failure: It has none at all, or none with a name that was made up here.
    """
    got = {*group.target.owners.values()} & {*told.added}
    if told.added and (was is None or not got):  # it names one of those that it does not know
        names = several(told.added)
        said = f"the strategy has no answer with {names}; if its options list members, list these"
        raise Failure(f"{group.name}: {said}: {reason}", ExitCode.USAGE)
    if group.target.epoch != group.group_epoch:
        raise Failure(f"{group.name}: {reason}", ExitCode.UNHEALTHY)
    told.notes.append(f"the strategy has no answer for some topics, which stay: {reason}")


def _doubts(state: GroupState) -> Iterator[str]:
    """Say which queues no plan may take for gone."""
    for topic, doubt in sorted(state.topics.doubts.items()):
        lost = set(state.topics.routes[topic].queues).difference(doubt.route.queues)
        yield (
            f"{topic}: {len(lost)} queues in doubt; they stay until it is sure that they are gone, "
            "or `groups approve`"
        )


def _general(policy: Policy) -> Allocator:
    try:
        return allocator(policy.strategy, json.loads(policy.strategy_options))
    except (KeyError, BadOption) as error:
        raise Failure(f"policy.strategy: {error.args[0]}", ExitCode.USAGE) from error


def _queues(state: GroupState) -> set[Queue]:
    return _mapped(state) | state.target.owners.keys()


def _mapped(state: GroupState) -> set[Queue]:
    return {queue for route in state.topics.routes.values() for queue in route.queues}


def _loads(state: GroupState) -> Mapping[MemberId, int]:
    loads = Counter(state.target.owners.values())
    return {name: loads[name] for name in sorted(loads.keys() | state.membership.members.keys())}


def _differing(before: Mapping[Queue, MemberId], after: GroupState) -> Iterator[Queue]:
    owners = after.target.owners
    for queue in sorted(before.keys() | owners.keys()):
        if before.get(queue) != owners.get(queue):
            yield queue


def _moves(before: GroupState, after: GroupState, told: Told, policy: Policy) -> Iterator[Move]:
    strategy, gone = after.rules.strategy or policy.strategy, _mapped(before) - _mapped(after)
    for queue in _differing(before.target.owners, after):
        giver, taker = before.target.owners.get(queue), after.target.owners.get(queue)
        reasons = [f"{it} {told.why[it]}" for it in (giver, taker) if it in told.why]
        if queue in gone:
            reasons.append("it is gone")
        elif taker is None:
            reasons.append("no member can take it")
        elif giver is None:
            reasons.append("it has no worker")
        yield Move(queue, giver, taker, ", ".join(reasons) or f"{strategy} evens out")
