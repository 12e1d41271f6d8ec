"""The fields of a line with a case, each by name and kind.

Lines may come from anywhere, and Java's types are narrower than JSON's: a `long` ends at 2**63.
Called by the cases. An error names the field.
"""

from collections.abc import Iterator, Mapping
from typing import final

LONG = 2**63


class BadField(ValueError):  # noqa: N818 - it names what is wrong
    """A field is missing or of the wrong kind."""


@final
class Fields:
    """One JSON object, read field by field."""

    def __init__(self, line: object, what: str = "a line") -> None:
        """Take an object; ``what`` is how an error calls it."""
        if not isinstance(line, Mapping):
            raise BadField(f"{what} must be a JSON object")
        self.all: Mapping[str, object] = line

    def __contains__(self, name: str) -> bool:
        return name in self.all

    def integer(self, name: str, default: int | None = None) -> int:
        """Take a whole number that fits Java's `long`."""
        return _integer(self.all.get(name, default), name)

    def flag(self, name: str, *, default: bool | None = None) -> bool:
        """Take true or false."""
        value = self.all.get(name, default)
        if not isinstance(value, bool):
            raise BadField(f"{name} must be true or false")
        return value

    def text(self, name: str) -> str:
        """Take a string."""
        value = self.all.get(name)
        if not isinstance(value, str):
            raise BadField(f"{name} must be a string")
        return value

    def values(self, name: str) -> list[object]:
        """Take a list."""
        value = self.all.get(name)
        if not isinstance(value, list):
            raise BadField(f"{name} must be a list")
        return value

    def integers(self, name: str) -> list[int]:
        """Take a list of whole numbers."""
        return [_integer(value, f"{name}[{at}]") for at, value in enumerate(self.values(name))]

    def maybe_integers(self, name: str) -> list[int | None]:
        """Take a list of whole numbers and nulls."""
        return [
            None if value is None else _integer(value, f"{name}[{at}]")
            for at, value in enumerate(self.values(name))
        ]

    def texts(self, name: str) -> list[str | None]:
        """Take a list of strings and nulls."""
        values = [value for value in self.values(name) if value is None or isinstance(value, str)]
        if len(values) != len(self.values(name)):
            raise BadField(f"{name} must be a list of strings and nulls")
        return values

    def table(self, name: str) -> Mapping[str, object]:
        """Take an object."""
        return Fields(self.all.get(name), name).all

    def rows(self, name: str) -> Iterator["Fields"]:
        """Take a list of objects."""
        return (Fields(row, f"{name}[{at}]") for at, row in enumerate(self.values(name)))


def _integer(value: object, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not -LONG <= value < LONG:
        raise BadField(f"{name} must be an integer of 64 bits")
    return value
