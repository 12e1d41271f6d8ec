"""`make bench NAME=fold`: what one beat costs inside the state function."""

import time
from timeit import Timer
from typing import Final

from bench.command import conclude, run
from bench.fold.parts import Part, parts
from console.output import columns
from console.progress import Stderr

_REPEATS: Final = 5
"""The fastest of five counts: noise only ever makes things slower."""


def fold() -> None:
    """Time the parts of a fold in this process, without Spark: half a minute.

    Examples:
      make bench NAME=fold
      python -m bench.fold | tail -1 | jq .fold_50_ratio
    """
    with Stderr().step("timing the parts of a fold"):
        timed = {part: _seconds(part) for part in parts()}
    yardstick = next(seconds for part, seconds in timed.items() if part.name == "parse")
    rows = [
        {
            "what": part.title,
            "per": part.per,
            "ratio": f"{seconds / yardstick:,.1f}",
            "time": f"{seconds * 1e6:,.1f} us",
        }
        for part, seconds in timed.items()
    ]
    ratios = {f"{part.name}_ratio": round(s / yardstick, 2) for part, s in timed.items()}
    conclude(columns(rows, *rows[0]), ratios | {"parse_us": round(yardstick * 1e6, 2)})


def _seconds(part: Part) -> float:
    """The time of one thing: the processor's, so that what others do meanwhile does not count."""
    timer = Timer(part.call, timer=time.process_time)
    number, _ = timer.autorange()
    return min(timer.repeat(_REPEATS, number)) / number / part.times


if __name__ == "__main__":
    run(fold, "python -m bench.fold")
