"""The processor time of a process and of everybody that it has started, as Linux counts it.

Spark's Python workers leave their parent's process group, so the tree is walked by parents. Used by
benches that ask what a controller costs. A process that ends meanwhile is counted by whoever
waited for it.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PARENT, _OWN, _OF_THE_DEAD = 1, slice(11, 13), slice(13, 15)
"""Fields of /proc/PID/stat after the name, in parentheses: see proc(5)."""


def seconds(pid: int) -> float:
    """Return what a process and its descendants have used so far."""
    return sum(_seconds(it[_OWN] + it[_OF_THE_DEAD]) for it in family(pid).values())


def used(pid: int) -> float | None:
    """Return what a process itself has used so far; None: it has ended."""
    return next((_seconds(it[_OWN]) for it in _read(Path(f"/proc/{pid}"))), None)


def of_the_family(pid: int) -> Iterator[tuple[str, float]]:
    """Return the name of each process of a family, and what it has used itself so far."""
    for one, told in family(pid).items():
        try:
            name = Path(f"/proc/{one}/comm").read_text().strip()
        except (FileNotFoundError, ProcessLookupError):
            continue
        yield name, _seconds(told[_OWN] + told[_OF_THE_DEAD])


def family(pid: int) -> dict[int, list[str]]:
    """Return what Linux says of a process and of each of its descendants that is there."""
    told = {int(path.name): stat for path in Path("/proc").glob("[0-9]*") for stat in _read(path)}
    found, grown = set[int](), {pid}
    while grown:
        found |= grown
        grown = {it for it in told if int(told[it][_PARENT]) in grown} - found
    return {it: told[it] for it in found & told.keys()}


def _seconds(ticks: list[str]) -> float:
    return sum(map(int, ticks)) / _TICKS


def _read(path: Path) -> Iterator[list[str]]:
    try:
        yield (path / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return
