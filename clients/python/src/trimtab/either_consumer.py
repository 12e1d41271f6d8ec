"""Either consumer: what `Consumer` and `AsyncConsumer` have in common.

Their one rule: nothing here waits, so it is the same with and without an event loop.
"""

from typing import TYPE_CHECKING, Any

from trimtab.consuming.health import Health
from trimtab.reader import Reader
from trimtab.session import Grant

if TYPE_CHECKING:
    from confluent_kafka import Message


class EitherConsumer:
    """One member of one group, and what it reads."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self._parts = reader, reader.parts

    @property
    def running(self) -> bool:
        """Whether to poll again: after `stop` once more, to say that the last message is done."""
        return not self._reader.is_over() or self._reader.taking.has_polled

    @property
    def waiting(self) -> bool:
        """Whether a hand-over waits for what is in hand, or not committed: finish it soon."""
        return self._parts.handover.is_awaited()

    @property
    def assignment(self) -> tuple[Grant, ...]:
        """The queues it owns at this moment."""
        return self._reader.assignment

    @property
    def health(self) -> Health:
        """How it is: for probes, from any thread."""
        return self._reader.health

    def token(self, message: "Message") -> int:
        """The token under which a message was handed out: write it with your effects.

        Ask while the message is in hand: once its queue is back, the same message may come again.

        Raises:
            KeyError: The queue is not this consumer's under that token any more: it was others'
                meanwhile, though it may be back.
        """
        return self._parts.token(message)

    def send(
        self,
        message: "Message",
        topic: str,
        value: str | bytes | None = None,
        key: str | bytes | None = None,
        **more: "Any",  # noqa: ANN401 - the client's own: headers, partition, timestamp
    ) -> bool:
        """Write to Kafka, with the commit of a message or not at all, as confluent's `produce`.

        Returns:
            Whether it counts: the message is not committed yet, and its queue still ours.

        Raises:
            ConfigurationError: There is no `fencing="transactional"`, or this cannot be sent.
            CommitError: Commits of the queue fail, and too much waits for that.
        """
        return self._parts.send(message, {"topic": topic, "value": value, "key": key, **more})

    def stop(self, *, temporary: bool = False) -> None:
        """End the loop in good order. It takes no lock: any thread and signal handler may call it.

        The loop ends when it comes back for the next message; leaving the block does the rest. With
        an `instance` a stop may be temporary: its queues wait for it, for a session at most.

        Raises:
            ConfigurationError: It has no instance to come back under.
        """
        self._reader.stop(temporary=temporary)
