"""The standby: a controller that is ready, follows another one, and takes over when that is gone.

It follows what is published, the ticks of one partition, and what controllers say of themselves. It
decides nothing, and opens no checkpoint. Its turn comes when the active controller says that it has
ended, when nobody ticks for two intervals although Kafka answers (``silence``), or when an operator
asks for it. Then it announces its start like any other controller (``takeover``). One that was only
frozen reads that when it wakes, and ends.

Run by ``start``. Its one rule: it writes nothing but its status before its turn.
"""

import time
from collections.abc import Callable
from threading import Event
from typing import Any, Final

from confluent_kafka import Consumer, KafkaException, Message, TopicPartition

from streaming.feeds.feed import PROMPT, logger, reader_config, taken
from streaming.options import Options
from streaming.process.readiness import stand_by
from streaming.process.trouble import Trouble
from streaming.startup.delivery import StartWriter
from streaming.startup.reminder import Following
from streaming.startup.silence import Silence
from streaming.startup.takeover import NotTold, announce, grace_of
from trimtab.protocol import (
    CONTROLLERS,
    HEARTBEATS,
    TICK_KEY,
    Controller,
    HandOver,
    Record,
    Tick,
    Topic,
    UndecodableRecord,
    decode,
)

_NAME: Final = "standby"
_LISTEN_S: Final = 0.02
"""How long it listens at a time, and so how late it notices what happens."""
_ASK_S: Final = 0.03
"""How often Kafka is asked whether all has been read."""
_ANSWER_S: Final = 0.5
"""How long it may take to answer."""
_PATIENCE_S: Final = 30.0
"""How long it may take at first: to say where everything ends."""
_AT_ONCE: Final = 10_000
"""Messages taken at a time: beats are among them."""


class NameTaken(Exception):  # noqa: N818 - it names what happened
    """The active controller is called the same."""


class Standby:
    """Follows until its turn comes.

    Args:
        options: Which controller.
        is_fit: Looked at again and again; tells whether all is ready, and raises what it finds.
    """

    def __init__(self, options: Options, is_fit: Callable[[], bool]) -> None:
        self._options, self._is_fit = options, is_fit
        self._log = logger(_NAME)
        self._trouble = Trouble(self._log, "following of the active controller")
        prefix, partitions = options.topics.prefix, options.topics.partitions
        self._ticks = TopicPartition(f"{prefix}{HEARTBEATS.name}", 0)
        self._words = f"{prefix}{CONTROLLERS.name}"
        self._consumer = Consumer({**reader_config(options, _NAME, self._trouble), **PROMPT})
        self._said = [TopicPartition(self._words, it) for it in range(partitions)]
        self._silence = Silence(time.monotonic())
        self._asked = time.monotonic()
        self._end: int | None = None
        """When Kafka was asked last where the ticks end, and where: of a new topic at 0."""
        self._active: str | None = None
        """Who ticked last."""
        self._cause: str | None = None
        """Why its turn has come."""
        self._is_asked = False
        """An operator wants it."""

    def wait(self, stop: Event) -> Following | None:
        """Wait for its turn; return what it has read of what is published. None: it is to stop.

        Raises:
            NameTaken: It needs a name of its own.
            NotTold: Kafka does not say where its topics end.
        """
        self._begin()
        following = Following(self._options)
        while self._cause is None and not stop.is_set():
            following.go_on()
            self._listen()
            self._prove(is_fit=self._is_fit())
            if self._silence.s * 1000 > grace_of(self._options):
                self._cause = f"no controller has ticked for {self._silence.s:.1f} s"
        if stop.is_set():
            following.close()
            self._consumer.close()
            return None
        self._log.info("taking over", cause=self._cause, active=self._active)
        return following

    def take_over(self, start: str, writer: StartWriter, stop: Event) -> tuple[int, ...]:
        """Say in every partition that this controller starts, and let the other one end.

        Returns:
            At which offsets it said so.

        Raises:
            Undelivered: Kafka did not take it.
        """
        starts, _ = announce(self._options, start, writer)
        deadline = time.monotonic() + grace_of(self._options) / 1000
        self._cause = None if self._is_asked else self._cause
        while self._cause is None and time.monotonic() < deadline and not stop.is_set():
            self._listen()
        self._consumer.close()
        return starts

    def _begin(self) -> None:
        """Begin at the ends: what was asked before this standby was there is over."""
        places = [self._ticks, *self._said]
        try:
            for place in places:
                _, place.offset = self._consumer.get_watermark_offsets(place, _PATIENCE_S)
        except KafkaException as error:
            raise NotTold(f"a standby could not begin to follow: {error}") from error
        self._consumer.assign(places)
        self._log.info("standing by")

    def _listen(self) -> None:
        for message in taken(self._consumer, _LISTEN_S, _AT_ONCE):
            if message.error() is not None:
                self._trouble.met(message.error())
            elif message.topic() == self._words:
                self._read(message)
            elif message.key() == TICK_KEY:
                self._hear(message)

    def _hear(self, message: Message) -> None:
        tick = _record(HEARTBEATS, message)
        if not isinstance(tick, Tick):
            return
        if tick.controller == self._options.name:
            raise NameTaken(
                f"controller.name is {tick.controller}, and so is the active controller's: give "
                "the standby another name"
            )
        self._active = tick.controller
        self._silence.broken(time.monotonic())

    def _read(self, message: Message) -> None:
        said = _record(CONTROLLERS, message)
        if isinstance(said, Controller) and (said.role, said.controller) == ("ended", self._active):
            self._cause = f"{said.controller} has ended"
        elif isinstance(said, HandOver) and said.controller == self._options.name:
            self._is_asked = True
            self._cause = f"{said.principal} asked for it: {said.reason}"

    def _prove(self, *, is_fit: bool) -> None:
        """Find out whether Kafka has any tick that was not read."""
        now = time.monotonic()
        (at,) = self._consumer.position([self._ticks])
        if self._end is not None and max(at.offset, self._ticks.offset) >= self._end:
            self._silence.proven(self._asked, now)
            self._trouble.over()
            if is_fit:
                stand_by(self._options.home)
        if now - self._asked < _ASK_S:
            return
        try:
            _, end = self._consumer.get_watermark_offsets(self._ticks, _ANSWER_S)
        except KafkaException as error:
            self._trouble.met(error)
        else:
            self._asked, self._end = now, end


def _record(topic: Topic[Any], message: Message) -> Record | None:
    try:
        record: Record = decode(topic, message.value())
    except UndecodableRecord:
        return None
    return record
