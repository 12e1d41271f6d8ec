"""Admission: decides what happens to a join, and returns it as one value.

``Outcome`` lists all that can become of a join. To choose, ``judged`` asks those that know:
``departures`` and ``omissions`` whether its life is over, ``twins`` who has what it claims and
which of the two keeps it, the policy whether there is room.

Called by ``entry``, which carries the outcome out. Its one rule: nothing is written here.
"""

from dataclasses import dataclass, replace

from rebalance.groups.handover import omissions
from rebalance.groups.members import departures, dismissals, marks, twins
from rebalance.groups.members.twins import Rival
from rebalance.groups.model.decisions import Refusal
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Joined, Mode
from rebalance.groups.model.member import Member
from rebalance.groups.model.overrides import effective
from rebalance.groups.model.policy import TwinRule
from rebalance.groups.model.subscriptions import wish_of
from rebalance.ids import Millis


@dataclass(frozen=True, slots=True)
class Late:
    """A younger life has its name by now: the join is ignored."""


@dataclass(frozen=True, slots=True)
class TurnedAway:
    """It is told that it is not known; if it lives, it joins again as a new life.

    Its life has ended, or may be one that was not found, or another life shares its name.
    """


@dataclass(frozen=True, slots=True)
class Refused:
    """There is no room for what it asks: its record becomes a dead letter."""

    reason: Refusal
    detail: str


@dataclass(frozen=True, slots=True)
class Yielded:
    """Older lives keep what it claims: the history names both, once. It may ask again."""

    to: tuple[Rival, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """Its life is a member, and stays as it was: it is heard and answered."""

    refused: Refused | None = None
    """It asks for something else, for which there is no room; None: it says nothing newer."""


@dataclass(frozen=True, slots=True)
class Renewed:
    """Its life is a member: it is heard and answered, and what it changed, if anything, counts."""

    known: Member
    member: Member


@dataclass(frozen=True, slots=True)
class Admitted:
    """It becomes a member, and those that had what it claims make way, now or in turn.

    Whether it has to rest is asked when they have gone: a restart counts (``flapping``).
    """

    member: Member
    rivals: tuple[Rival, ...]
    known: Member | None
    """The life that it takes the place of, under the same name."""


Outcome = Late | TurnedAway | Refused | Yielded | Repeated | Renewed | Admitted
"""All that can become of a join."""


def judged(draft: Draft, event: Joined) -> Outcome:
    """Return what becomes of a join."""
    known = draft.membership.members.get(event.member)
    if known is None or known.incarnation < event.incarnation:
        return _of_a_newcomer(draft, event, known)
    if known.incarnation == event.incarnation:
        return _of_a_member(draft, event, known)
    return Late()


def _of_a_newcomer(draft: Draft, event: Joined, known: Member | None) -> Outcome:
    barred = known is None and omissions.bars(draft, event)
    if barred or departures.precedes(draft, event):
        return TurnedAway()
    rivals = twins.rivals(draft, event)
    if any(rival.outlives for rival in rivals):
        return TurnedAway()
    replaces = known or any(rival.rule is TwinRule.FENCE_OLDER for rival in rivals)
    replaces = replaces or event.life in draft.handover.strangers  # it works already
    refused = None if replaces else _too_many_members(draft)
    refused = refused or _too_many_patterns(draft, event, known)
    if refused is not None:
        return refused
    keepers = tuple(rival for rival in rivals if rival.rule is TwinRule.REFUSE_NEWER)
    return Yielded(keepers) if keepers else Admitted(_described(draft, event), rivals, known)


def _of_a_member(draft: Draft, event: Joined, known: Member) -> Repeated | Renewed:
    """Judge a repeated join, which may change what its life wants.

    A life keeps the instance that it came with, if that was read: for another instance it needs a
    new life, so that twins are noticed. A join that is not newer than a drain or a leave of the
    same life undoes neither. No join undoes what an operator or a successor wants of the member.
    """
    if event.sequence < known.sequence:
        return Repeated()
    if refused := _too_many_patterns(draft, event, known):
        return Repeated(refused)
    repeated = event.sequence == known.sequence
    member = replace(
        _described(draft, event),
        resting_until=known.resting_until,
        since=known.since,
        instance=event.instance if known.presumed else known.instance,
        draining=known.dismissed or (repeated and known.draining),
        dismissed=known.dismissed,
        leaves=repeated and known.leaves,
        away=repeated and known.away,
        awaits_mark=known.awaits_mark,
    )
    return Renewed(known, member.as_patient_as(known))


def _too_many_members(draft: Draft) -> Refused | None:
    if draft.population < draft.policy.max_members:
        return None
    detail = f"the group has {draft.population} members, the limit"
    return Refused(Refusal.TOO_MANY_MEMBERS, detail)


def _too_many_patterns(draft: Draft, event: Joined, known: Member | None) -> Refused | None:
    """Tell whether the group would have too many."""
    if not event.patterns:
        return None
    wish = None if known is None else wish_of(known)
    count = draft.membership.members.demand.patterns_with(wish, event.patterns)
    if count <= draft.policy.max_patterns:
        return None
    return Refused(Refusal.TOO_MANY_PATTERNS, f"the group would have {count} patterns")


def _session_ms(draft: Draft, event: Joined) -> Millis:
    """Return how long it is believed in; a client that beats by its own clock knows no pace.

    One that works already counts by the session that it asked for: it was told of no shorter one.
    """
    policy = draft.policy
    if event.eager:
        policy = effective(draft.general, draft.rules.overrides, Millis(0))
    granted = policy.session_ms(event.session_timeout_ms)
    if event.life not in draft.handover.strangers:
        return granted
    return max(granted, event.session_timeout_ms or granted)


def _described(draft: Draft, event: Joined) -> Member:
    is_dismissed = dismissals.holds(draft, event)
    return Member(
        incarnation=event.incarnation,
        sequence=event.sequence,
        topics=event.topics,
        session_timeout_ms=_session_ms(draft, event),
        revocation_timeout_ms=draft.policy.revocation_ms(event.revocation_timeout_ms),
        instance=event.instance,
        rack=event.rack,
        weight=event.weight,
        capacity=event.capacity,
        mode=event.mode,
        eager=event.eager,
        since=draft.next_epoch,
        patterns=event.patterns,
        awaits_mark=marks.awaited(draft, event),
        guarded=event.guarded,
        on_hold_alone=event.on_hold_alone,
        draining=is_dismissed,
        dismissed=is_dismissed,
        pops=frozenset(draft.rules.popped if _may_pop(event) else ()),
    )


def _may_pop(event: Joined) -> bool:
    return event.eager and event.mode is Mode.CLUSTERING
