"""Very many members in one process: they join, are told what they own, and beat from then on.

    python -m bench.scale.generator '{"servers": "localhost:9092", ...}'

It says "ready" when everybody is at work, and ends, with a line of figures, when its input does.
Started by ``scenes``. What it is late with is sent all the same, and told.
"""

import json
import sys
import time
from collections.abc import Iterable, Iterator
from threading import Event, Thread
from typing import Any, Final

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    Message,
    Producer,
    TopicPartition,
)

from bench.scale.clients import Clients
from bench.scale.members import Kind, Members, Said, Told, churned, rolled
from trimtab.protocol import ASSIGNMENTS, Topic, decode

READY: Final = "ready"
_SLICES: Final = 20
"""Of a second: beats are spread over it, as those of real members are."""
_FLUSH_S: Final = 60.0
_AT_ONCE: Final = 1_000
_LISTEN_S: Final = 0.2
_AWAY: Final = 2 * _SLICES
"""Two seconds: as long as a process needs to start."""


class Generator:
    """Speaks for them, and hears what they are told."""

    def __init__(self, told: Told) -> None:
        self.members = Clients(told) if told.kind == Kind.ROCKETMQ else Members(told)
        self._told = told
        self._restarted = 0
        self._refused: KafkaError | None = None
        settings = {"bootstrap.servers": told.servers, "log_level": 2}
        self._producer = Producer(
            {**settings, "linger.ms": 20, "acks": 1, "delivery.report.only.error": True}
        )
        self._consumer = Consumer({**settings, "group.id": "scale"})

    def join(self) -> None:
        """Let everybody join."""
        for it in range(self.members.count):
            self._say(it, self.members.joins(it))
        self._flush()

    def beat(self, over: Event) -> dict[str, float]:
        """Beat until it is over; return the figures."""
        sent, late_s, turn = 0, 0.0, 0
        have_begun = False
        slices = max(1, round(self._told.interval_s * _SLICES))
        changes = self._changes()
        began = due = time.monotonic()
        while not over.is_set():
            for it in range(turn % slices, self.members.count, slices):
                if not self.members.is_away(it):
                    self._send(self.members.beats_by, it, self.members.beats(it))
                    sent += 1
            have_begun = have_begun or self.members.are_at_work
            if have_begun:
                next(changes, None)
            turn, due = turn + 1, due + 1 / _SLICES
            late_s = max(late_s, time.monotonic() - due)
            while (left := due - time.monotonic()) > 0:
                self._producer.poll(left)  # returns with the first report
        rate = sent / (time.monotonic() - began)
        self._flush()
        return {"rate": rate, "late_s": late_s, "restarted": self._restarted}

    def _changes(self) -> Iterator[None]:
        """Let some restart, or leave and come again, in each slice of a second."""
        count = self.members.count
        for them in rolled(count, round(self._told.rolling_s * _SLICES)):
            for it in them:
                self._restarted += 1
                self._say(it, self.members.restarts(it))
            yield
        for gone, back in churned(count, round(self._told.churn_s * _SLICES), _AWAY):
            for it in gone:
                self._say(it, self.members.leaves(it))
            for it in back:
                self._restarted += 1
                self._say(it, self.members.returns(it))
            yield

    def hear(self, over: Event) -> None:
        """Follow what is said to them."""
        topic = f"{self._told.prefix}{ASSIGNMENTS.name}"
        places = range(self._told.partitions)
        self._consumer.assign([TopicPartition(topic, it, OFFSET_BEGINNING) for it in places])
        while not over.is_set():
            for message in self._consumer.consume(_AT_ONCE, _LISTEN_S):
                value = message.value()
                if message.error() is None and value is not None and self._told.answered:
                    said, partition = decode(ASSIGNMENTS, value), message.partition()
                    for place, answer in self.members.hears(said):
                        self._produce(place, answer, said.group.encode(), partition or 0)
        self._consumer.close()

    def _say(self, it: int, records: Iterable[Said]) -> None:
        for topic, value in records:
            self._send(topic, it, value)

    def _send(self, topic: Topic[Any], it: int, value: bytes) -> None:
        key, partition = self.members.place(it)
        self._produce(topic, value, key, partition)

    def _produce(self, topic: Topic[Any], value: bytes, key: bytes, partition: int) -> None:
        while True:
            try:
                self._producer.produce(
                    f"{self._told.prefix}{topic.name}",
                    value,
                    key,
                    partition,
                    on_delivery=self._refuse,
                )
            except BufferError:
                self._producer.poll(0.1)
            else:
                return

    def _refuse(self, error: KafkaError | None, _message: Message) -> None:
        self._refused = self._refused or error

    def _flush(self) -> None:
        """Wait until Kafka has all; what it has not taken must not count."""
        left = self._producer.flush(_FLUSH_S)
        if left or self._refused is not None:
            reason = self._refused.str() if self._refused else f"{left} wait for longer than that"
            raise RuntimeError(f"Kafka does not take records: {reason}")


def main() -> None:
    """Work until the input ends."""
    generator, over = Generator(Told(**json.loads(sys.argv[1]))), Event()
    figures: dict[str, float] = {}
    generator.join()
    threads = [
        Thread(target=generator.hear, args=[over]),
        Thread(target=lambda: figures.update(generator.beat(over))),
    ]
    for it in threads:
        it.start()
    while not generator.members.are_at_work:
        time.sleep(_LISTEN_S)
    sys.stdout.write(f"{READY}\n")
    sys.stdout.flush()
    sys.stdin.read()
    over.set()
    for it in threads:
        it.join()
    if not figures:
        raise SystemExit("scale: not all beats were sent")
    sys.stdout.write(f"{json.dumps(figures)}\n")


if __name__ == "__main__":
    main()
