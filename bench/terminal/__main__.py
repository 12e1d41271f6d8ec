"""`make bench NAME=terminal`: what a person waits for with ten thousand groups."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Annotated, Final, NamedTuple

import typer
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from bench.command import conclude, run
from bench.terminal.company import company
from console import topics
from console.embedded.broker import EmbeddedKafka
from console.errors import ExitCode, Failure
from console.output import columns
from console.progress import Progress, Stderr
from console.settings import load
from trimtab.protocol import encode, partition_of

_TEMPORARY: Final = Path(".cache/bench")
_GROUP: Final = "group-00000"
QUESTIONS: Final = (
    "--help",
    "groups list",
    "groups list --state starved",
    "groups list -o json",
    f"groups describe {_GROUP}",
    f"groups explain {_GROUP} orders-0",
    f"groups history {_GROUP} --since 2020-01-01",
    f"queues list {_GROUP}",
    f"members list {_GROUP}",
    "doctor",
    "top --once",
)
_FOUND: Final = {ExitCode.OK, ExitCode.UNHEALTHY}
"""The doctor finds that no controller is there."""


def terminal(
    groups: Annotated[int, typer.Option(min=1, help="Groups of four members.")] = 10_000,
    rounds: Annotated[int, typer.Option(min=1, help="How often each question is asked.")] = 5,
) -> None:
    """Ask a Kafka with many groups each question, as a person does: two minutes.

    Examples:
      make bench NAME=terminal
      python -m bench.terminal --groups 100 --rounds 1 | tail -1
    """
    progress = Stderr()
    asking = f"{len(QUESTIONS)} questions, {rounds} times"
    with _kafka(progress, groups) as servers, progress.step(asking):
        figures = {it: [_answer(servers, it) for _ in range(rounds)] for it in QUESTIONS}
    rows = [
        {
            "command": f"trimtab {it}",
            "median": f"{median(took.wall_s for took in answers):.2f} s",
            "worst": f"{max(took.wall_s for took in answers):.2f} s",
            "processor": f"{min(took.processor_s for took in answers):.2f} s",
        }
        for it, answers in figures.items()
    ]
    result = {it: round(median(took.wall_s for took in them), 3) for it, them in figures.items()}
    conclude(columns(rows, *rows[0]), result)


class Took(NamedTuple):
    """What one command took."""

    wall_s: float
    """From its start to its end."""
    processor_s: float
    """Says on a busy machine what the command itself costs."""


def _answer(servers: str, question: str) -> Took:
    """Ask once."""
    begun, worked = time.perf_counter(), _processor_s()
    done = subprocess.run(
        [sys.executable, "-m", "console.main", *question.split()],
        env={**os.environ, "TRIMTAB_KAFKA__BOOTSTRAP_SERVERS": servers},
        capture_output=True,
        text=True,
        check=False,
    )
    took = Took(time.perf_counter() - begun, _processor_s() - worked)
    if done.returncode not in _FOUND:
        raise Failure(f"trimtab {question} ended with {done.returncode}: {done.stderr}")
    return took


def _processor_s() -> float:
    """Return what processes have used that we have started and that have ended: not Kafka."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def _kafka(progress: Progress, groups: int) -> Iterator[str]:
    """A broker with all that a controller has published of so many groups."""
    _TEMPORARY.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="terminal-", dir=_TEMPORARY) as home,
        EmbeddedKafka(Path(home), port=0, progress=progress) as kafka,
    ):
        settings = load(environment={}).settings
        admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers, "log_level": 0})
        topics.create(admin, topics.wanted(settings), kafka.bootstrap_servers)
        with progress.step(f"{groups} groups"):
            producer = Producer(
                {
                    "bootstrap.servers": kafka.bootstrap_servers,
                    "queue.buffering.max.messages": 0,
                    "linger.ms": 50,
                    "log_level": 0,
                }
            )
            for topic, group, key, record in company(groups):
                place = partition_of(group, settings.topics.partitions)
                name = f"{settings.topics.prefix}{topic.name}"
                producer.produce(name, encode(record), key, place)
            producer.flush()
        yield kafka.bootstrap_servers


if __name__ == "__main__":
    run(terminal, "python -m bench.terminal")
