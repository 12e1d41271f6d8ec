"""`make bench NAME=departures`: when a member goes, how long its queues have no owner."""

import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from enum import StrEnum
from itertools import product
from pathlib import Path
from statistics import median
from typing import Annotated, Final

import typer
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # stubs

from bench.command import conclude, run
from bench.departures.fleet import Command, Fleet
from bench.departures.supervised import SUPERVISED
from bench.departures.turns import doubled
from bench.departures.worker import TOPIC
from bench.floor.contender import Contender
from bench.floor.plan import Side
from bench.floor.race import make_topics, settings_of
from bench.floor.samples import percentile_99
from bench.floor.writer import Outlet
from console.embedded.broker import EmbeddedKafka
from console.output import columns
from console.progress import Stderr
from trimtab.protocol import DEFAULT_PARTITIONS

QUEUES: Final = 64
_NAMES: Final = ("a", "b", "c", "d")
_MANY: Final = tuple(f"m{number:02}" for number in range(16))
_ROLLING: Final = "restarted one after another, the controller is frozen"
_PREFIX: Final = "trimtab."
_WAIT_S: Final = 25.0
"""More than a session, after which a controller at work would have ended it."""


class Way(StrEnum):
    """How a member goes."""

    LEAVES = "leaves"
    KILLED = "killed under a guard of its own"
    SUPERVISED = "killed under trimtab-guard"


def departures(
    trials: Annotated[int, typer.Option(min=1, help="Departures of each kind.")] = 8,
) -> None:
    """Have one of four members with 64 queues go, with the controller at work, and frozen: minutes.

    Then each of sixteen is restarted, one after another, while the controller is frozen.

    Examples:
      make bench NAME=departures
      python -m bench.departures --trials 3 | tail -1 | jq .
    """
    with tempfile.TemporaryDirectory() as home, ExitStack() as stack:
        gaps, restart = _measured(Path(home), trials, stack)
    rows = [_row(kind, those) for kind, those in gaps.items()]
    head = {
        f"{kind}, {name}": figure
        for kind, those in gaps.items()
        for name, figure in (("p50_ms", _of(those)[0]), ("p99_ms", _of(those)[1]))
    }
    head |= restart
    conclude(columns(rows, "departure", "queues", "p50 ms", "p99 ms", "most ms", "without"), head)


def _measured(
    home: Path, trials: int, stack: ExitStack
) -> tuple[dict[str, list[float | None]], dict[str, float]]:
    kafka = stack.enter_context(EmbeddedKafka(home / "kafka", port=0))
    outlet = Outlet(Side.TRIMTAB, kafka.bootstrap_servers, _PREFIX, DEFAULT_PARTITIONS)
    make_topics(outlet)
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    admin.create_topics([NewTopic(TOPIC, QUEUES, 1)])[TOPIC].result()
    controller = stack.enter_context(
        Contender(Side.TRIMTAB, home / "controller", settings_of(outlet))
    )
    gaps: dict[str, list[float | None]] = {}
    for supervised, ways in ((False, (Way.LEAVES, Way.KILLED)), (True, (Way.SUPERVISED,))):
        started = _started(kafka.bootstrap_servers, "guard", supervised=supervised)
        with Fleet(QUEUES, started) as fleet:
            fleet.start(*_NAMES)
            fleet.rest()
            for way, frozen in product(ways, (False, True)):
                kind = f"{way}, the controller {'is frozen' if frozen else 'works'}"
                with Stderr().step(kind):
                    gaps[kind] = [
                        gap
                        for trial in range(trials)
                        for gap in _trial(
                            fleet, controller, _NAMES[trial % len(_NAMES)], way, frozen
                        )
                    ]
    started = _started(kafka.bootstrap_servers, "alone", supervised=False)
    with Fleet(QUEUES, started) as fleet, Stderr().step(_ROLLING):
        fleet.start(*_MANY)
        gaps[_ROLLING], restart = _restarted(fleet, controller)
    return gaps, restart


def _started(servers: str, guard: str, *, supervised: bool) -> Command:
    """How members are started."""
    before = SUPERVISED if supervised else ()
    command = [*before, sys.executable, "-m", "bench.departures.worker", servers, _PREFIX]
    return lambda name: [*command, name, guard]


def _restarted(fleet: Fleet, controller: Contender) -> tuple[list[float | None], dict[str, float]]:
    """Restart each member; return for each queue its longest time without an owner, and the rest.

    Then the controller is back: how many queues it moves, and how many it has to for evenness.
    """
    fleet.rest()
    controller.freeze()
    first, worst = time.time_ns(), dict[int, float](dict.fromkeys(range(QUEUES), 0.0))
    lost = set[int]()
    for name in _MANY:
        began = time.time_ns()
        queues = fleet.leave(name)
        taken = {it.queue: it.at for it in fleet.wait_for(queues, began, _WAIT_S)}
        ends = fleet.ended(name, began)
        lost |= queues - taken.keys()
        for queue in queues & taken.keys():
            worst[queue] = max(worst[queue], (taken[queue] - ends[queue]) / 1e6)
        fleet.again(name)
        fleet.show(name)
    before, twice = fleet.owners(), doubled(fleet.turns, first)
    controller.thaw()
    fleet.rest()
    after = fleet.owners()
    loads = Counter(name for those in before.values() for name in those)
    gaps = [None if it in lost else worst[it] for it in range(QUEUES)]
    return gaps, {
        f"{_ROLLING}, owned twice": twice,
        f"{_ROLLING}, moves then": sum(before[it] != after[it] for it in before),
        f"{_ROLLING}, moves for evenness": sum(
            max(0, load - QUEUES // len(_MANY)) for load in loads.values()
        ),
    }


def _trial(
    fleet: Fleet,
    controller: Contender,
    name: str,
    way: Way,
    frozen: bool,  # noqa: FBT001 - as above
) -> list[float | None]:
    """Have one member go and come again; return for each of its queues how long it had no owner."""
    if frozen:
        controller.freeze()
    began = time.time_ns()
    if way is Way.LEAVES:
        queues = fleet.leave(name)
        begun = fleet.wait_for(queues, began, _WAIT_S)
        ends = fleet.ended(name, began)
    else:
        killed, queues = fleet.kill(name)
        begun = fleet.wait_for(queues, began, _WAIT_S)
        ends = dict.fromkeys(queues, killed)
    if frozen:
        controller.thaw()
    fleet.again(name)
    fleet.rest()
    taken = {it.queue: it.at for it in begun}
    return [(taken[it] - ends[it]) / 1e6 if it in taken else None for it in sorted(queues)]


def _of(gaps: list[float | None]) -> tuple[float, float, float]:
    known = [it for it in gaps if it is not None] or [float("nan")]
    p99 = percentile_99(known) if len(known) > 1 else known[0]
    return round(median(known), 1), round(p99, 1), round(max(known), 1)


def _row(kind: str, gaps: list[float | None]) -> dict[str, object]:
    p50, p99, most = _of(gaps)
    return {
        "departure": kind,
        "queues": len(gaps),
        "p50 ms": p50,
        "p99 ms": p99,
        "most ms": most,
        "without": gaps.count(None),
    }


if __name__ == "__main__":
    run(departures, "python -m bench.departures")
