"""Tracing paper over a map.

A step must not change the state it was given, and copying a map of 100,000 queues to change one
would cost more than the change. So the step draws on tracing paper: reads see the drawing first
and the map beneath it otherwise, and only ``merged`` makes a new map, once a batch and only when
something was drawn. Used by ``draft``.

Its one rule: the map beneath is never touched.
"""

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Overlay(Generic[K, V]):
    """A mutable view of an immutable map."""

    __slots__ = ("_beneath", "_drawn")

    def __init__(self, beneath: Mapping[K, V]) -> None:
        """Lay a clean sheet over ``beneath``."""
        self._beneath = beneath
        self._drawn: dict[K, V | None] = {}

    def get(self, key: K) -> V | None:
        """Return what is drawn at ``key``, or what shows through."""
        if key in self._drawn:
            return self._drawn[key]
        return self._beneath.get(key)

    def __getitem__(self, key: K) -> V:
        """Return what is visible at ``key``, which must be there."""
        value = self.get(key)
        if value is None:
            raise KeyError(key)
        return value

    def put(self, key: K, value: V) -> None:
        """Draw ``value`` at ``key``."""
        self._drawn[key] = value

    def remove(self, key: K) -> None:
        """Blot ``key`` out."""
        self._drawn[key] = None

    @property
    def drawn(self) -> Mapping[K, V | None]:
        """What was drawn: new values, and None where a key was blotted out."""
        return self._drawn

    def items(self) -> Iterator[tuple[K, V]]:
        """Iterate over what is visible: the map's own order first, then new keys as drawn."""
        for key, value in self._beneath.items():
            seen = self._drawn.get(key, value)
            if seen is not None:
                yield key, seen
        for key, drawn in self._drawn.items():
            if drawn is not None and key not in self._beneath:
                yield key, drawn

    def values(self) -> Iterator[V]:
        """Iterate over the visible values, in the order of ``items``."""
        return (value for _, value in self.items())

    def merged(self) -> Mapping[K, V]:
        """Return the visible map; the one beneath itself when nothing was drawn."""
        return dict(self.items()) if self._drawn else self._beneath
