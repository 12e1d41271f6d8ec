"""The nominee: whom a release names, when the grants of one life after another are passed on.

A holder is told who comes next. That life may have gone since, and its member be back as a younger
life; and a holder that has begun by itself was told of nobody yet. Then it names a younger life,
which the controller knows nothing of, by name: of the member that was to come next, or of the one
that it has the queue from. So a rolling restart needs no controller.

Asked by ``baton``. Its one rule: only a life is named whose mark was read, because it then reads
every release that comes after; and never a life that has said that it goes.
"""

from typing import Final, NamedTuple

from trimtab.protocol import LifeRef
from trimtab.session.recall import Recall, Source


class Next(NamedTuple):
    """The grant that comes next."""

    epoch: int
    life: LifeRef | None = None
    """Whose it is, if that is known; in a release: only if nobody was promised it."""


class Outlook(NamedTuple):
    """What a holder knows of who comes next."""

    next: Next | None = None
    """As last told."""
    source: Source | None = None
    """The grant that it has the queue from, until a record says who comes next, if anybody."""


UNTOLD: Final = Outlook()


def named(outlook: Outlook, me: LifeRef, epoch: int, recall: Recall) -> Next | None:
    """Return whom this life names when it releases a grant of this epoch; None: nobody."""
    following, source = outlook
    if following is not None:
        if following.life is None or not recall.has_gone(following.life):
            return Next(following.epoch)
        epoch, former = following.epoch, following.life
    elif source is not None:
        epoch, former = epoch + 1, LifeRef(source.member, source.incarnation)
    else:
        return None
    younger = recall.successor(former)
    if younger is None or (younger.member == me.member and younger <= me):
        return None
    return Next(epoch, younger)
