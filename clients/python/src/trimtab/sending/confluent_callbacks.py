"""Delivery reports of messages' first tries: made once for each broker, called by librdkafka.

Nothing is kept of a message while it is on its way: its report carries all but headers, so that the
rest is put together only when it has failed. In a stream most messages pass their reports on
without a look at the clock.

Made by ``confluent``. Its one rule: a delivery costs a call, and no look-up in any `self`.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from types import BuiltinMethodType, MethodType
from typing import Any, Final, NamedTuple

from confluent_kafka import KafkaError, Message

from trimtab.callbacks import mistaken
from trimtab.sending.broker_times import BrokerTimes
from trimtab.sending.dispatch import Hands

Callback = Callable[[KafkaError | None, Message], None]

_CALLBACKS_MAX: Final = 64
"""Remembered for each broker."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What is known of a message beside what its report says."""

    begun_s: float
    tries: int
    on_delivery: Callback | None
    headers: Any
    """A report does not carry them, and who sent them may change them meanwhile: a copy."""


class DeliveryCallbacks(NamedTuple):
    """Of a broker: what librdkafka calls for each message that is settled."""

    heard: Callback
    told: "Told"
    """The same by the application's callback, which is told too."""
    times: BrokerTimes


class Told(dict[Callback, Callback]):
    """What hears of a message and tells a callback, for callbacks that come again and again.

    Python's garbage collector looks at every object that is alive. One for each message under way
    would cost more than sending it, and most programs have one callback for all.
    """

    def __init__(self, make: Callable[[Callback], Callback]) -> None:
        super().__init__()
        self.make = make
        """Make it for this time only: for a callback that cannot be remembered."""

    def __missing__(self, on_delivery: Callback) -> Callback:
        """Make it; a program with a callback for each message pays for that anyway."""
        made = self.make(on_delivery)
        if _is_itself(on_delivery):
            if len(self) >= _CALLBACKS_MAX:
                self.clear()
            self[on_delivery] = made
        return made


def _is_itself(on_delivery: Callback) -> bool:
    """Whether it equals nothing else: an equal one might know of another message."""
    if isinstance(on_delivery, MethodType | BuiltinMethodType):  # of the same object
        return True
    equals: object = type(on_delivery).__eq__
    return equals is object.__eq__


Failed = Callable[[BrokerTimes, Attempt, KafkaError, Message], None]


def took(message: Message) -> float:
    """Return for how many seconds a message was on its way."""
    return message.latency() or 0.0


def callbacks(times: BrokerTimes, failed: Failed) -> Hands[DeliveryCallbacks]:
    """Make a broker's callbacks: for a single message, seven of eight in a row, and the eighth."""
    each, eighth = (_measuring(times, note, failed) for note in (times.note, times.note_eighth))
    return each, _passing(times, failed), eighth


def _measuring(
    times: BrokerTimes, note: Callable[[float], None], failed: Failed
) -> DeliveryCallbacks:
    def heard(error: KafkaError | None, message: Message) -> None:
        if error is None:
            note(message.latency())  # type: ignore[arg-type]  # a report always has it
        else:
            failed(times, _first(message, None), error, message)

    def make(on_delivery: Callback) -> Callback:
        def told(error: KafkaError | None, message: Message) -> None:
            if error is None:
                note(message.latency())  # type: ignore[arg-type]  # as above
                try:
                    on_delivery(None, message)
                except Exception as mistake:  # noqa: BLE001 - logged; `tell` would be a call more
                    mistaken(mistake)
            else:
                failed(times, _first(message, on_delivery), error, message)

        return told

    return DeliveryCallbacks(heard, Told(make), times)


def _passing(times: BrokerTimes, failed: Failed) -> DeliveryCallbacks:
    def heard(error: KafkaError | None, message: Message) -> None:
        if error is not None:
            failed(times, _first(message, None), error, message)

    def make(on_delivery: Callback) -> Callback:
        def told(error: KafkaError | None, message: Message) -> None:
            if error is None:
                try:
                    on_delivery(None, message)
                except Exception as mistake:  # noqa: BLE001 - logged; `tell` would be a call more
                    mistaken(mistake)
            else:
                failed(times, _first(message, on_delivery), error, message)

        return told

    return DeliveryCallbacks(heard, Told(make), times)


def _first(message: Message, on_delivery: Callback | None) -> Attempt:
    return Attempt(time.monotonic() - took(message), 1, on_delivery, None)
