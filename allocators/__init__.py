"""The strategies, by name.

A strategy is a pure function from a request to a plan (``rebalance.allocation``), one file each.
Called by the composition root, which looks one up by the name in the settings and passes it
inward; nothing else chooses a strategy.

Its one rule: a name in this registry means the same allocation for ever.
"""

from collections.abc import Mapping
from types import MappingProxyType

from allocators.averagely import averagely
from rebalance.allocation import Allocator

ALLOCATORS: Mapping[str, Allocator] = MappingProxyType(
    {
        "AVG": averagely,
    }
)


def allocator(name: str) -> Allocator:
    """Return the strategy called ``name``; ``KeyError`` names it and the ones there are."""
    try:
        return ALLOCATORS[name]
    except KeyError:
        known = ", ".join(sorted(ALLOCATORS))
        raise KeyError(f"no strategy is called {name!r}; there are: {known}") from None
