"""What `Producer` needs of a Kafka client: to send, to say who leads, and to reach the controller.

Two protocols, because they may speak to two clusters: a `Sender` to the one that the messages go
to, a `Link` to the one that has trimtab's topics. Neither decides anything.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol

from trimtab.sending.dispatch import Dispatch, Leaders
from trimtab.sending.telling import Here

CLOSED: Final = "send: the producer was closed; make a new one"
"""What is said to who sends after the end."""

_Theirs = Any
"""Of a type that is the client library's."""


class Place(NamedTuple):
    """A cluster, and what its client has to be told."""

    servers: str
    kafka: Mapping[str, Any]


class VerdictRecord(NamedTuple):
    """A record of the topic `brokers`."""

    key: bytes | None
    value: bytes | None
    appended_ms: int


class Send(Protocol):
    """``send(topic, value, key=None, on_delivery=None, headers=None)``."""

    def __call__(
        self,
        topic: str,
        value: _Theirs = None,
        key: _Theirs = None,
        on_delivery: _Theirs = None,
        headers: _Theirs = None,
    ) -> None:
        """Hand a message to the client, which says of what type things are.

        Args:
            topic: Where it goes.
            value: What it says.
            key: With one, it goes where the client's own partitioner sends it.
            on_delivery: Called once, when it is decided what became of the message: as the client
                calls its own, on a thread of the producer's or on one that is just sending.
            headers: As the client takes them.
        """


class Sender(Protocol):
    """The way of an application's messages."""

    dispatch: Dispatch[Any]
    here: Here

    @property
    def send(self) -> Send:
        """The way of a message."""

    def start(self) -> None:
        """Begin to serve what comes back."""

    def cluster(self) -> str:
        """Ask what Kafka calls itself; TransportError if Kafka does not answer."""

    def leaders(self, topic: str) -> Leaders:
        """Ask who leads a topic, if it exists; TransportError if Kafka does not answer."""

    def flush(self, timeout_s: float) -> int:
        """Wait until all is settled; return how many messages are not."""

    def close(self, timeout_s: float) -> int:
        """Settle what can be settled in time, give up the rest, and say how much it was.

        From then on `send` refuses; questions are answered until `disconnect`.
        """

    def disconnect(self) -> None:
        """Let go of Kafka."""


class Link(Protocol):
    """The way to the controller: its verdicts come in, reports go out."""

    def open(self, cluster: str) -> bool:
        """Follow a cluster's verdicts from their beginning; False: there is no such topic.

        Raises:
            TransportError: Kafka does not answer.
        """

    def poll(self, timeout_ms: int) -> list[VerdictRecord]:
        """Wait for verdicts."""

    def has_caught_up(self) -> bool:
        """Tell whether all that was there when it was opened has come out of `poll`."""

    def report(self, value: bytes) -> None:
        """Write a report, without waiting; one that is lost is lost."""

    def troubles(self) -> list[str]:
        """Return what is wrong, to be told: of what `poll` and `report` have met since."""

    def close(self) -> None:
        """Disconnect."""
