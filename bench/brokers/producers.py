"""The producers, in threads, each with a client of its own, and their notes of messages.

All have the same deadline. The plain ones leave everything to librdkafka; the others are
``trimtab.Producer``, with and without the controller.

Made by ``run``. Its one rule: every message that was sent is noted once, whatever became of it.
"""

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from typing import Any, Final, NamedTuple

import confluent_kafka

from bench.brokers.plan import TOPIC, Kind, Plan
from trimtab import Producer

_VALUE: Final = b"m" * 200
_PATIENCE_S: Final = 20.0
Callback = Callable[[Any, Any], None]


class Note(NamedTuple):
    """What became of a message."""

    kind: Kind
    newcomer: int | None
    """Which one sent it; None: one that was there from the beginning."""
    at_s: float
    """When it was sent, since the producers are at work."""
    took_s: float
    """Until its fate was known."""
    partition: int
    failed: bool


class Plain:
    """A plain confluent-kafka producer, and the thread that polls it."""

    def __init__(self, servers: str, plan: Plan) -> None:
        deadline = {"message.timeout.ms": int(plan.deadline_s * 1_000)}
        self._client = confluent_kafka.Producer(
            {"bootstrap.servers": servers, "log_level": 0, **deadline}
        )
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._poll, daemon=True)
        self._thread.start()

    def send(self, topic: str, value: bytes, on_delivery: Callback) -> None:
        """Leave it to the client where it goes."""
        self._client.produce(topic, value, on_delivery=on_delivery)

    def close(self) -> None:
        """Wait for what is on its way."""
        self._client.flush(_PATIENCE_S)
        self._closing.set()
        self._thread.join()

    def _poll(self) -> None:
        while not self._closing.is_set():
            self._client.poll(0.05)


class Sender:
    """One producer of a kind, in a thread of its own."""

    def __init__(
        self, kind: Kind, servers: str, plan: Plan, notes: list[Note], newcomer: int | None = None
    ) -> None:
        self._kind = kind
        self._servers = servers
        self._plan = plan
        self._notes = notes
        self._newcomer = newcomer
        self._rate = plan.rate if kind is Kind.CENTRAL else plan.others_rate
        self._begun_s = 0.0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"{kind}", daemon=True)
        self.ready = threading.Event()
        """Set once it could send."""

    def start(self, begun_s: float) -> None:
        """Make a client and send, counting time from then on."""
        self._begun_s = begun_s
        self._thread.start()

    def stop(self) -> None:
        """Send no more."""
        self._stopping.set()

    def join(self) -> None:
        """Wait until all that was sent is settled."""
        self._thread.join(_PATIENCE_S * 2)
        assert not self._thread.is_alive(), f"a producer of {self._kind} does not end"

    def _run(self) -> None:
        with self._client() as client:
            self.ready.set()
            due, sent = time.monotonic(), 0
            while not self._stopping.is_set():
                client.send(TOPIC, _VALUE, on_delivery=self._noting())
                sent += 1
                if self._newcomer is not None and sent == self._plan.newcomers_send:
                    break
                due += 1 / self._rate
                time.sleep(max(0.0, due - time.monotonic()))

    def _client(self) -> AbstractContextManager[Any]:
        if self._kind is Kind.PLAIN:
            return closing(Plain(self._servers, self._plan))
        return Producer(
            self._servers,
            topics=[TOPIC],
            deadline=self._plan.deadline_s,
            central=self._kind is Kind.CENTRAL,
            client="confluent",
            kafka={"log_level": 0},
        )

    def _noting(self) -> Callback:
        sent_s = time.monotonic()

        def note(error: object, message: confluent_kafka.Message) -> None:
            took_s, partition = time.monotonic() - sent_s, message.partition()
            at_s, failed = sent_s - self._begun_s, error is not None
            place = -1 if partition is None else partition  # who has failed may have none yet
            self._notes.append(Note(self._kind, self._newcomer, at_s, took_s, place, failed))

        return note
