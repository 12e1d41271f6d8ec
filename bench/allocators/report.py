"""What is printed: rows as they come in, so that a long bench shows where it is.

Widths are fixed beforehand, because the first row is printed before the last is known. Called by
``__main__``.
"""

import sys
from collections.abc import Mapping

from bench.allocators.contest import SIDES, Result
from console.output import write


class Table:
    """A table whose heading is printed at once and its rows one by one."""

    def __init__(self, **widths: int) -> None:
        self._widths = widths
        self._print({name: name.replace("_", " ").upper() for name in widths})

    def row(self, values: Mapping[str, object]) -> None:
        """Print one row."""
        self._print({name: str(values[name]) for name in self._widths})

    def _print(self, cells: Mapping[str, str]) -> None:
        line = "  ".join(cells[name].ljust(width) for name, width in self._widths.items())
        write(line.rstrip())
        sys.stdout.flush()


def contests() -> Table:
    """Return the table of the contests, with its heading printed."""
    return Table(group=22, change=6, side=7, ms=9, moves=7, over=7, gap=5, spread=6, mean_spread=11)


def row(result: Result) -> dict[str, object]:
    """Write a result as a row of that table."""
    return {
        "group": result.group,
        "change": result.change,
        "side": result.side,
        "ms": f"{result.milliseconds:.2f}",
        "moves": result.moves,
        "over": result.over,
        "gap": result.even.gap,
        "spread": result.even.spread,
        "mean_spread": f"{result.even.mean_spread:.2f}",
    }


def headline(results: list[Result]) -> dict[str, float | int]:
    """The worst of each side, and the times of the largest group."""
    figures: dict[str, float | int] = {}
    for side in SIDES:
        mine = [result for result in results if result.side == side]
        plain = [each for each in mine if each.change == "full" and each.group.endswith("same")]
        figures[f"{side}_moves_over"] = sum(max(each.over, 0) for each in mine)
        figures[f"{side}_gap_max"] = max(each.even.gap for each in mine)
        figures[f"{side}_spread_max"] = max(each.even.spread for each in mine)
        if plain:
            figures[f"{side}_spread_full_same_max"] = max(each.even.spread for each in plain)
    largest = results[-1].group.split()[0]
    for each in results:
        if each.group.startswith(largest) and each.side != "range":
            where = each.group.split()[1]
            figures[f"{each.side}_{where}_{each.change}_ms"] = round(each.milliseconds, 2)
    return figures
