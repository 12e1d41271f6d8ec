"""What a consumer needs of a Kafka client: to read, to ask, and to write positions.

A module for each library keeps it: `confluent`, `kafka_python`. Messages of both have the methods
of confluent-kafka's, so their type is that. Its one rule: a client decides nothing, and every call
ends in a few seconds, whatever Kafka does.
"""

from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from trimtab.consuming.choice import Start
from trimtab.errors import ConfigurationError
from trimtab.protocol import QueueRef

if TYPE_CHECKING:
    from confluent_kafka import Message

Places = Mapping[QueueRef, int]


@dataclass(frozen=True, slots=True)
class Wish:
    """What a client is made of."""

    servers: str | None
    group: str
    """Whose positions are read and written."""
    kafka: Mapping[str, Any]
    fetch: Mapping[str, Any]
    """Options for reading alone."""
    patience_s: float
    """The time of one commit."""

    def where_from(self, text: str) -> str:
        """Which of the two mappings has the option that a client's error names, in either way."""
        named = text.replace(".", "_")
        return "fetch" if any(it.replace(".", "_") in named for it in self.fetch) else "kafka"


class RefusedError(Exception):
    """Kafka did not do what it was asked for, or did not say so in time."""

    def __init__(
        self, said: Exception, *, is_subscribed: bool = False, topics: Collection[str] = ()
    ) -> None:
        super().__init__(str(said))
        self.said = said
        """The client's own error."""
        self.is_subscribed = is_subscribed
        """Whether it is because a program has subscribed under the group's name."""
        self.topics = sorted(topics)
        """Which topics it is about, if that is known."""


class Ends(NamedTuple):
    """Where queues begin or end, as far as Kafka says."""

    at: dict[QueueRef, int]
    refused: RefusedError | None = None
    """Why it does not say so of the others."""


class Committed(NamedTuple):
    """What a group has committed, as far as Kafka says."""

    at: dict[QueueRef, tuple[int, str]]
    """With what was said with it; less than 0: nothing is committed."""
    refused: RefusedError | None = None
    """Why it does not say so of the others."""


class Client(Protocol):
    """Reads partitions, and asks about them. Its callers take turns, but for `open`."""

    astray: dict[QueueRef, int | None]
    """Queues whose next message Kafka does not have any more; where a log was cut, and the client
    knows that place, up to where it is the one that was read."""
    troubles: list[Exception]
    """What it has met instead of messages."""
    slice_s: float
    """How long one wait for messages may be: no other thread uses the client meanwhile."""

    def open(self) -> None:
        """Connect, if it has not done so by itself; called again and again.

        Raises:
            RefusedError: It does not connect.
            ConfigurationError: It never will, with these settings.
        """

    def take(self, most: int, timeout_s: float) -> "list[Message]":
        """Take what there is; wait only for the first message."""

    def collect(self, most: int, timeout_s: float) -> "list[Message]":
        """Take so many, or what has come when the time is up."""

    def look(self) -> None:
        """Go on anew if nothing more is read of something; called again and again."""

    def begin(self, places: Places) -> None:
        """Read these as well."""

    def end(self, queues: Collection[QueueRef]) -> None:
        """Read these no more."""

    def pause(self, queues: Iterable[QueueRef]) -> None:
        """Fetch nothing of these for now."""

    def resume(self, queues: Iterable[QueueRef]) -> None:
        """Go on with these."""

    def positions(self, queues: Iterable[QueueRef]) -> dict[QueueRef, int]:
        """What comes after the last message that was taken, if one was. It asks nobody."""

    def ends(self, queues: Iterable[QueueRef]) -> dict[QueueRef, int]:
        """Where they end, as Kafka said with the last fetch. It asks nobody; some are not known."""

    def committed(self, queues: list[QueueRef], timeout_s: float) -> Committed:
        """Read what the group has committed."""

    def found(self, queues: list[QueueRef], end: Start, timeout_s: float) -> Ends:
        """Find the first messages at an end or since a time; less than 0 where none is so young."""

    def found_apart(
        self, queues: list[QueueRef], end: Start, timeout_s: float
    ) -> dict[QueueRef, int]:
        """Find the same where there is an answer: a silent leader keeps no queue of others back."""

    def close(self) -> None:
        """Read nothing more."""


class Writer(Protocol):
    """Writes positions of a group, each once at most."""

    def write(self, places: Mapping[QueueRef, tuple[int, str]]) -> Future[Any]:
        """Send these, with what is said beside each; the answer comes later."""

    def check(self, answer: Future[Any]) -> None:
        """Look at an answer that has come.

        Raises:
            RefusedError: Kafka did not take it.
        """

    def drop(self) -> None:
        """Let go of what was written and has no answer; what was not sent yet never is."""


def where(message: "Message") -> tuple[QueueRef, int]:
    """Where a message stands.

    Raises:
        ConfigurationError: It is none.
    """
    try:
        return QueueRef(message.topic() or "", "", message.partition() or 0), message.offset() or 0
    except AttributeError:
        raise ConfigurationError(f"{message!r} is no message of a consumer") from None


def partition_of(message: "Message") -> tuple[str | None, int | None]:
    """What tells the messages of one queue from others: a third of what `where` costs."""
    return message.topic(), message.partition()
