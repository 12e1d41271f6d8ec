"""A producer's clients of kafka-python: one for messages without a key, one for those with one.

A client's timeout is a try's, and messages with a key have one try that lasts for the whole
deadline: so they have a client of their own, which is made when the first of them is sent.

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
                self.keyed = self._client(self._patience.whole_ms, _KEYED)
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
