"""Twins: two lives that claim one name.

Most often the first life has died and come back (a restart); sometimes there are two processes with
one client id. Nothing in the claim itself tells which, so the operator chooses: the newer life gets
the name, the older one keeps it while it lives, or each gets a name of its own. The name claimed is
a member's id or its instance; the rules for the two are chosen apart (faults C1, C2).

Asked by ``admission`` and ``entry`` when a member joins.
"""

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple

from rebalance.groups.members import flapping
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import (
    Joined,
)
from rebalance.groups.model.member import Member
from rebalance.groups.model.policy import TwinRule
from rebalance.ids import InstanceId, Life, MemberId
from rebalance.stamp import Stamp


@dataclass(slots=True)
class _Names:
    """What this module keeps for one step."""

    instances: dict[InstanceId, MemberId] | None = None
    """Who has which instance, once asked for."""
    namesakes: dict[MemberId, list[MemberId]] | None = None
    """Who call themselves by a name, the last that came at the end, once asked for."""
    replaced: dict[MemberId, list[MemberId]] = field(default_factory=dict)
    """Whom each successor succeeded in this step."""
    succeeded: set[MemberId] = field(default_factory=set)
    """All of those."""


class Rival(NamedTuple):
    """A member that has what a newcomer claims, and which of the two keeps it."""

    name: MemberId
    older: Member
    rule: TwinRule
    lives: bool
    """It was heard within two beats, and is no earlier life of the newcomer's process: the two are
    twins, as far as can be told."""
    outlives: bool = False
    """It is the younger life of one name: the newcomer's join is late."""


def rivals(draft: Draft, event: Joined) -> tuple[Rival, ...]:
    """Return who has what a newcomer claims: its own older life, and its instance's holder."""
    found = [event.member] if draft.membership.members.get(event.member) is not None else []
    if event.instance is not None:
        name = _instances(draft).get(event.instance, event.member)
        member = draft.membership.members.get(name)
        if name != event.member and member is not None and member.instance == event.instance:
            found.append(name)
    return tuple(_rival(draft, event, name) for name in found)


def _rival(draft: Draft, event: Joined, name: MemberId) -> Rival:
    older, same = draft.membership.members[name], _has_come_back(draft, event, name)
    lives = not same and _lives(draft, name, event.stamp)
    rule = _rule(draft, event, name)
    if lives and rule is TwinRule.FENCE_OLDER and _go_on_for_ever(draft, event, name):
        rule = TwinRule.REFUSE_NEWER
    return Rival(name, older, rule, lives, _outlives(draft, event, older.life(name)))


def _go_on_for_ever(draft: Draft, event: Joined, rival: MemberId) -> bool:
    """Tell whether two living ones fence each other again and again; then the older one stays.

    Each comes back under the instance as a new life. It cannot be told which of them is right, but
    that both live can be, and so this is no restart.
    """
    if rival == event.member:
        return False
    older = draft.membership.members[rival]
    rest = flapping.rest(draft, older.life(rival), older.instance, event.stamp.clock)
    return rest is not None


def _outlives(draft: Draft, event: Joined, rival: Life) -> bool:
    """Tell whether a rival is a younger life of the newcomer's name.

    Where lives are told apart each has a name of its own, but their instance is still one.
    """
    if draft.policy.on_twin is not TwinRule.SEPARATE or event.incarnation >= rival.incarnation:
        return False
    return rival.shared_name == event.life.shared_name


def enrol(draft: Draft, event: Joined) -> None:
    """Note which member has an instance now; another may claim it in the same batch."""
    if event.instance is not None:
        _instances(draft)[event.instance] = event.member


def _instances(draft: Draft) -> dict[InstanceId, MemberId]:
    """Who has which instance; made once a step, because a fleet comes in one batch."""
    names = draft.scratch(_Names)
    if names.instances is None:
        names.instances = {
            member.instance: name
            for name, member in draft.membership.members.items()
            if member.instance is not None
        }
    return names.instances


