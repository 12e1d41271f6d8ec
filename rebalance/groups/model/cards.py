"""Cards: an index beside a map, kept up from step to step.

Each card names the entries under one heading. A change takes the old entry off its cards and puts
the new one on, so that no step has to look at the whole map.

Used by ``books`` and ``roster``. An index that was kept up equals one that is built anew.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

H = TypeVar("H", bound=Hashable)
K = TypeVar("K")
V = TypeVar("V")


def filed(things: Mapping[K, V], headings: Callable[[V], Iterable[H]]) -> Mapping[H, frozenset[K]]:
    """Write all cards: under which headings each thing belongs."""
    cards = defaultdict(list)
    for key, thing in things.items():
        for heading in headings(thing):
            cards[heading].append(key)
    return {heading: frozenset(keys) for heading, keys in cards.items()}


def refiled(
    cards: Mapping[H, frozenset[K]],
    before: Mapping[K, V],
    written: Mapping[K, V | None],
    headings: Callable[[V], Iterable[H]],
) -> Mapping[H, frozenset[K]]:
    """Return the cards after some entries were written or removed."""
    lost, gained = defaultdict(set), defaultdict(set)
    for key, thing in written.items():
        was = before.get(key)
        if was is not None:
            for heading in headings(was):
                lost[heading].add(key)
        if thing is not None:
            for heading in headings(thing):
                gained[heading].add(key)
    changed = dict(cards)
    for heading in {**lost, **gained}:
        card = (changed.get(heading, frozenset()) - lost[heading]) | gained[heading]
        if card:
            changed[heading] = card
        else:
            changed.pop(heading, None)
    return changed
