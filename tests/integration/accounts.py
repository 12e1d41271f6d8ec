"""Accounts of what was worked on: numbered messages go in, and effects are counted.

    account = Account(servers, topic, home)
    worker = account.worker(arguments("a"), style="each")
    account.produce(100)
    account.wait_until(lambda: not account.lost)

A worker is a process with a consumer, as an application would be: run as
`python -m tests.integration.accounts`. Its effects are lines in a file, written before it comes
back for the next message. Nothing that was produced may be without an effect.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from confluent_kafka import Message, Producer

from trimtab import AsyncConsumer, Consumer

Style = Literal["each", "asyncio", "collect", "fail", "hold"]

PATIENCE_S = 60.0
COLLECTED = 500
"""Messages that the style "collect" writes at once."""
FATAL = b"fatal"
"""The message that the style "fail" cannot handle."""


class Account:
    """What was produced into one topic, and what became of it."""

    def __init__(self, servers: str, topic: str, home: Path) -> None:
        self.effects_file = home / "effects"
        self.effects_file.touch()
        self._hold_file = home / "effects.hold"
        self.servers, self.topic = servers, topic
        self.produced = 0
        self._producer = Producer({"bootstrap.servers": servers, "log_level": 2})

    def produce(self, count: int) -> set[int]:
        """Write the next numbers, to each partition in turn, and return them."""
        numbers = range(self.produced, self.produced + count)
        for number in numbers:
            value = str(number).encode()
            self._producer.produce(self.topic, value=value, partition=number % 8)
        self.produced += count
        assert self._producer.flush(PATIENCE_S) == 0
        return set(numbers)

    def hold(self) -> None:
        """Have workers of the style "hold" keep what they have in hand."""
        self._hold_file.touch()

    def go_on(self) -> None:
        """Have them come back for the next message."""
        self._hold_file.unlink()

    def close(self) -> None:
        """Produce nothing more."""
        self._producer.close()

    @property
    def effects(self) -> list[tuple[int, int, int, str]]:
        """Partition, offset, number and worker of each effect."""
        rows = [line.split() for line in self.effects_file.read_text().splitlines()]
        return [(int(at), int(offset), int(number), by) for at, offset, number, by in rows]

    @property
    def lost(self) -> set[int]:
        """The numbers that have had no effect."""
        return set(range(self.produced)) - {number for _, _, number, _ in self.effects}

    @property
    def twice(self) -> set[int]:
        """The numbers that have had more than one."""
        count = Counter(number for _, _, number, _ in self.effects)
        return {number for number, times in count.items() if times > 1}

    def begun(self) -> set[int]:
        """The partitions of which something has had an effect."""
        return {at for at, *_ in self.effects}

    def workers(self) -> set[str]:
        """Who has had an effect."""
        return {by for _, _, _, by in self.effects}

    def wait_until(self, condition: Callable[[], object], meanwhile: int = 0) -> None:
        """Wait, and produce so many numbers now and then."""
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline, f"{len(self.lost)} of {self.produced} are lost"
            self.produce(meanwhile)
            time.sleep(0.05)

    @contextmanager
    def worker(
        self, member: dict[str, object], style: Style, **options: object
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Run a worker, which does not outlive the block."""
        told = {
            "member": member,
            "style": style,
            "options": {"commit_interval": "100ms", "kafka": {"log_level": 2}, **options},
            "effects": str(self.effects_file),
        }
        command = [sys.executable, "-m", "tests.integration.accounts", json.dumps(told)]
        with subprocess.Popen(command) as process:
            try:
                yield process
            finally:
                process.kill()


def ends(process: subprocess.Popen[bytes]) -> int:
    """Tell a worker to leave, and return its exit code."""
    process.send_signal(signal.SIGTERM)
    return process.wait(PATIENCE_S)


class Worker:
    """Has effects."""

    def __init__(self, effects: str, name: str, style: Style) -> None:
        self._file = os.open(effects, os.O_APPEND | os.O_WRONLY)
        self._hold_file = Path(f"{effects}.hold")
        self._name = name
        self._style = style

    def have_effect(self, *messages: Message) -> None:
        """Write a line for each, at once."""
        values = [message.value() or b"" for message in messages]
        if self._style == "fail" and FATAL in values:
            raise RuntimeError("this one cannot be handled")
        rows = [
            f"{it.partition()} {it.offset()} {value.decode()} {self._name}\n"
            for it, value in zip(messages, values, strict=True)
            if value != FATAL
        ]
        os.write(self._file, "".join(rows).encode())
        while self._style == "hold" and self._hold_file.exists():
            time.sleep(0.01)

    def work(self, consumer: Consumer) -> None:
        """Work until the consumer is told to stop."""
        if self._style == "collect":
            for batch in consumer.batches(COLLECTED, PATIENCE_S):
                self.have_effect(*batch)
        for message in consumer:
            self.have_effect(message)


async def work_on_a_loop(worker: Worker, told: dict[str, Any]) -> None:
    """Be one with asyncio."""
    async with AsyncConsumer(**told["member"], **told["options"]) as consumer:
        async for message in consumer:
            worker.have_effect(message)


def main() -> None:
    """Be a worker."""
    told = json.loads(sys.argv[1])
    worker = Worker(told["effects"], told["member"]["member_id"], told["style"])
    if told["style"] == "asyncio":
        asyncio.run(work_on_a_loop(worker, told))
        return
    with Consumer(**told["member"], **told["options"]) as consumer:
        worker.work(consumer)


if __name__ == "__main__":
    main()
