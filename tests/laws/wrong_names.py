"""Mistakes that might be made where a release names a life, each about one sentence of its rule.

Each replaces a function of the SDK or of the brain; ``test_named_lives`` proves that the
exploration finds it. Mistakes in the books about such lives are found by chance
(``tests.simulation.named``): two members are too few for them.
"""

from collections.abc import Callable
from typing import Any

from tests.laws.spelling import life_ref, number_of, started
from trimtab.protocol import LifeRef, QueueRef
from trimtab.session.baton import Baton, Changes
from trimtab.session.nominee import Next, Outlook
from trimtab.session.recall import Lives, Recall

Method = Callable[..., Any]


def named_before_its_mark(right: Method) -> Method:
    """The next life of a member that has gone is named, whether or not it has shown a mark."""

    def wrong(self: Recall, life: LifeRef) -> LifeRef | None:
        younger = life_ref(number_of(life.member), started(life.incarnation) + 1)
        found: LifeRef | None = right(self, life)
        return younger if found is None and self.has_gone(life) else found

    return wrong


def named_though_the_older_stays(right: Method) -> Method:
    """A younger life has shown its mark, and so the older one is taken to have gone."""

    def wrong(self: Recall, life: LifeRef) -> LifeRef | bool | None:
        lives = self._lives.get(life.member, Lives())
        gone = max(lives.gone, life.incarnation) if lives.youngest > life.incarnation else ""
        self._lives[life.member] = lives._replace(gone=gone or lives.gone)
        said: LifeRef | bool | None = right(self, life)
        return said

    return wrong


def promise_is_enough(right: Method) -> Method:
    """Whoever was promised the epoch that is named begins, though it is another life's."""

    def wrong(self: Baton, queue: QueueRef, changes: Changes) -> None:
        firsts = self._recall._firsts  # noqa: SLF001 - planted
        kept = dict(firsts)
        firsts.update({it: said._replace(to=None) for it, said in kept.items()})
        right(self, queue, changes)
        firsts.update(kept)

    return wrong


def named_under_its_own_epoch(right: Method) -> Method:
    """Who began by itself names its heir under the epoch that it has itself."""

    def wrong(outlook: Outlook, me: LifeRef, epoch: int, recall: Recall) -> Next | None:
        said: Next | None = right(outlook, me, epoch, recall)
        if said is None or outlook.next is not None:
            return said
        return said._replace(epoch=epoch)

    return wrong


def nobody_is_let_in(right: Method) -> Method:
    """That a release has named a life tells nothing of who keeps its name."""
    del right

    def wrong(*known: object) -> bool:
        del known
        return False

    return wrong
