"""The smallest member without the SDK: what `docs/other-languages.md` says, and a Kafka client.

    python tests/builders/smallest.py SERVERS PREFIX GROUP TOPIC MEMBER

It begins on `hold` alone, so it reads one topic. It says on stdout which queues it begins and ends,
and leaves in good order at SIGTERM. Its one rule: it imports nothing of ours, for it stands for a
member in another language.
"""

import json
import secrets
import signal
import sys
import time
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    Message,
    Producer,
    TopicPartition,
)

Queue = tuple[str, str, int]
Row = tuple[Queue, int, int | None]
"""A queue, the epoch of its grant, and the next that is to be named."""

ASK_S: Final = 2.0
LEAVE_S: Final = 20.0
CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""It goes on while the machine sleeps, where there is one that does: who slept is fenced."""


class Smallest:
    """One member of one group."""

    def __init__(self, servers: str, prefix: str, group: str, topic: str, member: str) -> None:
        self._prefix, self._group, self._topic, self._member = prefix, group, topic, member
        hashing = {"partitioner": "murmur2_random"}  # as Java's: all of a group in one partition
        ordered = {"enable.idempotence": True}
        self._producer = Producer({"bootstrap.servers": servers, **hashing, **ordered})
        self._consumer = Consumer(
            {
                "bootstrap.servers": servers,
                "group.id": "none",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "fetch.wait.max.ms": 50,
            }
        )
        self._session_s, self._beat_s = 10.0, 3.0
        self._place: TopicPartition | None = None
        self._began_at = self._read_to = self._end = 0
        self._last_epoch: int | None = None
        self._answered = b""  # the key of the last answer
        self._end_asked_at = 0.0
        self.leaving = False
        self._live(f"{time.time_ns() // 1_000_000:013d}", secrets.randbits(31))

    def _live(self, start: str, life: int) -> None:
        """Begin a life: nothing of the one before counts."""
        self._start, self._life = start, life
        self._sequence = self._epoch = self._releasing = 0
        self._held: dict[Queue, tuple[int, int | None]] = {}
        self._let_go: dict[Queue, int] = {}
        self._heard_at = self._read_at = now()
        self._ask_at = self._beat_at = self._heard_at
        self._asking = True

    @property
    def _incarnation(self) -> str:
        return f"{self._start}-{self._life:08x}"

    def run(self) -> None:
        """Be a member until told to leave."""
        while not self.leaving:
            self._turn()
        self._send("members", kind="drain")
        over_at = now() + LEAVE_S
        for queue, (epoch, following) in [*self._held.items()]:
            if following is not None:
                self._end_work(queue, epoch, following)
        while (self._held or self._releasing) and now() < over_at:
            self._turn()
        for queue, (epoch, _) in [*self._held.items()]:  # nobody came for it in time
            self._end_work(queue, epoch, None)
        self._producer.flush(LEAVE_S)  # first all releases
        self._send("members", kind="leave")
        self._producer.flush(LEAVE_S)
        self._consumer.close()

    def _turn(self) -> None:
        message = self._consumer.poll(0.05) if self._place is not None else None
        self._producer.poll(0 if self._place is not None else 0.05)
        at = now()
        if at - min(self._heard_at, self._read_at) > self._session_s * 4 / 5:  # before all else
            self._start_over("fenced")
        if message is not None:
            self._read(message)
        if self._asking and at >= self._ask_at and not self.leaving:
            self._ask_at = at + ASK_S
            wish = {"topics": [self._topic], "session_timeout_ms": int(self._session_s * 1_000)}
            self._send("members", kind="join", **wish, last_epoch=self._last_epoch)
        if at >= self._beat_at:
            self._beat(at)

    def _beat(self, at: float) -> None:
        self._beat_at = at + self._beat_s
        rows = [
            {"topic": topic, "queues": [[number, epoch]]}
            for (topic, _, number), (epoch, _) in self._held.items()
        ]
        self._send("heartbeats", kind="beat", epoch=self._epoch, owned=rows)
        if self._place is not None:
            self._end, self._end_asked_at = self._ends(), at
            self._look_where_it_is()

    def _look_where_it_is(self) -> None:
        if self._read_to >= self._end:
            self._read_at = max(self._read_at, self._end_asked_at)

    def _read(self, message: Message) -> None:
        error = message.error()
        self._read_to = (message.offset() or 0) + (0 if error else 1)
        self._look_where_it_is()
        if error is not None:
            assert error.code() == KafkaError._PARTITION_EOF, error  # noqa: SLF001 - its public name
            return
        mine = f"{self._group}/{self._member}"  # "/" in a group is "%2F"
        key, value = message.key(), message.value()
        if key not in (mine.encode(), f"{mine}@{self._incarnation}".encode()):
            return
        record: dict[str, Any] = {"incarnation": ""} if value is None else json.loads(value)
        if record["incarnation"] == self._incarnation and record["epoch"] > self._epoch:
            self._answered = key
            self._obey(record)
        elif self._epoch and key != self._answered:
            return  # another life has this name, and this one a name of its own
        elif value is None and self._epoch:
            self._start_over("unknown")
        elif record["incarnation"] > self._incarnation and self._read_to > self._began_at:
            sys.exit("a younger process has this name")

    def _obey(self, record: dict[str, Any]) -> None:
        self._epoch = record["epoch"]
        self._began_at = 0  # this answers us, so all that follows came after us
        self._asking = bool(record.get("join_again"))
        self._session_s = record["session_timeout_ms"] / 1_000
        self._beat_s = record["heartbeat_interval_ms"] / 1_000
        self._give([*rows(record["give"])])
        self._keep({queue: (epoch, after) for queue, epoch, after in rows(record["hold"])})
        self._beat(now())

    def _give(self, given: list[Row]) -> None:
        for queue, epoch, following in given:
            if epoch > self._let_go.get(queue, 0):
                self._end_work(queue, epoch, following)

    def _keep(self, hold: dict[Queue, tuple[int, int | None]]) -> None:
        """Drop what is not named under the same epoch, and begin what is new."""
        for queue, (epoch, _) in [*self._held.items()]:
            if hold.get(queue, (0, None))[0] != epoch:
                self._lose(queue)
        for queue, (epoch, following) in hold.items():
            if epoch > self._let_go.get(queue, 0):
                if queue not in self._held:
                    say("begin", queue, epoch)
                self._held[queue] = epoch, following

    def _end_work(self, queue: Queue, epoch: int, following: int | None) -> None:
        """Stop first, then release."""
        if self._held.pop(queue, (0, None))[0] == epoch:
            say("end", queue, epoch)
        self._let_go[queue] = epoch
        topic, _, number = queue
        shelf = {"queues": [{"topic": topic, "queues": [[number, epoch, None, following]]}]}
        gone = {"gone": True} if self.leaving else {}
        self._releasing += 1
        self._send("releases", kind="release", queues=shelf, **gone)

    def _lose(self, queue: Queue) -> None:
        """Stop at once, and release nothing."""
        epoch, _ = self._held.pop(queue)
        self._let_go[queue] = epoch
        say("lose", queue, epoch)

    def _start_over(self, why: str) -> None:
        sys.stderr.write(f"{why}: joins again\n")
        for queue in [*self._held]:
            self._lose(queue)
        self._last_epoch = self._epoch or self._last_epoch or 0  # 0: none, but a life there was
        self._live(self._start, self._life + 1)

    def _send(self, topic: str, **record: object) -> None:
        self._sequence += 1
        signature = {"member": self._member, "incarnation": self._incarnation}
        whole = {"v": 1, **record, **signature, "sequence": self._sequence}
        sent = partial(self._sent, self._life, now(), topic, record)
        name, value = f"{self._prefix}{topic}", written(whole)
        self._producer.produce(name, value, self._group.encode(), on_delivery=sent)

    def _sent(
        self,
        life: int,
        at: float,
        topic: str,
        record: dict[str, object],
        error: KafkaError | None,
        message: Message,
    ) -> None:
        """Kafka has it, or not: a release is said again, a join and a beat are repeated anyway."""
        if life != self._life:
            return
        if error is not None:
            if topic == "releases":
                self._send(topic, **record)
            return
        self._releasing -= topic == "releases"
        if record["kind"] in ("join", "beat"):
            self._heard_at = max(self._heard_at, at)
        if self._place is None:
            name, number = f"{self._prefix}assignments", message.partition() or 0
            self._place = TopicPartition(name, number, OFFSET_BEGINNING)
            self._began_at = self._ends()
            self._consumer.assign([self._place])

    def _ends(self) -> int:
        """Ask Kafka where the log ends now."""
        assert self._place is not None, "it is known since the first delivery report"
        bounds = self._consumer.get_watermark_offsets(self._place, ASK_S)
        assert bounds is not None, "nobody says where the log ends"
        return int(bounds[1])


def rows(shelf: dict[str, Any]) -> Iterator[Row]:
    """The rows of a shelf: id, epoch, next, and whose that is, which need not be known here."""
    for it in shelf["queues"]:
        for number, epoch, *rest in it["queues"]:
            yield (it["topic"], it.get("broker", ""), number), epoch, rest[0] if rest else None


def written(record: dict[str, object]) -> bytes:
    """Write without spaces, in one order: the controller need not decode a beat that it knows."""
    return json.dumps(record, separators=(",", ":")).encode()


def now() -> float:
    """The time since some fixed moment, in seconds."""
    return time.clock_gettime(CLOCK)


def say(what: str, queue: Queue, epoch: int) -> None:
    """Tell the application."""
    topic, _, number = queue
    sys.stdout.write(f"{what} {topic}-{number} {epoch}\n")
    sys.stdout.flush()


def main() -> None:
    """Be this member until somebody ends it."""
    member = Smallest(*sys.argv[1:])
    signal.signal(signal.SIGTERM, lambda *_: setattr(member, "leaving", True))
    member.run()


if __name__ == "__main__":
    main()
