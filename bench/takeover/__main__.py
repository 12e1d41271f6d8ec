"""`make bench NAME=takeover`: kill the active controller, and see how soon its standby works."""

import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Annotated, Final

import typer

from bench.command import conclude, run
from bench.takeover.pair import Controller
from console.embedded.broker import EmbeddedKafka
from console.output import columns, write

GOAL_S: Final = 3.0


def measure(
    *,
    times: Annotated[int, typer.Option(min=1, help="How often one is killed.")] = 10,
    rest: Annotated[float, typer.Option(help="How long a standby rests first, in s.")] = 15.0,
) -> None:
    """Measure how long nobody decides when the active controller is killed.

    Examples:
      make bench NAME=takeover
      python -m bench.takeover --times 3
    """
    took: list[float] = []
    with (
        tempfile.TemporaryDirectory(prefix="trimtab-") as folder,
        EmbeddedKafka(Path(folder) / "kafka", port=0) as kafka,
        Controller(Path(folder) / "a", kafka.bootstrap_servers) as a,
        Controller(Path(folder) / "b", kafka.bootstrap_servers) as b,
    ):
        active, standby = a, b
        active.start()
        active.until(active.is_at_work)
        for _ in range(times):
            standby.start()
            standby.until(standby.is_ready)
            time.sleep(rest)
            begun = time.monotonic()
            active.kill()
            standby.until(standby.is_at_work)
            took.append(time.monotonic() - begun)
            write(f"{took[-1]:.2f} s")
            active, standby = standby, active
    figures = {"p50_s": round(median(took), 2), "longest_s": round(max(took), 2)}
    conclude(columns([{**figures, "goal_p50_s": GOAL_S}], *figures, "goal_p50_s"), figures)


if __name__ == "__main__":
    run(measure, "python -m bench.takeover")
