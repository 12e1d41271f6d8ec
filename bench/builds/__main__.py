"""`python -m bench.builds --before PATH`: what joins and leaves cost, beside an earlier build."""

import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from statistics import median
from time import sleep, time_ns
from typing import Annotated, Final

import typer
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # stubs

from bench.command import conclude, run
from bench.departures import worker
from bench.departures.fleet import Fleet
from bench.floor.contender import Contender
from bench.floor.plan import Side
from bench.floor.race import make_topics, settings_of
from bench.floor.writer import Outlet
from bench.handover.measures import Cost, cost
from console.embedded.broker import EmbeddedKafka
from console.errors import Failure
from console.output import columns
from console.progress import Stderr
from streaming.process.readiness import read
from trimtab.protocol import DEFAULT_PARTITIONS

_QUEUES: Final = 64
_NAMES: Final = ("a", "b", "c")
_NEWCOMER: Final = "x"
_POLL_S: Final = 0.1
_UNKNOWN: Final = "controller.http_port="
"""An earlier build may not have this setting."""
_HERE: Final = Path(__file__).parents[2]


class Change(StrEnum):
    """What is measured: one of four members comes, goes in good order, and dies without a guard."""

    JOIN = "join"
    DRAIN = "drain"
    KILL = "kill"


class Build:
    """One build's controller and members, while the block lasts."""

    def __init__(
        self, name: str, checkout: Path, servers: str, home: Path, stack: ExitStack
    ) -> None:
        self.name, self.costs = name, defaultdict[Change, list[Cost]](list)
        python, prefix = checkout / ".venv" / "bin" / "python", f"{name}."
        if not python.exists():
            raise Failure(f"{checkout} is not set up: run `make setup` there")
        outlet = Outlet(Side.TRIMTAB, servers, prefix, DEFAULT_PARTITIONS)
        make_topics(outlet)
        known = [
            it for it in settings_of(outlet) if checkout == _HERE or not it.startswith(_UNKNOWN)
        ]
        self._home = home
        self._controller = stack.enter_context(Contender(Side.TRIMTAB, home, known, str(python)))
        member = [str(python), worker.__file__, servers, prefix]
        self.fleet = stack.enter_context(Fleet(_QUEUES, lambda it: [*member, it, "alone"]))

    def begin(self) -> None:
        """Wait for the controller, and have the members share out the queues."""
        while read(self._home) is None:
            self._controller.check()
            sleep(_POLL_S)
        self.fleet.start(*_NAMES)
        self.fleet.rest()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Have it work; it is frozen while it is the other's turn."""
        self._controller.thaw()
        yield
        self._controller.freeze()

    def play(self) -> None:
        """Have one come, leave, come again and die."""
        for gone in (Change.DRAIN, Change.KILL):
            self.fleet.prepare(_NEWCOMER)
            sleep(1.0)  # it imports everything
            began = time_ns()
            self.fleet.join(_NEWCOMER)
            self._note(Change.JOIN, began)
            began = time_ns()
            if gone is Change.DRAIN:
                self.fleet.leave(_NEWCOMER)
            else:
                began, _ = self.fleet.kill(_NEWCOMER)
            self._note(gone, began)

    def _note(self, change: Change, began: int) -> None:
        self.fleet.rest()
        turns = self.fleet.turns
        self.costs[change].append(cost(turns, (), began, _QUEUES, rested=True))


def builds(
    before: Annotated[Path, typer.Option(help="The checkout of the earlier build, set up.")],
    repeats: Annotated[int, typer.Option(min=1, help="Turns of each.")] = 5,
) -> None:
    """Measure a join, a drain and an unguarded death with two builds that take turns.

    Examples:
      python -m bench.builds --before ../trimtab-before
    """
    with tempfile.TemporaryDirectory() as home, ExitStack() as stack:
        kafka = stack.enter_context(EmbeddedKafka(Path(home) / "kafka", port=0))
        servers = kafka.bootstrap_servers
        admin = AdminClient({"bootstrap.servers": servers})
        admin.create_topics([NewTopic(worker.TOPIC, _QUEUES, 1)])[worker.TOPIC].result()
        both = []
        for name, checkout in (("before", before.absolute()), ("now", _HERE)):
            with Stderr().step(f"{name}: starting"):
                build = Build(name, checkout, servers, Path(home) / name, stack)
                build.begin()
                both.append(build)
            with build.turn():
                pass
        for number in range(repeats):
            for build in both if number % 2 == 0 else reversed(both):
                with Stderr().step(f"turn {number + 1} of {repeats}: {build.name}"), build.turn():
                    build.play()
    rows = [_row(change, build) for change in Change for build in both]
    figures = {
        f"{row['change']}_{row['build']}_{key}": float(str(row[key]))
        for row in rows
        for key in ("stable_p50_s", "stable_most_s", "unowned_qs")
    }
    conclude(columns(rows, *rows[0]), figures)


def _row(change: Change, build: Build) -> dict[str, object]:
    costs = build.costs[change]
    stable = [it.stable_s for it in costs]
    return {
        "change": str(change),
        "build": build.name,
        "runs": len(costs),
        "stable_p50_s": round(median(stable), 3),
        "stable_most_s": round(max(stable), 3),
        "unowned_qs": round(median(it.unowned_s for it in costs), 3),
        "doubled_qs": round(max(it.doubled_s for it in costs), 3),
        "changes": median(it.changes for it in costs),
    }


if __name__ == "__main__":
    run(builds, "python -m bench.builds")
