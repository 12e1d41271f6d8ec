"""`make chaos MINUTES=30 SEED=7 KIND=rocketmq`: rounds of faults on real members and servers."""

import sys
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import Annotated, Final

import typer

from bench.command import conclude, run
from chaos import report
from chaos.checks import CHECKS, Checks, violations
from chaos.drawing import drawing
from chaos.faults import KAFKA
from chaos.faults import Kind as Fault
from chaos.fleet import MEMBERS
from chaos.history import History
from chaos.installation import Broker, Controller, Installation
from chaos.lines import Lines
from chaos.on_kafka import on_kafka
from chaos.on_rocketmq import checks_by, faults_of, on_rocketmq
from chaos.rocketmq_servers import Servers
from chaos.round import Round, WorkOn, play
from console.embedded.broker import EmbeddedKafka
from console.embedded.ports import choose_ports
from console.errors import ExitCode, Failure
from console.output import columns
from console.progress import Stderr

_KEPT: Final = Path(__file__).parents[1] / ".cache" / "chaos"
_ROUND_S: Final = 120.0
"""Of faults, in a round; to heal and to rest takes about half a minute more."""
_SHOWN: Final = 5
_NOTHING: Final[Mapping[str, object]] = {}


class Kind(StrEnum):
    """What members work on."""

    KAFKA = "kafka"
    ROCKETMQ = "rocketmq"


@dataclass(frozen=True)
class _Place:
    """What rounds are played on."""

    installation: Installation
    work_on: WorkOn
    faults: Callable[[int], Collection[Fault]]
    checks: Callable[[int], Checks]
    """Both by the seed."""


def chaos(
    *,
    minutes: Annotated[float, typer.Option(min=0.5, help="How long; rounds are whole.")] = 30,
    seed: Annotated[int, typer.Option(min=0, help="Of the first round.")] = 1,
    kind: Annotated[Kind, typer.Option(help="What members work on.")] = Kind.KAFKA,
) -> None:
    """Hurt real members, a real Kafka and a real controller, round after round.

    What each round did is kept under .cache/chaos/<seed>: all events, the members' logs, and
    ownership.svg. A round is drawn from its seed: it is repeated by that.

    Examples:
      make chaos MINUTES=30 SEED=7
      make chaos MINUTES=30 SEED=7 KIND=rocketmq      consumers of RocketMQ, and its servers, too
      python -m chaos --minutes 3 --seed 12
    """
    began, failed, all_figures = time.monotonic(), list[int](), list[dict[str, float | int]]()
    seconds = min(_ROUND_S, minutes * 60)
    with ExitStack() as stack:
        place = _KEPT / "installation"
        rmtree(place, ignore_errors=True)
        at = _place(kind, place, stack)
        while not all_figures or time.monotonic() - began + seconds < minutes * 60:
            number = seed + len(all_figures)
            home = _KEPT / str(number)
            rmtree(home, ignore_errors=True)
            with Stderr().step(f"round {number}"):
                it = Round(number, seconds, at.faults(number))
                history = play(it, at.installation, at.work_on, home)
            all_figures.append(report.figures(history))
            if not _tell(it, home, history, at.checks(number)):
                failed.append(number)
    total = {name: sum(it[name] for it in all_figures) for name in all_figures[0]}
    longest = {name: max(it[name] for it in all_figures) for name in total if name.endswith("_s")}
    rounds = [{"rounds": len(all_figures), "failed seeds": failed or "none"}]
    conclude(columns(rounds, *rounds[0]), {**total, **longest, "failed_rounds": len(failed)})
    if failed:
        raise Failure(f"rounds {failed} show what must not be", ExitCode.UNHEALTHY)


def _place(kind: Kind, place: Path, stack: ExitStack) -> _Place:
    if kind is Kind.KAFKA:
        return _Place(_installation(place, stack), on_kafka, lambda _: KAFKA, lambda _: CHECKS)
    with Stderr().step("starting RocketMQ"):
        servers = stack.enter_context(Servers(place / "rocketmq"))
    further = {"routes.name_servers": servers.names}
    installation = _installation(place, stack, further)
    return _Place(installation, partial(on_rocketmq, servers), faults_of, checks_by)


def _installation(
    place: Path, stack: ExitStack, further: Mapping[str, object] = _NOTHING
) -> Installation:
    with Stderr().step("starting Kafka and the controller"):
        lines = stack.enter_context(Lines(choose_ports(2 * (MEMBERS + 1))))
        kafka = EmbeddedKafka(place, port=0, properties=lines.properties)
        broker = Broker(kafka.start(), lines)
        stack.callback(broker.stop)
        servers = lines.servers(MEMBERS)
        controller = Controller(place / "controller", servers, "trimtab.", further)
        stack.callback(controller.kill)
        controller.start()
    return broker, controller


def _tell(it: Round, home: Path, history: History, checks: Checks) -> bool:
    """Print what became of a round, and draw it; tell whether it is good."""
    wrong, missing = violations(history, checks), list(report.too_little(history))
    (home / "ownership.svg").write_text(drawing(f"seed {it.seed}", history))
    rows = report.faults(history, it.kinds)
    sys.stdout.write(f"seed {it.seed}: {report.figures(history)}\n")
    print(columns(rows, *rows[0]))
    print(columns(report.verdicts(wrong, checks), "check", "violations"))
    for text in missing:
        print(f"! there is nothing to judge: {text}")
    for name, those in wrong.items():
        print(f"! {name}: {len(those)}")
        for text in those[:_SHOWN]:
            print(f"  {text}")
    print(f"kept: {home}", flush=True)
    return not wrong and not missing


if __name__ == "__main__":
    run(chaos, "python -m chaos")
