"""What all stored forms have in common: they are arrays, and name a thing once.

Used by all forms. Its one rule: what stands in a list before something else stays there.
"""

from collections.abc import Hashable, Iterable
from itertools import count
from typing import Annotated, TypeVar

from msgspec import Meta, Struct

Named = TypeVar("Named", bound=Hashable)


class Form(Struct, array_like=True, forbid_unknown_fields=True):
    """An array of fields. One with more fields than are known is of a later release: refused."""


Place = Annotated[int, Meta(ge=0)]
"""Where in a list of the same group something stands, instead of its name once more."""


class Places(dict[Named, int]):
    """Where each thing stands in a list that is being made; what is new goes to its end."""

    def __init__(self, known: Iterable[Named]) -> None:
        super().__init__(zip(dict.fromkeys(known), count(), strict=False))

    def __missing__(self, thing: Named) -> int:
        """Put a thing at the end."""
        place = self[thing] = len(self)
        return place

    def of(self, things: Iterable[Named]) -> list[int]:
        """Return where some things stand."""
        return list(map(self.__getitem__, things))
