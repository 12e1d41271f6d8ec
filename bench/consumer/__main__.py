"""`make bench NAME=consumer`: what a message costs with our consumer, and with the bare client."""

import gc
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from statistics import median
from typing import Annotated, Final, NamedTuple

import typer
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # stubs

from bench.command import conclude, run
from bench.consumer.fencing import SIDES, cost
from bench.consumer.footprint import FEW, MESSAGES, footprint
from bench.consumer.kafka_python import batched_by_kafka_python, polled_by_kafka_python
from bench.consumer.sides import (
    PARTITIONS,
    TOPIC,
    Loop,
    awaited,
    batched,
    consumed,
    iterated,
    polled,
)
from console import topics
from console.embedded.broker import EmbeddedKafka
from console.output import columns
from console.progress import Progress, Stderr
from console.settings import load

_TEMPORARY: Final = Path(__file__).parents[2] / ".cache" / "tmp"
_SLICE: Final = 20_000
"""Messages of a slice: a tenth of a second of `poll`."""
_WARM: Final = 10_000
"""Messages before the first slice: by then both have fetched ahead."""
_PAUSE_S: Final = 0.1
"""Before a slice: the clients fetch ahead of it. So what is measured is handing out: a client's
queue has room for 100,000 messages, and a slice has 20,000."""

Side = Callable[[str], AbstractContextManager[Loop]]
PAIRS: Final[dict[str, tuple[Side, Side]]] = {
    "iteration, to poll": (polled, iterated),
    "batches(500), to consume(500)": (consumed, batched),
    "async for, to poll": (polled, awaited),
    "kafka-python: batches(500), to its poll(500)": (
        polled_by_kafka_python,
        batched_by_kafka_python,
    ),
}


class Cost(NamedTuple):
    """Of a slice, in microseconds a message."""

    wall: float
    processor: float


def consumer(
    *,
    rounds: Annotated[int, typer.Option(min=4, help="Slices of each side.")] = 20,
) -> None:
    """Read by both sides in turn from one embedded broker: half a minute.

    Examples:
      make bench NAME=consumer
      python -m bench.consumer --rounds 6
      python -m bench.consumer | tail -1 | jq .iteration_to_poll_processor_ratio
    """
    rows, headline = [], dict[str, float | int]()
    progress = Stderr()
    with _kafka(progress, _WARM + rounds * _SLICE) as servers:
        for name, (bare, ours) in PAIRS.items():
            with progress.step(name):
                costs = contest(servers, bare, ours, rounds)
            for clock in Cost._fields:
                ratio = median(getattr(a, clock) / getattr(b, clock) for a, b in costs)
                left, right = (median(getattr(it[at], clock) for it in costs) for at in (0, 1))
                rows.append(_row(name, clock, f"{left:.2f} us", f"{right:.2f} us", ratio))
                title = _title(name)
                headline[f"{title}_{clock}_ratio"] = round(ratio, 3)
        with progress.step("a process at rest"):
            few, many = footprint(servers, "bare"), footprint(servers, "ours")
        with progress.step("fencing"):
            plain, fenced = (cost(servers, it) for it in SIDES)
    for what in few:
        ratio = many[what] / few[what]
        rows.append(_row("a process at rest", what, str(few[what]), str(many[what]), ratio))
        headline[f"{what}_ratio"] = round(ratio, 3)
    for what in plain:
        ratio = fenced[what] / plain[what]
        rows.append(_row("fencing", what, f"{plain[what]:.0f}", f"{fenced[what]:.0f}", ratio))
        headline[f"fencing_{what}_ratio"] = round(ratio, 3)
    conclude(columns(rows, *rows[0]), headline)


def _title(name: str) -> str:
    """The name of a contest, for the headline."""
    words = name.replace("(500)", "").replace("kafka-python:", "kafka_python").split(", ")[0]
    return words.replace(" ", "_")


def _row(what: str, measure: str, bare: str, ours: str, ratio: float) -> dict[str, str]:
    return {"what": what, "measure": measure, "bare": bare, "ours": ours, "ratio": f"{ratio:.2f}"}


def contest(servers: str, bare: Side, ours: Side, rounds: int) -> list[tuple[Cost, Cost]]:
    """Have both sides read slices in turn; the first one changes from round to round."""
    costs = []
    with bare(servers) as left, ours(servers) as right:
        left(_WARM)
        right(_WARM)
        for number in range(rounds):
            first, second = (left, right) if number % 2 else (right, left)
            one, other = _cost(first), _cost(second)
            costs.append((one, other) if number % 2 else (other, one))
    return costs


def _cost(read: Loop) -> Cost:
    time.sleep(_PAUSE_S)
    gc.collect()
    wall, processor = time.perf_counter(), time.process_time()
    read(_SLICE)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    return Cost(wall / _SLICE * 1e6, processor / _SLICE * 1e6)


@contextmanager
def _kafka(progress: Progress, count: int) -> Iterator[str]:
    """A broker with so many messages, and some more: batches may take a few too many."""
    _TEMPORARY.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="consumer-", dir=_TEMPORARY) as home,
        EmbeddedKafka(Path(home), port=0, progress=progress) as kafka,
    ):
        admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers, "log_level": 0})
        wanted = topics.wanted(load(environment={}).settings)
        topics.create(admin, wanted, kafka.bootstrap_servers)
        for topic in (TOPIC, FEW):
            admin.create_topics([NewTopic(topic, PARTITIONS, 1)])[topic].result()
        settings = {"bootstrap.servers": kafka.bootstrap_servers, "linger.ms": 50, "log_level": 0}
        producer = Producer({**settings, "queue.buffering.max.messages": 2 * count})
        for number in range(count + count // 2):
            producer.produce(TOPIC, bytes(100), partition=number % PARTITIONS)
        for number in range(MESSAGES):
            producer.produce(FEW, bytes(100), partition=number % PARTITIONS)
        producer.flush()
        yield kafka.bootstrap_servers


if __name__ == "__main__":
    run(consumer, "python -m bench.consumer")