def _rule(draft: Draft, event: Joined, rival: MemberId) -> TwinRule:
    """Return what happens to the two; a member that is away is only replaced by its own return.

    So is an earlier life of the same process: it has dropped everything before it came back. And so
    is one whose name a release has given to the newcomer: only one that goes is succeeded so.
    """
    same = _has_come_back(draft, event, rival)
    named = event.life in draft.handover.strangers and _is_namesake(draft, event, rival)
    if same or named or draft.membership.members[rival].away:
        return TwinRule.FENCE_OLDER
    if rival == event.member:
        # Two that were to be told apart meet only where their name is too long for that.
        apart = draft.policy.on_twin is TwinRule.SEPARATE
        rule = TwinRule.FENCE_OLDER if apart else draft.policy.on_twin
    else:
        rule = draft.policy.on_twin_instance
    replaced = rule is not TwinRule.SEPARATE and _is_replaced(draft, event, rival)
    return TwinRule.REFUSE_NEWER if replaced else rule


def _is_replaced(draft: Draft, event: Joined, rival: MemberId) -> bool:
    """Tell whether a process comes back that a rival has replaced meanwhile: it was frozen, say.

    It says up to which epoch it knew of itself, and the rival came later, whatever the clocks say.
    Or the rival started later: it may have come before this one was told anything, and while it
    hands over to its successor, a process still learns epochs.
    """
    if event.last_epoch is None:
        return False
    other = draft.membership.members[rival]
    return 0 < event.last_epoch < other.since or event.incarnation < other.incarnation


def _is_namesake(draft: Draft, event: Joined, rival: MemberId) -> bool:
    """Tell whether a rival is another life of the newcomer's name, told apart or not."""
    life = draft.membership.members[rival].life(rival)
    return life.shared_name == event.life.shared_name


def _has_come_back(draft: Draft, event: Joined, rival: MemberId) -> bool:
    """Tell whether a rival is an earlier life of the newcomer's process.

    One that compares greater is of another process that started in the same millisecond.
    """
    other = draft.membership.members[rival].incarnation
    return other < event.incarnation and event.comes_back_from(other)


def take_over(draft: Draft, event: Joined, rivals: Collection[Rival]) -> Rival | None:
    """Give the newcomer the names and their targets; return its namesake."""
    enrol(draft, event)
    for rival in rivals:
        if rival.name != event.member and rival.rule is not TwinRule.SEPARATE:
            _succeed(draft, rival.name, event.member)
    return _namesake(draft, event, {rival.name for rival in rivals})


def _namesake(draft: Draft, event: Joined, known: AbstractSet[MemberId]) -> Rival | None:
    """Return the life of the same name, where names of their own tell the two apart.

    If many lives share one name, it is the last that came; from now on that is the newcomer.
    """
    if draft.policy.on_twin is not TwinRule.SEPARATE:
        return None
    namesakes = _namesakes(draft).setdefault(event.life.shared_name, [])
    while namesakes and draft.membership.members.get(namesakes[-1]) is None:
        namesakes.pop()  # it has gone in this step
    other = namesakes[-1] if namesakes else None
    namesakes.append(event.member)
    if other is None or other in known or not _lives(draft, other, event.stamp):
        return None
    if _has_come_back(draft, event, other):
        return None
    return Rival(other, draft.membership.members[other], TwinRule.SEPARATE, lives=True)


def _namesakes(draft: Draft) -> dict[MemberId, list[MemberId]]:
    """By the name that lives call themselves by, all of them; made once a step."""
    names = draft.scratch(_Names)
    if names.namesakes is None:
        names.namesakes = {}
        members = draft.membership.members
        for _, name in sorted((member.incarnation, name) for name, member in members.items()):
            shared = members[name].life(name).shared_name
            names.namesakes.setdefault(shared, []).append(name)
    return names.namesakes


def _lives(draft: Draft, rival: MemberId, stamp: Stamp) -> bool:
    older = draft.membership.members[rival]
    lately = 2 * draft.policy.heartbeat_ms(older.session_timeout_ms)
    return not older.away and stamp.heard - draft.membership.pulses[rival].seen < lately


def _succeed(draft: Draft, older: MemberId, newer: MemberId) -> None:
    """Give the newer member the target of the older one, or of the one that it succeeded.

    What a name was meant to have goes with the first of its lives; a second one had nothing yet.
    """
    names = draft.scratch(_Names)
    own = [] if older in names.succeeded else [older]
    replaced = names.replaced
    replaced[newer] = [*replaced.get(newer, ()), *replaced.pop(older, ()), *own]
    names.succeeded.add(older)


def replacements(draft: Draft) -> Mapping[MemberId, MemberId]:
    """Return who succeeded whom in this step, by the older one."""
    replaced = draft.scratch(_Names).replaced
    return {older: newer for newer, olders in replaced.items() for older in olders}
