"""`make chaos MINUTES=30 SEED=7`: rounds of faults on real members, a real Kafka and controller."""

import sys
import time
from contextlib import ExitStack
from pathlib import Path
from shutil import rmtree
from typing import Annotated, Final

import typer

from bench.command import conclude, run
from chaos import report
from chaos.checks import violations
from chaos.drawing import drawing
from chaos.fleet import MEMBERS
from chaos.history import History
from chaos.installation import Broker, Controller
from chaos.lines import Lines
from chaos.round import Round, play
from console.embedded.broker import EmbeddedKafka
from console.errors import ExitCode, Failure
from console.output import columns
from console.progress import Stderr

_KEPT: Final = Path(__file__).parents[1] / ".cache" / "chaos"
_ROUND_S: Final = 120.0
"""Of faults, in a round; to heal and to rest takes about half a minute more."""
_SHOWN: Final = 5


def chaos(
    *,
    minutes: Annotated[float, typer.Option(min=0.5, help="How long; rounds are whole.")] = 30,
    seed: Annotated[int, typer.Option(min=0, help="Of the first round.")] = 1,
) -> None:
    """Hurt real members, a real Kafka and a real controller, round after round.

    What each round did is kept under .cache/chaos/<seed>: all events, the members' logs, and
    ownership.svg. A round is drawn from its seed: it is repeated by that.

    Examples:
      make chaos MINUTES=30 SEED=7
      python -m chaos --minutes 3 --seed 12
    """
    began, failed, all_figures = time.monotonic(), list[int](), list[dict[str, float | int]]()
    seconds = min(_ROUND_S, minutes * 60)
    with ExitStack() as stack:
        place = _KEPT / "installation"
        rmtree(place, ignore_errors=True)
        broker, controller = _installation(place, stack)
        while not all_figures or time.monotonic() - began + seconds < minutes * 60:
            number = seed + len(all_figures)
            home = _KEPT / str(number)
            rmtree(home, ignore_errors=True)
            with Stderr().step(f"round {number}"):
                history = play(Round(number, seconds), broker, controller, home)
            all_figures.append(report.figures(history))
            if not _tell(number, home, history):
                failed.append(number)
    total = {name: sum(it[name] for it in all_figures) for name in all_figures[0]}
    longest = {name: max(it[name] for it in all_figures) for name in total if name.endswith("_s")}
    rounds = [{"rounds": len(all_figures), "failed seeds": failed or "none"}]
    conclude(columns(rounds, *rounds[0]), {**total, **longest, "failed_rounds": len(failed)})
    if failed:
        raise Failure(f"rounds {failed} show what must not be", ExitCode.UNHEALTHY)


def _installation(place: Path, stack: ExitStack) -> tuple[Broker, Controller]:
    with Stderr().step("starting Kafka and the controller"):
        lines = stack.enter_context(Lines(MEMBERS + 1))
        kafka = EmbeddedKafka(place, port=0, properties=lines.properties)
        broker = Broker(kafka.start(), lines)
        stack.callback(broker.stop)
        controller = Controller(place / "controller", lines.servers(MEMBERS), "trimtab.")
        stack.callback(controller.kill)
        controller.start()
    return broker, controller


def _tell(number: int, home: Path, history: History) -> bool:
    """Print what became of a round, and draw it; tell whether it is good."""
    wrong = violations(history)
    (home / "ownership.svg").write_text(drawing(f"seed {number}", history))
    rows = report.faults(history)
    sys.stdout.write(f"seed {number}: {report.figures(history)}\n")
    print(columns(rows, "fault", "times", "longest without owner"))
    print(columns(report.verdicts(wrong), "check", "violations"))
    for name, those in wrong.items():
        print(f"! {name}: {len(those)}")
        for it in those[:_SHOWN]:
            print(f"  {it}")
    print(f"kept: {home}", flush=True)
    return not wrong


if __name__ == "__main__":
    run(chaos, "python -m chaos")
