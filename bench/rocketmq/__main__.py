"""`make bench NAME=rocketmq`: hand-overs of RocketMQ's consumers, with and without our line."""

import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from itertools import product
from pathlib import Path
from statistics import median
from typing import Annotated, Final

import typer

from bench.command import conclude, run
from bench.floor.contender import Contender
from bench.floor.plan import Side as Pipeline
from bench.floor.race import make_topics, settings_of
from bench.floor.writer import Outlet
from bench.handover.measures import Cost
from bench.rocketmq.cases import ALONE, Case, Place, Side, play
from bench.rocketmq.programs import Servers
from console.embedded.broker import EmbeddedKafka
from console.output import columns
from console.progress import Stderr
from streaming.process.readiness import read
from trimtab.protocol import DEFAULT_PARTITIONS

_PREFIX: Final = "trimtab."
_POLL_S: Final = 0.1
_SIDES: Final = (Side.TRIMTAB, Side.ROCKETMQ, Side.TUNED)
Found = Mapping[tuple[Side, int, Case], Sequence[Cost]]


def rocketmq(
    *,
    side: Annotated[
        list[Side] | None, typer.Option(help="Who; all but guarded, if not said.")
    ] = None,
    case: Annotated[list[Case] | None, typer.Option(help="What; all of it if not said.")] = None,
    members: Annotated[list[int] | None, typer.Option(min=2, help="4 if not said.")] = None,
    queues: Annotated[int, typer.Option(min=2, help="On two brokers.")] = 64,
    repeats: Annotated[int, typer.Option(min=1, help="Of joins, leaves and kills.")] = 3,
) -> None:
    """Measure hand-overs of RocketMQ's push consumers, on brokers of their own; 20 minutes.

    Examples:
      make bench NAME=rocketmq
      python -m bench.rocketmq --members 4 --members 16 --case join --case leave
      python -m bench.rocketmq --side guarded --case kill --case orderly-kill
      python -m bench.rocketmq --repeats 1 --side trimtab --case join        does it work?
    """
    found: dict[tuple[Side, int, Case], list[Cost]] = {}
    with tempfile.TemporaryDirectory() as home, _place(Path(home), queues) as (at, controller):
        for size, who in product(members or (4,), side or _SIDES):
            there = _asleep(controller) if who in ALONE else nullcontext()
            with Stderr().step(f"{who}, {size} consumers"), there:
                costs = play(at, who, size, case or list(Case), repeats, f"{who}-{size}")
            rows = {(who, size, what): those for what, those in costs.items()}
            found |= rows
            sys.stderr.write(f"{_table(rows)}\n")  # if the rest never comes
    conclude(_table(found), _headline(found))


@contextmanager
def _place(home: Path, queues: int) -> Iterator[tuple[Place, Contender]]:
    """A Kafka with a controller, and a RocketMQ whose name server it asks."""
    with (
        EmbeddedKafka(home / "kafka", port=0) as kafka,
        Servers(home / "rocketmq") as servers,
    ):
        outlet = Outlet(Pipeline.TRIMTAB, kafka.bootstrap_servers, _PREFIX, DEFAULT_PARTITIONS)
        make_topics(outlet)
        settings = [*settings_of(outlet), f"routes.name_servers={servers.names}"]
        with Contender(Pipeline.TRIMTAB, home / "controller", settings) as controller:
            while read(home / "controller") is None:
                controller.check()
                time.sleep(_POLL_S)
            yield Place(home, servers, kafka.bootstrap_servers, _PREFIX, queues), controller


@contextmanager
def _asleep(controller: Contender) -> Iterator[None]:
    """Leave all cores to consumers that do not ask it."""
    controller.freeze()
    try:
        yield
    finally:
        controller.thaw()


def _table(found: Found) -> str:
    """All measures, so that the sides of a case stand below each other."""
    sizes = sorted({members for _, members, _ in found})
    rows = [
        _row(side, members, case, found[side, members, case])
        for members, case, side in product(sizes, Case, Side)
        if (side, members, case) in found
    ]
    return columns(rows, *rows[0])


def _row(side: Side, members: int, case: Case, costs: Sequence[Cost]) -> dict[str, object]:
    stable = sorted(it.stable_s for it in costs)
    return {
        "consumers": members,
        "case": case,
        "side": side,
        "runs": len(costs),
        "stable s": " .. ".join(f"{it:.2f}" for it in (median(stable), *stable[1:][-1:])),
        "unowned q-s": f"{median(it.unowned_s for it in costs):.2f}",
        "doubled q-s": f"{max(it.doubled_s for it in costs):.2f}",
        "changes": f"{median(it.changes for it in costs):g}",
    }


def _headline(found: Found) -> dict[str, float | int]:
    """The figures by name."""
    figures: dict[str, float | int] = {}
    for (side, members, case), costs in found.items():
        title = f"{side}_{members}_{case}".replace("-", "_")
        figures |= {
            f"{title}_stable_p50_s": round(median(it.stable_s for it in costs), 3),
            f"{title}_unowned_s": round(median(it.unowned_s for it in costs), 3),
            f"{title}_doubled_s": round(max(it.doubled_s for it in costs), 3),
            f"{title}_changes": median(it.changes for it in costs),
        }
    return figures


if __name__ == "__main__":
    run(rocketmq, "python -m bench.rocketmq")
