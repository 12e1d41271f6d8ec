"""An overlay over a map: changes on top, the map itself untouched.

A step must not change the state it was given, and copying a map of 100,000 queues to change one
would cost more than the change. So a step writes into an overlay: a read looks there first and then
in the map. A new map is made only to look at all of it, and only when something changed. Used by
the parts of the draft.

Its one rule: the map beneath is never changed.
"""

from collections.abc import ItemsView, Mapping, ValuesView
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Overlay(Generic[K, V]):
    """A mutable view of an immutable map."""

    __slots__ = ("_beneath", "_copy", "_size", "_written")

    def __init__(self, beneath: Mapping[K, V]) -> None:
        """Begin with nothing written over ``beneath``."""
        self._beneath = beneath
        self._written: dict[K, V | None] = {}
        self._copy: Mapping[K, V] | None = None
        self._size = len(beneath)

    def __len__(self) -> int:
        """Count what is visible; kept along, because it is asked once an event."""
        return self._size

    def get(self, key: K) -> V | None:
        """Return what is written at ``key``, or else what is beneath."""
        if key in self._written:
            return self._written[key]
        return self._beneath.get(key)

    def __getitem__(self, key: K) -> V:
        """Return what is visible at ``key``, which must be there."""
        written = self._written  # as ``get`` does: there is no cheaper call than none
        value = written[key] if key in written else self._beneath.get(key)
        if value is None:
            raise KeyError(key)
        return value

    def put(self, key: K, value: V) -> None:
        """Write ``value`` at ``key``."""
        written = self._written
        if (written[key] if key in written else self._beneath.get(key)) is None:
            self._size += 1
        written[key] = value
        self._copy = None

    def remove(self, key: K) -> None:
        """Remove ``key``, if it is there."""
        if self.get(key) is not None:
            self._written[key] = None
            self._copy = None
            self._size -= 1

    def clear(self) -> None:
        """Remove everything."""
        for key in list(self.merged()):
            self.remove(key)

    @property
    def written(self) -> Mapping[K, V | None]:
        """What was written: new values, and None where a key was removed."""
        return self._written

    def items(self) -> ItemsView[K, V]:
        """Return what is visible now: the map's own order first, then new keys as written."""
        return self.merged().items()

    def values(self) -> ValuesView[V]:
        """Return the visible values, in the order of ``items``."""
        return self.merged().values()

    def merged(self) -> Mapping[K, V]:
        """Return the visible map; the one beneath itself when nothing was written."""
        if not self._written:
            return self._beneath
        if self._copy is None:
            self._copy = self._rewritten()
        return self._copy

    def _rewritten(self) -> Mapping[K, V]:
        copy = dict(self._beneath)  # a plain copy is the fastest walk over a large map
        apply(self._written, copy)
        return copy


def apply(written: Mapping[K, V | None], copy: dict[K, V]) -> None:
    """Write into a copy what was written over it."""
    for key, value in written.items():
        if value is None:
            copy.pop(key, None)
        else:
            copy[key] = value
