"""`make bench NAME=handover`: what joins, leaves, deaths and restarts cost, beside Kafka's own."""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Final

import typer
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # stubs

from bench.command import conclude, run
from bench.floor.contender import Contender
from bench.floor.plan import Side as Pipeline
from bench.floor.race import make_topics, settings_of
from bench.floor.writer import Outlet
from bench.handover.cases import RESTARTS, Case, Place, play, warm_up
from bench.handover.measures import Cost
from bench.handover.report import headline, table
from bench.handover.sides import BROKER, Side
from bench.handover.traffic import Traffic
from console.embedded.broker import EmbeddedKafka
from console.progress import Stderr
from streaming.process.readiness import read
from trimtab.protocol import DEFAULT_PARTITIONS

_TOPIC: Final = "orders"
_PREFIX: Final = "trimtab."
_POLL_S: Final = 0.1
_SURGE: Final = "policy.on_twin_instance=hand-over"
"""What a surge needs; all else of the controller is at its default."""

Turn = Callable[[Side], AbstractContextManager[None]]
"""In this block it is a side's turn."""


def handover(
    *,
    side: Annotated[list[Side] | None, typer.Option(help="Who; all of them if not said.")] = None,
    case: Annotated[list[Case] | None, typer.Option(help="What; all of it if not said.")] = None,
    members: Annotated[list[int] | None, typer.Option(min=2, help="4 and 16 if not said.")] = None,
    queues: Annotated[int, typer.Option(min=2, help="Queues of the topic.")] = 64,
    repeats: Annotated[int, typer.Option(min=1, help="Of each case but restarts.")] = 3,
    warm_ups: Annotated[int, typer.Option(min=0, help="Joins and leaves before all of it.")] = 15,
) -> None:
    """Measure hand-overs of real members, side by side on one broker: an hour with all of it.

    Examples:
      make bench NAME=handover
      python -m bench.handover --members 4 --case join --case leave --repeats 20
      python -m bench.handover --members 4 --repeats 1 --warm-ups 0 --side trimtab --case join
    """
    found: dict[tuple[Side, int, Case], list[Cost]] = {}
    sides, cases = side or list(Side), case or list(Case)
    with tempfile.TemporaryDirectory() as home, _place(Path(home), sides, queues) as (at, turn):
        for who in sides:
            with Stderr().step(f"{who}, warming up"), turn(who):
                warm_up(at, who, warm_ups)
        for size, (who, times, what) in product(members or (4, 16), _turns(sides, repeats, cases)):
            with Stderr().step(f"{who}, {size} members"), turn(who):
                costs = play(at, who, size, what, times, f"{who}-{size}-{len(found)}")
            for one, those in costs.items():
                found[who, size, one] = found.get((who, size, one), []) + those
            rows = {(who, size, one): found[who, size, one] for one in costs}
            sys.stderr.write(f"{table(rows)}\n")  # if the rest never comes
    conclude(table(found), headline(found))


def _turns(
    sides: Sequence[Side], repeats: int, cases: Sequence[Case]
) -> Iterator[tuple[Side, int, Sequence[Case]]]:
    """Say who plays how often: half of it, and the rest in reverse order, for machines drift.

    Restarts are played once.
    """
    rest = repeats // 2
    for who in sides:
        yield who, repeats - rest, cases
    changes = [it for it in cases if it not in RESTARTS]
    if rest and changes:
        for who in reversed(sides):
            yield who, rest, changes


@contextmanager
def _place(home: Path, sides: Sequence[Side], queues: int) -> Iterator[tuple[Place, Turn]]:
    """A broker, and a controller that runs while it is its side's turn."""
    with EmbeddedKafka(home / "kafka", port=0, properties=BROKER) as kafka:
        servers = kafka.bootstrap_servers
        admin = AdminClient({"bootstrap.servers": servers, "log_level": 0})
        admin.create_topics([NewTopic(_TOPIC, queues, 1)])[_TOPIC].result()
        with Traffic(servers, _TOPIC, queues) as traffic:
            at = Place(servers, _PREFIX, _TOPIC, traffic, queues)
            if Side.TRIMTAB not in sides:
                yield at, lambda _: nullcontext()
                return
            outlet = Outlet(Pipeline.TRIMTAB, servers, _PREFIX, DEFAULT_PARTITIONS)
            make_topics(outlet)
            settings = [*settings_of(outlet), _SURGE]
            with Contender(Pipeline.TRIMTAB, home / "controller", settings) as controller:
                while read(home / "controller") is None:
                    controller.check()
                    time.sleep(_POLL_S)
                alone = partial(_frozen, controller)
                ours = replace(at, frozen=alone)
                yield ours, lambda who: nullcontext() if who is Side.TRIMTAB else alone()


@contextmanager
def _frozen(controller: Contender) -> Iterator[None]:
    """Have it stand still; while it is another side's turn, that has all cores."""
    controller.freeze()
    try:
        yield
    finally:
        controller.thaw()


if __name__ == "__main__":
    run(handover, "python -m bench.handover")
