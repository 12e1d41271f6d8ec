"""The activity of other controllers: who ticks, and who has said that it has ended.

A controller that is to replace another one must know when that one decides no more. It ticks while
its process works, however slow its batch is, and says at its end that it has ended. So it is over
when each one that ticked has said so, or when nobody ticks any more although Kafka answers
(``silence``): in no partition, although each is read to its end. One partition may take no records
while the controller works for all others; and without an answer of each nobody could start.

Used by ``standby``, ``takeover`` and ``incumbent``. Its one rule: it writes nothing.
"""

import time
from threading import Event
from typing import Any, Final

from confluent_kafka import OFFSET_END, Consumer, KafkaException, Message, TopicPartition

from streaming.feeds.clients import WORN_S, discard, making, successor
from streaming.feeds.feed import PROMPT, logger, reader_config, taken
from streaming.feeds.status import INTERVAL_S
from streaming.options import Options
from streaming.process.trouble import Trouble
from streaming.startup.silence import Silence
from trimtab.protocol import (
    CONTROLLERS,
    HEARTBEATS,
    TICK_KEY,
    Controller,
    Record,
    Tick,
    Topic,
    UndecodableRecord,
    decode,
)

_LISTEN_S: Final = 0.02
"""How long it listens at a time, and so how late it notices what happens."""
_ASK_S: Final = 0.03
"""How often Kafka is asked whether all has been read."""
_ANSWER_S: Final = 0.8
"""How long it may take to answer of all partitions: less than what ends a silence (``silence``)."""
PATIENCE_S: Final = 30.0
"""How long it may take at first, to say where everything ends; ..."""
_AT_A_TIME_S: Final = 5.0
"""... and for one answer: Python heeds no signal meanwhile."""
_AT_ONCE: Final = 10_000
"""Messages taken at a time: beats are among them."""
_FAILURES: Final = 3
"""So often in a row it fails, and ..."""
_FAILING_S: Final = 60.0
"""... for so long: what lasts longer than a crowded moment does not pass by itself."""
_HEARD_S: Final = 3 * INTERVAL_S
"""After a longer time without a word, as while Kafka is away, this begins anew."""
_TICKS: Final = 2
"""A controller that ticked in the last so many intervals may be active."""
NOT_TOLD: Final = "could not learn from Kafka which controller is active"


class NotTold(Exception):  # noqa: N818 - it names what happened
    """Kafka did not say whether another controller is at work."""


def grace_of(options: Options) -> int:
    """Return how long an active controller may say nothing; in milliseconds."""
    return _TICKS * options.feeds.tick_interval_ms


