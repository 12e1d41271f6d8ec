"""`make bench NAME=beats`: what a beat that says nothing new costs in Python."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Final, NamedTuple, TypeVar

import typer

from bench.beats.full_cell import FullCell
from bench.command import conclude, run
from bench.frames import batches, frames
from console.output import columns
from console.progress import Stderr
from streaming.wire.beats import NO_NUMBER

_SECONDS: Final = 8
T = TypeVar("T")


class Part(NamedTuple):
    """What one way costs."""

    name: str
    title: str
    microseconds: float
    """Of the processor's time, for each beat."""


def beats(
    groups: Annotated[int, typer.Option(help="Groups of ten in the cell.")] = 1_250,
) -> None:
    """Time beats from Arrow's batch to the state's bytes, known and decoded: half a minute.

    Examples:
      make bench NAME=beats
      python -m bench.beats --groups 200 | tail -1 | jq .known_us
    """
    with Stderr().step("timing beats"):
        full_cell = FullCell(groups)
        found = list(parts(full_cell))
    rows = [{"what": it.title, "us a beat": f"{it.microseconds:,.2f}"} for it in found]
    figures = {f"{it.name}_us": round(it.microseconds, 3) for it in found}
    figures |= {
        "state_bytes_a_member": round(len(full_cell.state.kept or b"") / len(full_cell.epochs)),
        "ratio": round(found[2].microseconds / found[1].microseconds, 1),
    }
    conclude(columns(rows, *rows[0]), figures)


def parts(full_cell: FullCell) -> Iterator[Part]:
    """Time the ways of a beat; whoever has no fingerprint is decoded, as every beat was once."""
    arrow = known = decoded = 0.0
    count = 0
    for _ in range(_SECONDS):
        rows = full_cell.second()
        count += len(rows) - 1
        given = batches(rows)
        handed, seconds = _timed(partial(frames, given))
        arrow += seconds
        known += _timed(partial(full_cell.fold_frames, handed))[1]
    yield Part("arrow", "Arrow to pandas", arrow / count * 1e6)
    yield Part("known", "known: from pandas to the state", known / count * 1e6)
    for _ in range(_SECONDS):
        plain = [it.assign(number=NO_NUMBER) for it in frames(batches(full_cell.second()))]
        decoded += _timed(partial(full_cell.fold_frames, plain))[1]
    yield Part("decoded", "decoded: from pandas to the state", decoded / count * 1e6)


def _timed(call: Callable[[], T]) -> tuple[T, float]:
    """The processor's time, so that what others do meanwhile does not count."""
    begun = time.process_time()
    found = call()
    return found, time.process_time() - begun


if __name__ == "__main__":
    run(beats, "python -m bench.beats")
