"""One member as a process of its own: python -m chaos.member TOLD.

It takes messages in one of three styles, has an effect of each, and writes down what it is told,
what it is handed, and when it is through with that, whether or not it had its effect. At SIGUSR1
its next message takes long. It ends when its standard input does, so it never outlives who started
it. Started by `fleet`.
"""

import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from confluent_kafka import Message

from chaos.history import Event, EventKind, Recorder
from console.embedded.broker_files import LOOPBACK
from trimtab import CommitError, Consumer, Grant

_BATCH: Final = 20
_LOOK_S: Final = 0.1
_HELD_UP_NS: Final = 500_000_000
"""A pause that is worth a line."""


class Worker:
    """Has effects."""

    def __init__(self, told: dict[str, Any]) -> None:
        self._who = told["who"]
        self._slow_s = told["slow_s"]
        self._record = Recorder(Path(told["home"]) / f"{self._who}.events", self._who)
        self._store = socket.create_connection((LOOPBACK, told["store"]))
        self._answers = self._store.makefile("rb")
        self._tokens: dict[int, int] = {}
        self._slow = False

    def tell(self, kind: EventKind, grants: Iterable[Grant]) -> None:
        """Write down that queues come or go."""
        at = time.monotonic_ns()
        if kind == "began":
            self._tokens |= {it.queue.id: it.token for it in grants}
        self._record.write(Event(at, self._who, kind, it.queue.id, it.token) for it in grants)

    def be_slow(self, *_: object) -> None:
        """Take long over the next message."""
        self._slow = True

    def handle(self, consumer: Consumer, *messages: Message) -> None:
        """Have an effect of each of these, which were handed out at once."""
        at = time.monotonic_ns()
        rows = [
            (it.partition() or 0, it.offset() or 0, int(it.value() or b"-1")) for it in messages
        ]
        handed = []
        for message, (queue, offset, number) in zip(messages, rows, strict=True):
            token = self._token(consumer, message)
            known = self._tokens.get(queue, -1) if token is None else token
            handed.append(Event(at, self._who, "handed", queue, known, offset, number))
        self._record.write(handed)
        if self._slow:
            self._slow = False
            time.sleep(self._slow_s)
        for it, (queue, offset, number) in zip(messages, rows, strict=True):
            if (token := self._token(consumer, it)) is None:
                continue  # it was lost in hand, and others work on it
            self._store.sendall(f"{self._who} {queue} {token} {offset} {number}\n".encode())
            if not self._answers.readline():
                os._exit(0)  # who started us is gone
        at = time.monotonic_ns()
        self._record.write(replace(it, at=at, kind="done") for it in handed)

    @staticmethod
    def _token(consumer: Consumer, message: Message) -> int | None:
        """Under what it came, if that is valid still."""
        try:
            return consumer.token(message)
        except KeyError:
            return None

    def watch(self) -> None:
        """Write down when this process was held up."""
        before = time.monotonic_ns()
        while True:
            time.sleep(_LOOK_S)
            now = time.monotonic_ns()
            if now - before > _HELD_UP_NS:
                self._record.add("paused", offset=now - before)
            before = now

    def work(self, consumer: Consumer, style: str) -> None:
        """Work until the consumer is told to stop."""
        match style:
            case "batches":
                for batch in consumer.batches(_BATCH, "50ms"):
                    self.handle(consumer, *batch)
            case "manual":
                while consumer.running:
                    if (one := consumer.poll(0.2)) is not None:
                        self.handle(consumer, one)
                        with suppress(CommitError):  # Kafka is away; the next one says it again
                            consumer.commit(one)
            case _:
                for message in consumer:
                    self.handle(consumer, message)


def main() -> None:
    """Be a member."""
    told = json.loads(sys.argv[1])
    worker = Worker(told)
    signal.signal(signal.SIGUSR1, worker.be_slow)
    threading.Thread(target=worker.watch, daemon=True).start()
    threading.Thread(target=_die_with, daemon=True).start()
    with Consumer(
        **told["member"],
        on_assigned=lambda grants: worker.tell("began", grants),
        on_revoked=lambda grants: worker.tell("gave", grants),
        on_lost=lambda grants: worker.tell("lost", grants),
    ) as consumer:
        worker.work(consumer, told["style"])


def _die_with() -> None:
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
