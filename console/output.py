"""How results are printed: a table for people, JSON or YAML for programs; always on stdout.

Logs, progress and errors go to stderr, so that a pipe gets the result and nothing else. Tables are
plain text in columns: they read the same on a terminal, in a file and in `grep`.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum

import yaml

Row = Mapping[str, object]


class Format(StrEnum):
    """What `-o` takes."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"


def show(result: object, output: Format, table: str) -> None:
    """Print ``result`` for programs, or ``table`` for people."""
    match output:
        case Format.TABLE:
            write(table)
        case Format.JSON:
            write(json.dumps(result, ensure_ascii=False, indent=2))
        case Format.YAML:
            write(yaml.safe_dump(result, allow_unicode=True, sort_keys=False).rstrip())


def columns(rows: Sequence[Row], *names: str) -> str:
    """A table of ``rows`` with a heading; nothing is cut off."""
    cells = [[name.upper() for name in names]]
    cells += [[_cell(row[name]) for name in names] for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(len(names))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    )


def fields(values: Row) -> str:
    """One thing as lines of name and value."""
    width = max(len(name) for name in values)
    return "\n".join(f"{name.ljust(width)}  {_cell(value)}" for name, value in values.items())


def write(text: str) -> None:
    """Print a line on stdout."""
    sys.stdout.write(f"{text}\n")


def _cell(value: object) -> str:
    return "-" if value is None or value == {} else str(value)
