"""One member as a process that reads messages: python -m bench.handover.worker TOLD.

It says on stdout when queues come and go, and when it has the first message of one that came. Its
first line is its process id, as soon as everything is imported. Then it hears a line: `join`, and
later another one: `leave`, or `away` for who will be back. Started by `bench.departures.fleet`.
All sides are told the same and say the same; times are the machine's wall clock.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from confluent_kafka import Consumer as Bare
from confluent_kafka import Message, TopicPartition

from bench.handover.sides import Side, client_of
from trimtab import Consumer

_WAIT_S: Final = 0.05
"""How late a word may be noticed; what is timed begins when the member says that it has."""


class Teller:
    """Says what happens to one member."""

    def __init__(self) -> None:
        self._new: set[int] = set()
        """Queues of which there was no message yet."""
        self._lock = threading.Lock()
        self.word = ""
        """What it was told last."""

    def say(self, event: str, queues: Iterable[int] = (), **more: int) -> None:
        """Write a line, at once."""
        said = {"event": event, "at": time.time_ns(), "queues": list(queues), **more}
        with self._lock:
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()

    def begin(self, queues: Iterable[int]) -> None:
        """Queues have come."""
        those = list(queues)
        self._new.update(those)
        self.say("begins", those)

    def end(self, queues: Iterable[int]) -> None:
        """Queues have gone."""
        those = list(queues)
        self._new.difference_update(those)
        self.say("ends", those)

    def take(self, message: Message) -> None:
        """Have a message."""
        queue = message.partition()
        if queue in self._new and message.error() is None:
            self._new.discard(queue)
            self.say("first", [queue], sent=int(message.value() or b"0"))

    def listen(self) -> None:
        """Hear the next line."""
        self.word = sys.stdin.readline().strip() or "leave"


def _ours(told: dict[str, Any], teller: Teller) -> None:
    own = {name: told[name] for name in ("group", "member_id", "instance", "prefix") if told[name]}
    with Consumer(
        told["servers"],
        topics=[told["topic"]],
        start="latest",
        on_assigned=lambda grants: teller.begin(it.queue.id for it in grants),
        on_revoked=lambda grants: teller.end(it.queue.id for it in grants),
        on_lost=lambda grants: teller.end(it.queue.id for it in grants),
        kafka={"log_level": 0},
        **own,
    ) as consumer:
        while not teller.word:
            if (message := consumer.poll(_WAIT_S)) is not None:
                teller.take(message)
        teller.say("leaves")
        if teller.word == "away":
            consumer.stop(temporary=True)


def _kafkas(told: dict[str, Any], teller: Teller) -> None:
    settings = {
        "bootstrap.servers": told["servers"],
        "group.id": told["group"],
        "auto.offset.reset": "latest",
        "log_level": 0,
        **client_of(Side(told["side"])),
    }
    if told["instance"]:
        settings["group.instance.id"] = told["instance"]
    consumer = Bare(settings)
    consumer.subscribe(
        [told["topic"]],
        on_assign=_hearing(teller.begin),
        on_revoke=_hearing(teller.end),
        on_lost=_hearing(teller.end),
    )
    while not teller.word:
        if (message := consumer.poll(_WAIT_S)) is not None:
            teller.take(message)
    teller.say("leaves")
    consumer.close()


def _hearing(
    hear: Callable[[Iterable[int]], None],
) -> Callable[[Bare, list[TopicPartition]], None]:
    return lambda _, places: hear(it.partition for it in places)


def main() -> None:
    """Be a member."""
    told = json.loads(sys.argv[1])
    sys.stdout.write(f"{os.getpid()}\n")
    sys.stdout.flush()
    sys.stdin.readline()
    teller = Teller()
    threading.Thread(target=teller.listen, daemon=True).start()
    teller.say("joins")
    (_ours if told["side"] == Side.TRIMTAB else _kafkas)(told, teller)


if __name__ == "__main__":
    main()
