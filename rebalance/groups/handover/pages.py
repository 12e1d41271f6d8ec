"""Pages: what published records say of who may be working on a queue.

Each record of a member claims the queues that it names. A crash may have cut a publication short,
so that some records are older than others; then two may claim a queue, and the rules below say who
of them may be working on it.

Used by ``adoption``. Its one rule: a member that may be working on a queue stays on its page.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from rebalance.groups.model.events import Adopted, Inheritance
from rebalance.groups.model.ownership import Asked, Grant, Ownership
from rebalance.ids import Epoch, Life, Queue, Tenure


class Claim(NamedTuple):
    """What one member's record says of one queue; the greater, the later it was granted."""

    epoch: Epoch
    """Of the grant."""
    told: Epoch
    """Of the record."""
    life: Life
    asked: bool = False
    """It is told to let go."""
    source: Tenure | None = None
    """It is an heir's: it begins on the release of this grant."""

    @property
    def tenure(self) -> Tenure:
        """What is claimed."""
        return Tenure(self.life, self.epoch)


def claims_of(record: Adopted) -> list[tuple[Queue, Claim]]:
    """Return what a record claims, queue by queue."""

    def claim(epoch: Epoch, *, asked: bool = False, inherited: Inheritance | None = None) -> Claim:
        source = None if inherited is None else inherited.predecessor
        return Claim(epoch, record.epoch, record.life, asked, source)

    portion = record.portion
    claims = [(queue, claim(epoch)) for queue, epoch in portion.hold]
    claims += [(queue, claim(epoch, asked=True)) for queue, epoch in portion.give]
    return claims + [(it.queue, claim(it.epoch, inherited=it)) for it in portion.inherit]


def rows_of(record: Adopted) -> list[Queue]:
    """Return the queues that a record is about."""
    portion = record.portion
    rows = [queue for queue, _ in portion.hold + portion.give]
    return rows + [each.queue for each in portion.inherit]


def page_of(claims: Sequence[Claim], asked: Asked) -> Ownership:
    """Return a queue's page by what its members were told; ``asked`` is for those to be told now.

    The latest grant says most. It is an heir's: then the holder is the one that it waits for, or,
    if nobody has been granted that, the heir itself, since nothing is left to wait for. Or
    it is a holder's who was confirmed: then every earlier grant is over, unless a record was
    written later that still says otherwise. Or it is to be let go: then an earlier one may be, too.
    Where two may be working, both are told to let go, and nobody else begins before they have.
    """
    latest, *others = sorted(claims, reverse=True)
    earlier = [one for one in others if one.epoch < latest.epoch]
    if latest.source is not None:
        earlier = [one for one in earlier if one.tenure == latest.source]
    elif not latest.asked:
        earlier = [one for one in earlier if one.told >= latest.told]
    if not earlier:
        return Ownership(_granted(latest, asked) if latest.asked else _granted(latest))
    heir = _granted(latest, None if latest.source is not None else asked)
    return Ownership(_granted(earlier[0], asked), heir)


def _granted(claim: Claim, asked: Asked | None = None) -> Grant:
    """Return a grant. If it was told to let go, its record told it; otherwise it is told now."""
    if asked is not None and claim.asked:
        asked = replace(asked, epoch=claim.told)
    return Grant(claim.life, claim.epoch, asked)
