"""The wanted side of a group, as one committed offset in Kafka.

It is the offset that the group `<group>.moving` has committed of trimtab's topic `commands`: 0 for
Kafka's side, 1 for trimtab's. Nobody reads that topic under that name, and nothing but Kafka has to
be there to choose, or to choose again. Written by `trimtab groups move`, read by `mover`. Kafka
forgets it when it is old, because that group has no members: then whoever has just read that it is
trimtab's side writes it again. For Kafka's it need not be there, and may be deleted. Its one rule:
nothing but a command is written over a choice that is there, or that was there since.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from confluent_kafka import Consumer, KafkaException, TopicPartition

from trimtab.clock import now_s
from trimtab.consuming.confluent import checked
from trimtab.moving.sides import SIDES, Side
from trimtab.protocol import COMMANDS
from trimtab.transports.confluent_discarding import discard
from trimtab.transports.confluent_unpolled import unpolled

_ASK_S: Final = 2.0
READ_S: Final = 0.5
"""Between two looks."""
_FAILED_S: Final = 4 * _ASK_S
"""After a failure: its other work waits for an answer a fifth of the time."""
_HEARD_S: Final = 2 * READ_S
"""From the time at which a new choice is read until it is obeyed: by then all have read it, and who
goes on with a queue waits for it."""
_RECENT_S: Final = 10.0
"""Whoever has not looked for longer was away (frozen, cut off), and may have missed a choice."""


class WantedSide:
    """The side that is wanted of one group."""

    def __init__(self, kafka: Mapping[str, Any], group: str, prefix: str) -> None:
        self._place = (f"{prefix}{COMMANDS.name}", 0)
        ours = {"group.id": f"{group}.moving", "enable.auto.commit": False}
        self._settings = unpolled(kafka) | ours
        self._consumer = Consumer(self._settings)
        self._last: Side | None = None
        self._looked_s = 0.0
        """When Kafka said last what it has, a choice or none."""

    def read(self) -> Side | None:
        """Read it, and write it again if Kafka has forgotten that it was trimtab's.

        Returns:
            What was read last; None: there is no choice, and all stays where it is.

        Raises:
            KafkaException: Kafka does not say, or does not take it. The next one to be asked is a
                new client: librdkafka may never find again a broker that was away (H15).
        """
        try:
            return self._found()
        except KafkaException:
            held: list[object] = [self._consumer]
            self._consumer = Consumer(self._settings)
            discard(held)
            raise

    def choose(self, side: Side, said: str) -> None:
        """Write it.

        Raises:
            KafkaException: Kafka does not take it.
        """
        place = TopicPartition(*self._place, SIDES.index(side), said)
        checked(self._consumer.commit(offsets=[place], asynchronous=False) or [])

    def close(self) -> None:
        """Ask no more."""
        self._consumer.close()

    def _found(self) -> Side | None:
        (found,) = checked(self._consumer.committed([TopicPartition(*self._place)], _ASK_S))
        now = now_s()
        was_away, self._looked_s = now - self._looked_s > _RECENT_S, now
        if 0 <= found.offset < len(SIDES):
            self._last = SIDES[found.offset]
        elif was_away:
            self._last = None
        elif self._last == "trimtab":
            self.choose(self._last, "Kafka had forgotten it")
        return self._last


class Heard:
    """What is to be obeyed by now of what is read now and then; times come from the caller."""

    def __init__(
        self, read: Callable[[], Side | None], report: Callable[[Exception], object]
    ) -> None:
        self._ask, self._report = read, report
        self._read: Side | None = None
        self._obeyed: Side | None = None
        self._read_at = self._obey_at = 0.0
        self._wait_s = 0.0
        """What is there at first is old: all have heard it."""
        self._is_known = False

    def by(self, now: float) -> Side | None:
        """Read it if it is time, and say what is to be obeyed.

        Another broker may keep it than what the queues have committed. While it cannot be read
        nothing is, so everything stays where it is.
        """
        if now >= self._read_at:
            self._look(now)
        if now >= self._obey_at:
            self._obeyed = self._read
        return self._obeyed if self._is_known else None

    def _look(self, now: float) -> None:
        try:
            side = self._ask()
        except KafkaException as error:
            self._is_known, self._read_at = False, now + _FAILED_S
            self._report(error)
            return
        self._is_known, self._read_at = True, now + READ_S
        if side != self._read:
            self._read, self._obey_at = side, now + self._wait_s
        self._wait_s = _HEARD_S
