"""A producer's clients of kafka-python: one for messages without a key, one for those with one.

A client's timeout is a try's, and messages with a key have one try that lasts for the whole
deadline: so they have a client of their own, which is made when the first of them is sent.

Each asks Kafka for topics on a thread of its own, which also runs callbacks: there nobody waits for
a topic, or no other message would be sent or settled for a minute.

Made by ``kafka_python``, which sends by them.
"""

import threading
from collections.abc import Iterator, Mapping
from typing import Any, Final

from kafka import KafkaProducer

from trimtab.errors import ConfigurationError
from trimtab.sending.contract import Place
from trimtab.sending.kafka_python_link import DEFAULTS, way_of
from trimtab.sending.patience import Patience
from trimtab.transports.kafka_python import IN_ORDER
from trimtab.transports.kafka_python_connecting import REFUSALS, connected

_Untyped = Any
"""What comes from kafka-python, which ships no types."""

_MOVABLE: Final = {
    "acks": "all",
    # A second try in another partition is a second copy anyway; and an idempotent client of this
    # library stands still, for all brokers, until it knows what became of a batch that timed out.
    "enable_idempotence": False,
}
"""For messages without a key, unless the application says otherwise."""
_KEYED: Final = {"acks": "all", **IN_ORDER}
"""For those with one, also."""


class Clients:
    """Connected ones."""

    def __init__(self, place: Place, patience: Patience) -> None:
        self._place = place
        self._patience = patience
        self.free = self._client(patience.try_ms, _MOVABLE)
        self.keyed: _Untyped = None
        """None: no message with a key was sent yet."""
        self._opening = threading.Lock()

    def __iter__(self) -> Iterator[_Untyped]:
        return iter([self.free] if self.keyed is None else [self.free, self.keyed])

    def open_keyed(self) -> _Untyped:
        """Return the client for messages with a key.

        Raises:
            ConfigurationError: kafka-python refuses the options.
        """
        with self._opening:
            if self.keyed is None:
                keyed = self._client(self._patience.whole_ms, _KEYED)
                for topic in self.free._metadata.topics():  # noqa: SLF001 - as `leaders_of`
                    keyed._sender.add_topic(topic)  # noqa: SLF001 - asked for with the first one's
                self.keyed = keyed
        return self.keyed

    def _client(self, timeout_ms: int, defaults: Mapping[str, _Untyped]) -> _Untyped:
        options: dict[str, _Untyped] = {**DEFAULTS, **defaults, "linger_ms": 0}
        options |= {name.replace(".", "_"): value for name, value in self._place.kafka.items()}
        options["bootstrap_servers"] = self._place.servers.split(",")
        options["delivery_timeout_ms"] = timeout_ms
        options["request_timeout_ms"] = timeout_ms - options["linger_ms"]  # or it is refused
        try:
            return connected(KafkaProducer, options, way_of(self._place))
        except REFUSALS as error:
            raise ConfigurationError(f"kafka: {error}") from error


def refuse_to_wait(client: _Untyped, topic: str, how: str) -> None:
    """Refuse a message that would wait for the thread that it is sent on.

    Raises:
        ConfigurationError: It is a callback's, and its client does not know the topic.
    """
    is_its_own = threading.current_thread() is client._sender  # noqa: SLF001 - it says nowhere else
    if is_its_own and client._metadata.partitions_for_topic(topic) is None:  # noqa: SLF001 - as above
        raise ConfigurationError(
            f"send: the client does not know topic {topic} yet, and learns of it on the thread of "
            f"this callback: name it in `topics` of the producer, or send to it once before, {how}"
        )
