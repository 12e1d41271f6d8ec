"""The stored form of the books: who may be working on queues.

Queues that are owned alike share a page, and so do the values that are read: most of a member's
queues were granted at once. Part of ``group``.
"""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Final

from msgspec import field

from rebalance.groups.model.decisions import Ending
from rebalance.groups.model.member import Member
from rebalance.groups.model.ownership import Asked, Grant, Over, Ownership
from rebalance.ids import Epoch, Incarnation, Life, MemberId, Millis, Queue
from streaming.cell.stored.form import Form, Place, Places

_ALIKE: Final = attrgetter(
    "holder.life", "holder.epoch", "heirs", "named", "asked", "over", "former", "begun"
)
"""What makes two pages the same. Faster by far than to compare them."""
_ENDINGS: Final = {1: Ending.RELEASED, 2: Ending.LEFT, 3: Ending.FENCED, 4: Ending.TAKEN}
_NUMBERS: Final = {ending: number for number, ending in _ENDINGS.items()}


class GrantForm(Form):
    """A queue promised to one life."""

    member: Place
    incarnation: Incarnation | None
    """None: that of the member as it is."""
    epoch: Epoch


class PageForm(Form):
    """A holder, and those that were promised the queue after it."""

    holder: GrantForm
    heirs: list[GrantForm]
    named: Epoch | None
    asked: tuple[Epoch, Millis] | None
    over: tuple[int, Millis] | None
    """How the holder has ended, and when its release was written."""
    former: list[GrantForm] = field(default_factory=list)
    begun: bool = False
    idle_since: Millis | None = None
    """Since when a holder that has ended may have done no work."""


class BooksForm(Form):
    """A column of queues and one of pages."""

    pages: list[PageForm]
    queues: list[Place]
    page: list[Place]


Members = Mapping[MemberId, Member]


def books_form(
    ownership: Mapping[Queue, Ownership],
    queues: Places[Queue],
    names: Places[MemberId],
    members: Members,
) -> BooksForm:
    """Return what is stored of the books."""
    alike = list(map(_ALIKE, ownership.values()))
    pages = dict(zip(alike, ownership.values(), strict=True))
    return BooksForm(
        [_page_form(page, names, members) for page in pages.values()],
        queues.of(ownership),
        Places(pages).of(alike),
    )


def books(
    form: BooksForm, queues: Sequence[Queue], names: Sequence[MemberId], members: Members
) -> dict[Queue, Ownership]:
    """Return the books that were stored."""
    pages = [_page(page, names, members) for page in form.pages]
    owned = map(queues.__getitem__, form.queues)
    return dict(zip(owned, map(pages.__getitem__, form.page), strict=True))


def _page_form(page: Ownership, names: Places[MemberId], members: Members) -> PageForm:
    asked = page.asked
    return PageForm(
        _grant_form(page.holder, names, members),
        [_grant_form(heir, names, members) for heir in page.heirs],
        page.named,
        None if asked is None else (asked.epoch, asked.at),
        None if page.over is None else (_NUMBERS[page.over.ending], page.over.at),
        [_grant_form(it, names, members) for it in page.former],
        page.begun,
        None if page.over is None else page.over.since,
    )


def _page(form: PageForm, names: Sequence[MemberId], members: Members) -> Ownership:
    return Ownership(
        holder=_grant(form.holder, names, members),
        heirs=tuple(_grant(heir, names, members) for heir in form.heirs),
        named=form.named,
        asked=None if form.asked is None else Asked(*form.asked),
        over=None if form.over is None else _over(form.over, form.idle_since),
        former=tuple(_grant(it, names, members) for it in form.former),
        begun=form.begun,
    )


def _over(form: tuple[int, Millis], since: Millis | None) -> Over:
    ending, at = form
    return Over(_ENDINGS[ending], at, since)


def _grant_form(grant: Grant, names: Places[MemberId], members: Members) -> GrantForm:
    member = members.get(grant.member)
    present = member is not None and member.incarnation == grant.incarnation
    return GrantForm(names[grant.member], None if present else grant.incarnation, grant.epoch)


def _grant(form: GrantForm, names: Sequence[MemberId], members: Members) -> Grant:
    name, life = names[form.member], form.incarnation
    return Grant(Life(name, members[name].incarnation if life is None else life), form.epoch)
