"""Pages: what published records say of who may be working on a queue.

Each record of a member claims the queues that it names. A crash may have cut a publication short,
so that some records are older than others; then two may claim a queue, and the rules below say who
of them may be working on it.

Used by ``adoption``. A member that may be working on a queue stays on its page.
"""

from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple

from rebalance.groups.model.decisions import Ending
from rebalance.groups.model.events import Adopted
from rebalance.groups.model.ownership import Asked, Grant, Over, Ownership
from rebalance.ids import Epoch, Life, Queue, Tenure


class RecordedGrant(NamedTuple):
    """What one member's record says of one queue; the greater, the later it was granted."""

    epoch: Epoch
    """Of the grant."""
    told: Epoch
    """Of the record."""
    life: Life
    asked: bool = False
    """It is told to let go."""
    named: Epoch | None = None
    """Whom its release is to name."""
    source: Tenure | None = None
    """It is an heir's: it begins on the release of this grant, if that names it."""
    to: Life | None = None
    """Who that is, if it is known."""

    @property
    def tenure(self) -> Tenure:
        """What is claimed."""
        return Tenure(self.life, self.epoch)


RecordedGrants = dict[Queue, list[RecordedGrant]]
"""By queue, what was found published of it."""


def grants_in(record: Adopted) -> list[tuple[Queue, RecordedGrant]]:
    """Return what a record claims, queue by queue."""
    told, life, portion = record.epoch, record.life, record.portion
    claims = [
        (naming.queue, RecordedGrant(naming.epoch, told, life, asked, naming.next, to=naming.to))
        for namings, asked in ((portion.hold, False), (portion.give, True))
        for naming in namings
    ]
    return claims + [
        (it.queue, RecordedGrant(it.epoch, told, life, source=it.predecessor))
        for it in portion.inherit
    ]


def rows_of(record: Adopted) -> list[Queue]:
    """Return the queues that a record is about."""
    portion = record.portion
    rows = [naming.queue for naming in portion.hold + portion.give + portion.shared]
    return rows + [each.queue for each in portion.inherit]


def page_of(claims: Sequence[RecordedGrant], asked: Asked) -> Ownership:
    """Return a queue's page by what its members were told; ``asked`` is for those to be told now.

    The latest grant that was confirmed says most: every earlier one is over. An heir's was, too, if
    others wait for its release. Only heirs of it, or of a later one, may still begin. If nobody has
    that later grant any more, its holder is gone; then it is for the log to say which of its heirs
    begins, and the latest is meant to.
    """
    sources = [one.source for one in claims if one.source is not None]
    source = max(sources, key=attrgetter("epoch"), default=None)
    holders = [one for one in claims if one.source is None or one.tenure == source]
    latest = max(holders, default=None)
    if latest is not None and (source is None or source.epoch < latest.epoch):
        return _held(latest, (), asked)
    heirs = sorted(one for one in claims if source is not None and one.source == source)
    grants = tuple(Grant(one.life, one.epoch) for one in heirs)
    if latest is not None and latest.tenure == source:
        return _held(latest, grants, asked)
    assert source is not None, "a queue is claimed by somebody"
    return Ownership(Grant(*source), grants, grants[-1].epoch, asked, Over(Ending.FENCED, asked.at))


def _held(claim: RecordedGrant, heirs: tuple[Grant, ...], asked: Asked) -> Ownership:
    told = replace(asked, epoch=claim.told) if claim.asked else None
    page = Ownership(Grant(claim.life, claim.epoch), heirs, asked=told, begun=True)
    if claim.named in {heir.epoch for heir in heirs}:
        return replace(page, named=claim.named)
    if claim.named is None or claim.to is None:
        return page
    return replace(page, former=(Grant(claim.to, claim.named),))  # it is not found any more
