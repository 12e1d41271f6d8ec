"""`make bench NAME=hook`: a request at a broker of RocketMQ with our hook, and at one without."""

import subprocess
import tempfile
from pathlib import Path
from statistics import median, quantiles
from typing import Annotated, Final

import typer

from bench.command import conclude, run
from bench.rocketmq.programs import Servers, java
from console.embedded.broker import EmbeddedKafka
from console.errors import ExitCode, Failure
from console.output import columns
from console.progress import Stderr

_TOPIC: Final = "requests"
_QUEUES: Final = 4
_PATIENCE_S: Final = 600.0


def hook(
    *, rounds: Annotated[int, typer.Option(min=2, help="Each of 2,000 requests a side.")] = 40
) -> None:
    """Measure what the brokers' hook costs other requests: messages that are sent; 3 minutes.

    Both brokers run all the while, and one producer sends to each by turns. The hook follows all
    groups, and is connected to a Kafka.

    Examples:
      make bench NAME=hook
      python -m bench.hook --rounds 4            does it work?
    """
    with tempfile.TemporaryDirectory() as place, Stderr().step(f"{rounds} rounds at two RocketMQs"):
        home = Path(place)
        with (
            EmbeddedKafka(home / "kafka", port=0) as kafka,
            Servers(home / "bare") as bare,
            Servers(home / "hooked", {"kafka": kafka.bootstrap_servers, "groups": "*"}) as hooked,
        ):
            for servers in (bare, hooked):
                servers.make(_TOPIC, _QUEUES)
            told = [bare.names, hooked.names, _TOPIC, str(rounds)]
            found = _played(java(home, "HookCost", *told), rounds)
    low, middle, high = quantiles((with_it / without for without, with_it in found), n=4)
    figures = {
        "bare_us": round(median(without for without, _ in found), 1),
        "hooked_us": round(median(with_it for _, with_it in found), 1),
        "ratio_p50": round(middle, 3),
        "ratio_p25": round(low, 3),
        "ratio_p75": round(high, 3),
    }
    row = {name.replace("_", " "): value for name, value in figures.items()}
    conclude(columns([row], *row), figures)


def _played(command: list[str], rounds: int) -> list[tuple[float, float]]:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE_S)
    pairs = [line.split() for line in done.stdout.splitlines()]
    found = [(float(pair[0]), float(pair[1])) for pair in pairs if len(pair) == 2]  # noqa: PLR2004 - one a side
    if done.returncode != 0 or len(found) != rounds:
        raise Failure("the producer did not finish", ExitCode.UNHEALTHY, details=done.stderr)
    return found


if __name__ == "__main__":
    run(hook, "python -m bench.hook")
