"""A population: members that exist as records only, and all join in one batch.

So a batch has hundreds of records to publish, and can be cut in the middle. Nobody of them beats;
their sessions are as long as a session may be. Used by `kills`. One batch answers each of them, so
if that is repeated it must say the same again, to the byte. A later one may name the heirs of
queues that are held by then.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition

from console.errors import ExitCode, Failure
from trimtab.protocol import (
    ASSIGNMENTS,
    MEMBERS,
    Join,
    Leave,
    decode,
    encode,
    partition_of,
    read_member_key,
)

SIZE: Final = 1_500
"""Their assignments are written for some dozen milliseconds, and read while they are."""
_SESSION_MS: Final = 600_000
_PATIENCE_S: Final = 60.0


def contradictions(said: Iterable[bytes | None]) -> Iterator[str]:
    """Say what does not fit in what was said to one member since it came."""
    records = [None if it is None else decode(ASSIGNMENTS, it) for it in set(said)]
    there = [it for it in records if it is not None]
    if len(there) < len(records):
        yield "that it is no member"
    if len({it.epoch for it in there}) < len(there):
        yield "two different things under one epoch"
    if len({frozenset((ref.queue, ref.epoch) for ref in it.hold) for it in there}) > 1:
        yield "to hold other queues than before"


class Population:
    """One group; it comes and goes as a whole.

    Args:
        servers: The Kafka.
        prefix: Of the controller's topics.
        group: Its name.
        topic: What they want queues of.
    """

    def __init__(self, servers: str, prefix: str, group: str, topic: str) -> None:
        self.heard: dict[bytes, list[bytes | None]] = defaultdict(list)
        """What was said to each of them since the last burst, in order."""
        self._group, self._topic, self._inlet = group, topic, f"{prefix}{MEMBERS.name}"
        self._life = ""
        settings = {"bootstrap.servers": servers, "log_level": 0}
        # All of a burst are one batch of Kafka's: whoever reads one of them can read all.
        self._producer = Producer({**settings, "linger.ms": 1_000})
        self._consumer = Consumer(
            {
                **settings,
                "group.id": "population",
                "fetch.wait.max.ms": 1,
                "enable.auto.commit": False,
            }
        )
        found = self._producer.list_topics(self._inlet, _PATIENCE_S).topics[self._inlet]
        self._partition = partition_of(group, len(found.partitions))
        self.place = (self._inlet, self._partition)
        """Where its records are,"""
        self.end = 0
        """and where the last burst of them ends."""
        place = TopicPartition(f"{prefix}{ASSIGNMENTS.name}", self._partition)
        place.offset = self._consumer.get_watermark_offsets(place, _PATIENCE_S)[1]
        self._consumer.assign([place])

    def close(self) -> None:
        """Write and read no more."""
        self._producer.close()
        self._consumer.close()

    def join(self) -> None:
        """All come, in a new life."""
        self._life = f"{time.time_ns() // 1_000_000:013d}-00000000"
        self._burst(
            [
                Join(
                    member=f"m{it:04d}",
                    incarnation=self._life,
                    sequence=1,
                    topics=(self._topic,),
                    session_timeout_ms=_SESSION_MS,
                )
                for it in range(SIZE)
            ]
        )

    def leave(self) -> None:
        """All go, and it is waited for."""
        self._burst(
            [Leave(member=f"m{it:04d}", incarnation=self._life, sequence=2) for it in range(SIZE)]
        )
        self.await_all()

    def hears(self) -> bool:
        """Whether anything was said to them since the burst."""
        self._take(self._consumer.poll(0))
        return bool(self.heard)

    def listen(self, seconds: float) -> int:
        """Listen until so long nothing is said; return how many were spoken to."""
        while (message := self._consumer.poll(seconds)) is not None:
            self._take(message)
        return len(self.heard)

    def await_all(self) -> None:
        """Wait until everybody was spoken to.

        Raises:
            Failure: Somebody was not.
        """
        deadline = time.monotonic() + _PATIENCE_S
        while len(self.heard) < SIZE:
            if time.monotonic() > deadline:
                text = f"{SIZE - len(self.heard)} of {self._group} were never answered"
                raise Failure(text, ExitCode.TIMEOUT)
            self._take(self._consumer.poll(1.0))

    def contradicted(self) -> list[str]:
        """Say to whom something was said that does not fit."""
        return [
            f"{key.decode()} was told {text}"
            for key, said in self.heard.items()
            for text in contradictions(said)
        ]

    def _burst(self, records: list[Join] | list[Leave]) -> None:
        self.listen(0.1)
        self.heard.clear()
        for record in records:
            self._producer.produce(
                *(self._inlet, encode(record), self._group.encode(), self._partition),
                on_delivery=self._delivered,
            )
        if self._producer.flush(_PATIENCE_S):
            raise Failure("Kafka did not take the records of a population", ExitCode.TIMEOUT)

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is None:
            self.end = max(self.end, (message.offset() or 0) + 1)

    def _take(self, message: Message | None) -> None:
        if message is None or message.error() is not None:
            return  # librdkafka tries on by itself
        key = message.key() or b""
        if read_member_key(key).group == self._group:
            self.heard[key].append(message.value())