class Activity:
    """Follows ticks, and what controllers say of themselves.

    Args:
        options: Which topics.
        name: Who reads, for the logs.
        stop: Set when nobody should wait any more.

    Raises:
        NotTold: Kafka does not say where its topics end.
    """

    def __init__(self, options: Options, name: str, stop: Event) -> None:
        self._grace_s = grace_of(options) / 1000
        self._trouble = Trouble(logger(name), "follow other controllers")
        self._making = making(self._trouble)
        self._ticks, self._words = (
            [
                TopicPartition(f"{options.topics.prefix}{topic.name}", it)
                for it in range(options.topics.partitions)
            ]
            for topic in (HEARTBEATS, CONTROLLERS)
        )
        self._config = {**reader_config(options, name, self._trouble), **PROMPT}
        self._consumer = Consumer(self._config)
        self._silence = Silence(time.monotonic())
        self._asked = self._made = time.monotonic()
        self._ends: list[int] | None = None
        """When Kafka said last where the ticks end, and where: of a new topic at 0. None: it was
        not asked, or did not answer of each partition."""
        self._active: dict[str, float] = {}
        """Who has ticked, and when last, and has not said that it has ended."""
        self._ended: str | None = None
        """Who said so last."""
        self._failing: dict[str, float] = {}
        """Who says of itself that it fails, and since when."""
        self._said: dict[str, float] = {}
        """Who has said anything of itself, and when last."""
        self._begin(stop)

    @property
    def last(self) -> str | None:
        """Who is active, or was last; None: nobody has ticked."""
        return min(self._active, default=self._ended)

    @property
    def is_seen(self) -> bool:
        """Whether another one has ticked since, and not ended."""
        return bool(self._active)

    @property
    def is_read(self) -> bool:
        """Whether all that was there has been read."""
        if self._ends is None:
            return False
        read = self._consumer.position(self._ticks)
        return all(
            max(at.offset, begun.offset) >= end
            for at, begun, end in zip(read, self._ticks, self._ends, strict=True)
        )

    def over(self) -> str | None:
        """Say why no other controller is active; None: one may be."""
        if self._ended is not None and not self._active:
            return f"{self._ended} has ended"
        if self._silence.s > self._grace_s:
            return f"no controller has ticked for {self._silence.s:.1f} s"
        return None

    def failing(self) -> str | None:
        """Say that each one that ticks fails, by its own word; None: one does not, or not for long.

        Ask when one has just said so: it may work again since.
        """
        now = time.monotonic()
        ticking = [it for it, at in self._active.items() if now - at <= self._grace_s]
        lasted_s = min((now - self._failing.get(it, now) for it in ticking), default=0.0)
        if lasted_s < _FAILING_S or not self.is_read:
            return None
        return f"{min(ticking)} has failed for {lasted_s:.0f} s, by its own word"

    def wait(self, stop: Event, longest_s: float) -> str | None:
        """Wait until it is over; return why, or None after so long, or when told to stop."""
        deadline = time.monotonic() + longest_s
        while (cause := self.over()) is None:
            if stop.is_set() or time.monotonic() > deadline:
                return None
            self.listen()
        return cause

    def listen(self) -> list[Record]:
        """Take what has come; return what the topic of controllers says, and ticks."""
        heard = []
        messages = taken(self._consumer, _LISTEN_S, _AT_ONCE)
        for message in sorted(messages, key=_when):  # a last word comes after the last tick
            if message.error() is not None:
                self._trouble.met(message.error())
            elif (record := _record(message)) is not None:
                heard.append(record)
                self._note(record)
        self._prove()
        return heard

    def close(self) -> None:
        """Read no more."""
        self._consumer.close()

    def _prove(self) -> None:
        """Find out whether Kafka has any tick that was not read."""
        now = time.monotonic()
        if self.is_read:
            self._silence.proven(self._asked, now)
        if now - self._asked < _ASK_S:
            return
        try:
            ends = self._ends_of(self._ticks, _ANSWER_S)
        except KafkaException as error:
            self._ends = None
            self._trouble.met(error)
            if now - max(self._asked, self._made) > WORN_S:
                self._read_anew(now)
        else:
            self._asked, self._ends = now, ends
            self._trouble.over()

    def _read_anew(self, now: float) -> None:
        """Read on with another client: this one may never find its brokers again (H15)."""
        places = [*self._ticks, *self._words]
        for place, at in zip(places, self._consumer.position(places), strict=True):
            place.offset = max(at.offset, place.offset)
        self._made = now
        held: list[object] = [self._consumer]
        if (made := successor(Consumer, self._config, self._making)) is not None:
            self._consumer = made
            self._consumer.assign(places)
            discard(held)

    def _begin(self, stop: Event) -> None:
        """Begin at the ends: what was said before is over."""
        places = [*self._ticks, *self._words]
        for place, end in zip(places, self._first_ends(places, stop), strict=True):
            place.offset = end
        self._consumer.assign(places)

    def _first_ends(self, places: list[TopicPartition], stop: Event) -> list[int]:
        """Ask until Kafka answers: of a new topic it may not know at once who leads it."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return self._ends_of(places, _AT_A_TIME_S)
            except KafkaException as error:
                if stop.is_set() or time.monotonic() > deadline:
                    raise NotTold(f"{NOT_TOLD}: {error}") from error
                time.sleep(_LISTEN_S)

    def _ends_of(self, places: list[TopicPartition], patience_s: float) -> list[int]:
        """Ask where all of these end, at once."""
        asked = [TopicPartition(it.topic, it.partition, OFFSET_END) for it in places]
        found = self._consumer.offsets_for_times(asked, patience_s)  # this time means the end
        for it in found:
            if it.error is not None:
                raise KafkaException(it.error)
        return [it.offset for it in found]

    def _note(self, record: Record) -> None:
        if isinstance(record, Tick):
            if self._silence.s > self._grace_s:
                self._active.clear()  # killed: they will never say that they have ended
            self._active[record.controller] = time.monotonic()
            self._silence.broken(time.monotonic())
        elif isinstance(record, Controller):
            self._note_word(record)

    def _note_word(self, said: Controller) -> None:
        name, now = said.controller, time.monotonic()
        if (said.failures or 0) < _FAILURES or now - self._said.get(name, now) > _HEARD_S:
            self._failing.pop(name, None)
        if (said.failures or 0) >= _FAILURES:
            self._failing.setdefault(name, now)
        self._said[name] = now
        if said.role == "ended" and name in self._active:
            del self._active[name]
            self._ended = name


def _when(message: Message) -> int:
    moment: int = message.timestamp()[1]
    return moment


def _record(message: Message) -> Record | None:
    """Return what it says; None of beats, and of what nobody can read."""
    topic: Topic[Any] = CONTROLLERS
    if str(message.topic()).endswith(HEARTBEATS.name):
        if message.key() != TICK_KEY:
            return None
        topic = HEARTBEATS
    try:
        record: Record = decode(topic, message.value())
    except UndecodableRecord:
        return None
    return record
