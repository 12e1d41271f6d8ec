"""Own names: where twins are to be told apart, each life is a member under a name of its own.

The rule may change while a group is at work. It counts for lives that come: whoever the group knows
by now, as a member or from a page, keeps the name that it is known under until it goes.

Called by ``step`` for each event, and by ``adoption`` for what is published. What a life calls
itself, and its process, are asked of ``Life`` (``ids``).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import (
    Adopted,
    Commanded,
    Event,
    Portion,
    Released,
    RouteObserved,
)
from rebalance.groups.model.policy import Policy, TwinRule
from rebalance.ids import Life, MemberId, Naming

_NAME_CHARACTERS: Final = 255
"""The longest name that can be published (``trimtab.protocol.limits``)."""


def told_apart(draft: Draft, event: Event) -> Event:
    """Name the lives of an event as the group knows them, or is to know them."""
    if isinstance(event, RouteObserved | Commanded):
        return event
    life = _known(draft, event.life)
    if isinstance(event, Released):
        namings = _named(event.namings, lambda it: _known(draft, it))
        if namings != event.namings:
            return replace(event, life=life, namings=namings)
    return event if life is event.life else replace(event, life=life)


def named_apart(record: Adopted, policy: Policy) -> Adopted:
    """Do the same with a record that was published, and with whom it names; nobody is known yet."""
    if policy.on_twin is not TwinRule.SEPARATE:
        return record
    inherit = tuple(
        replace(it, predecessor=it.predecessor._replace(life=_apart(it.predecessor.life)))
        for it in record.portion.inherit
    )
    hold, give = _named(record.portion.hold, _apart), _named(record.portion.give, _apart)
    portion = Portion(hold, give, inherit, record.portion.shared)
    return replace(record, life=_apart(record.life), portion=portion)


def _known(draft: Draft, life: Life) -> Life:
    if _is_member(draft, life):
        return life
    apart = _apart(life)
    if _is_member(draft, apart):
        return apart
    separate = draft.policy.on_twin is TwinRule.SEPARATE
    wanted, other = (apart, life) if separate else (life, apart)
    return other if _has_a_page(draft, other) and not _has_a_page(draft, wanted) else wanted


def _is_member(draft: Draft, life: Life) -> bool:
    known = draft.membership.members.get(life.member)
    return known is not None and known.incarnation == life.incarnation


def _has_a_page(draft: Draft, life: Life) -> bool:
    """Tell whether a page named it when the step began, and still does.

    A life that came in this step has its name by the present rule.
    """
    books = draft.handover.books
    pages = (books.get(queue) for queue in books.before(life.member))
    return any(
        life in (grant.life for grant in (owned.holder, *owned.heirs))
        for owned in pages
        if owned is not None
    )


def _named(namings: tuple[Naming, ...], name: Callable[[Life], Life]) -> tuple[Naming, ...]:
    return tuple(it if it.to is None else it._replace(to=name(it.to)) for it in namings)


def _apart(life: Life) -> Life:
    """Name a life as it alone is named. A name that leaves no room for that stays as it is."""
    own = MemberId(f"{life.member}@{life.incarnation}")  # ``Life.shared_name`` undoes it
    return life._replace(member=own) if len(own) <= _NAME_CHARACTERS else life
