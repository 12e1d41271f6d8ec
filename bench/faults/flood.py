"""The flood: everybody reports each second to a real controller, on a real Kafka and a real Spark.

Reports are spread evenly over their second. Meanwhile an operator gives one command after the other
about a broker that nobody reports; a command is folded in the same cell, behind all reports that
were read with it, so its answer is late by as much as the controller is. In the middle one broker
fails, and the log tells how long its verdict took.

Called by the command. Its one rule: reports are sent on time, whatever becomes of them; whoever
falls behind is not waited for.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from threading import Event, Thread
from typing import Final, NamedTuple

from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition

from bench import processor
from bench.faults.traffic import CLUSTER, Load, window
from bench.floor.contender import Contender
from bench.floor.line import Line
from bench.floor.plan import Side
from bench.floor.race import make_topics, settings_of
from bench.floor.writer import Outlet
from bench.populations import BadBroker
from console.embedded.broker import EmbeddedKafka
from console.errors import Failure
from console.progress import Progress
from trimtab.protocol import BROKERS, DEFAULT_PARTITIONS, LATENCY, broker_key, decode, partition_of

_SLICES: Final = 20
_WARM_UP: Final = 6
"""Orders before the flood: Java compiles what has run often enough."""
_LATEST_S: Final = 0.2
"""How late the flood itself may be; beyond this the machine, not the controller, is too slow."""


class Timed(NamedTuple):
    """A command during the flood, and how long its answer took."""

    second: float
    milliseconds: float


class Flooded(NamedTuple):
    """What a flood was like."""

    commands: list[Timed]
    found_after_s: float
    """From the first report of the failure to the verdict, both as the broker stamped them."""
    cores: float
    """What the controller used: Java, its Python, and its feeds."""


def flood(load: Load, directory: Path, progress: Progress) -> Flooded:
    """Flood a controller.

    Raises:
        Failure: Something did not start or did not answer, or the machine is too slow to flood it.
    """
    with ExitStack() as running:
        kafka = running.enter_context(EmbeddedKafka(directory, port=0, progress=progress))
        outlet = Outlet(Side.TRIMTAB, kafka.bootstrap_servers, "flood.", DEFAULT_PARTITIONS)
        make_topics(outlet)
        controller = Contender(Side.TRIMTAB, directory / "trimtab", settings_of(outlet))
        running.enter_context(controller)
        line, numbers = Line(outlet, controller.check), count(1)
        with progress.step("starting the controller"):
            for _ in range(_WARM_UP):
                list(_commands(line, next(numbers)))
        with progress.step(f"{load.reporters} reporters, for {load.seconds} s"):
            before, begun = processor.seconds(controller.pid), time.monotonic()
            commands = []
            with _flooding(load, outlet) as over:
                while not over.is_set():
                    commands += [
                        Timed(time.monotonic() - begun, milliseconds)
                        for milliseconds in _commands(line, next(numbers))
                    ]
            used = processor.seconds(controller.pid) - before
            cores = used / (time.monotonic() - begun)
        return Flooded(commands, _found_after_s(outlet), cores)


def _commands(line: Line, number: int) -> Iterator[float]:
    """Put a broker in and remove it; yields how long each answer took."""
    for command in (BadBroker(number).is_restored(), BadBroker(number).is_forgotten()):
        yield line.ask(command).milliseconds
        time.sleep(0.1)


@contextmanager
def _flooding(load: Load, outlet: Outlet) -> Iterator[Event]:
    over, failures = Event(), list[Exception]()
    thread = Thread(target=_pour, args=(load, outlet, over, failures), daemon=True)
    thread.start()
    try:
        yield over
    finally:
        thread.join()
    for failure in failures:
        raise failure


def _pour(load: Load, outlet: Outlet, over: Event, failures: list[Exception]) -> None:
    try:
        _send(load, outlet)
    except Exception as failure:  # noqa: BLE001 - raised again where it can be seen
        failures.append(failure)
    finally:
        over.set()


def _send(load: Load, outlet: Outlet) -> None:
    producer = Producer({"bootstrap.servers": outlet.servers, "linger.ms": 5, "log_level": 2})
    topic, partition = f"{outlet.prefix}{LATENCY.name}", partition_of(CLUSTER, outlet.partitions)
    due = time.monotonic()
    for second in range(load.seconds):
        for part in range(_SLICES):
            for reporter in range(part, load.reporters, _SLICES):
                producer.produce(topic, window(load, second, reporter), CLUSTER, partition)
            producer.poll(0)
            due += 1 / _SLICES
            time.sleep(max(0.0, due - time.monotonic()))
        if time.monotonic() - due > _LATEST_S:
            raise Failure("this machine is too slow to send so many reports")
    if producer.flush(10):
        raise Failure("Kafka does not take so many reports")


def _found_after_s(outlet: Outlet) -> float:
    """Read in the log when the failure was reported first, and when it was judged."""
    key = broker_key(CLUSTER.decode(), "broker-000")
    reported = judged = None
    ear = Consumer({"bootstrap.servers": outlet.servers, "group.id": "bench", "log_level": 2})
    partition = partition_of(CLUSTER, outlet.partitions)
    ear.assign(
        [
            TopicPartition(f"{outlet.prefix}{topic.name}", partition, OFFSET_BEGINNING)
            for topic in (LATENCY, BROKERS)
        ]
    )
    while reported is None or judged is None:
        message = ear.poll(10)
        if message is None:
            raise Failure("the failing broker was never judged")
        value, (_, at) = message.value() or b"", message.timestamp()
        if message.key() == key and value and not decode(BROKERS, value).available:
            judged = at if judged is None else judged
        elif message.key() == CLUSTER and b'"errors":100' in value:
            reported = at if reported is None else reported
    ear.close()
    return (judged - reported) / 1000
