"""How results are printed: a table for people, JSON or YAML for programs; always on stdout.

Logs, progress and errors go to stderr, so that a pipe gets the result and nothing else. Tables are
plain text in columns: they read the same on a terminal, in a file and in `grep`. Only on a terminal
that is narrower than the table each row is a block of lines instead.
"""

import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import NamedTuple, TextIO

from console.encoding import as_json, as_yaml, visible, width, writable

Row = Mapping[str, object]

_STATE = "state"
"""The column that has colours: what is wrong is red, what passes yellow, what is well green."""
_RED, _YELLOW, _GREEN = 31, 33, 32
_COLOURS = {
    **dict.fromkeys(("starved", "out", "silent", "unassigned", "panic", "stopped"), _RED),
    **dict.fromkeys(("assigning", "reconciling", "paused", "moving", "waiting"), _YELLOW),
    **dict.fromkeys(("draining", "away", "resting", "awaited"), _YELLOW),
    **dict.fromkeys(("stable", "working", "held", "available", "known", "working"), _GREEN),
}
_PAINT = re.compile(r"\x1b\[\d+m")


class Format(StrEnum):
    """What `-o` takes."""

    TABLE = "table"
    WIDE = "wide"
    """The table with all columns."""
    JSON = "json"
    YAML = "yaml"


class Remark(NamedTuple):
    """What is to be said beside a result."""

    text: str
    about: str
    """What makes it another one: the text, but for what grows while nothing else changes."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A result, as programs get it and as people see it."""

    result: object
    table: str
    of_height: Callable[[int], str] | None = None
    """Makes a table of so many lines of the terminal at most; None: its beginning will do."""

    def fitted(self, lines: int) -> str:
        """Return the table, as one of so many lines where it can be made so."""
        return self.table if self.of_height is None else self.of_height(lines)

    def text(self, output: Format, *, in_line: bool = False) -> str:
        """Write it; ``in_line`` with others of its kind, a line of JSON or a document of YAML."""
        match output:
            case Format.TABLE | Format.WIDE:
                return self.table
            case Format.JSON:
                return as_json(self.result, indent=None if in_line else 2)
            case Format.YAML:
                return ("---\n" if in_line else "") + as_yaml(self.result)


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows of one kind. Each has all columns, whatever is printed: programs rely on them."""

    name: str
    """What programs find them under."""
    rows: Sequence[Row]
    narrow: tuple[str, ...]
    """The columns of the table."""
    wide: tuple[str, ...] = ()
    """Those that `-o wide` adds."""

    def shown(self, output: Format) -> Shown:
        """Return it, with the columns that are asked for."""
        names = self.narrow + self.wide if output is Format.WIDE else self.narrow
        return Shown({self.name: list(self.rows)}, fitting(self.rows, *names))

    def show(self, output: Format) -> None:
        """Print it."""
        write(self.shown(output).text(output))


def show(result: object, output: Format, table: str) -> None:
    """Print ``result`` for programs, or ``table`` for people."""
    write(Shown(result, table).text(output))


def columns(rows: Sequence[Row], *names: str) -> str:
    """A table of ``rows`` with a heading; nothing is cut off."""
    cells = [[name.upper() for name in names]]
    cells += [[_cell(row[name]) for name in names] for row in rows]
    widths = [max(width(line[column]) for line in cells) for column in range(len(names))]
    lines = [[_padded(*it) for it in zip(line, widths, strict=True)] for line in cells]
    if _STATE in names and is_colourful():
        place = names.index(_STATE)
        for line in lines[1:]:
            line[place] = _painted(line[place])
    return "\n".join("  ".join(line).rstrip() for line in lines)


def fitting(rows: Sequence[Row], *names: str) -> str:
    """A table of ``rows``, or a block of lines for each where the terminal is too narrow for it."""
    table = columns(rows, *names)
    if not sys.stdout.isatty() or not rows or fits(table):
        return table
    return "\n\n".join(fields({name: row[name] for name in names}) for row in rows)


def fits(text: str) -> bool:
    """Tell whether the terminal breaks none of the lines."""
    return max(map(_length, text.splitlines())) <= shutil.get_terminal_size().columns


def within(rows: Sequence[Row], names: Sequence[str], spare: Sequence[str], lines: int) -> str:
    """A table of the first rows, of so many lines at most, and how many more rows there are.

    Where the terminal is too narrow, ``spare`` columns are left out, one after the other.
    """
    shown, left = _first(rows, lines - 1), [*names]
    for column in spare:
        if fits(columns(shown, *left)):
            break
        left.remove(column)
    if not fits(columns(shown, *left)):  # they become blocks, with an empty line between two
        shown = _first(rows, lines // (len(left) + 1))
    more = f"\nand {len(rows) - len(shown)} more" if len(rows) > len(shown) else ""
    return f"{fitting(shown, *left)}{more}"


def _first(rows: Sequence[Row], room: int) -> Sequence[Row]:
    """Return the rows that there is room for; that there are more takes the room of one."""
    return rows if len(rows) <= room else rows[: max(1, room - 1)]


def height(text: str) -> int:
    """Return how many lines of the terminal a text takes."""
    return sum(_heights(text))


def beginning(text: str, lines: int) -> str:
    """The first lines of a text, so many of the terminal at most, and how many more there are."""
    heights = _heights(text)
    if sum(heights) <= lines:
        return text
    shown = sum(it < lines for it in accumulate(heights))  # that there are more takes one, too
    every = text.splitlines()
    return "\n".join([*every[:shown], f"and {len(every) - shown} more lines"])


def _heights(text: str) -> list[int]:
    """Return how many lines of the terminal each takes; what is too long for one goes on."""
    room = shutil.get_terminal_size().columns
    return [max(1, -(-_length(it) // room)) for it in text.splitlines()]


def is_drawable(where: TextIO | None = None) -> bool:
    """Tell whether this, or stdout, is a terminal that understands more than text."""
    return (where or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"


def is_colourful(where: TextIO | None = None) -> bool:
    """Tell whether somebody looks there who can see colours and has not asked for none."""
    return is_drawable(where) and not os.environ.get("NO_COLOR")


def _painted(cell: str) -> str:
    """Write a state in the colour of its first word, if that has one."""
    words = cell.replace(",", " ").split()
    colour = _COLOURS.get(words[-1] if words[-1:] == ["paused"] else "".join(words[:1]))
    text = cell.rstrip()
    return cell if colour is None else f"\x1b[{colour}m{text}\x1b[0m{cell[len(text) :]}"


def _padded(cell: str, room: int) -> str:
    return cell + " " * (room - width(cell))


def _length(line: str) -> int:
    return width(_PAINT.sub("", line))


def fields(values: Row) -> str:
    """One thing as lines of name and value."""
    room = max(map(width, values))
    return "\n".join(f"{_padded(name, room)}  {_cell(value)}" for name, value in values.items())


def write(text: str) -> None:
    """Print on stdout what was made for it."""
    sys.stdout.write(f"{text}\n")


def say(text: str) -> None:
    """Print a line for people on stdout; names of strangers may be in it."""
    write(line(text))


def line(text: str) -> str:
    """One line, whatever a record says: a name could move the cursor."""
    return writable(visible(text))


def _cell(value: object) -> str:
    if value is None or value in ("", {}, []):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return line(text)
