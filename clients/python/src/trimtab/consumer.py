"""A consumer: a member of a group that reads its share of Kafka itself.

    with Consumer("localhost:9092", group="billing", topics=["orders"]) as consumer:
        for message in consumer:
            handle(message)

A message is done, and may be committed, when the loop has come back for the next one. How it works
is in `trimtab.consuming`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from trimtab.clock import now_s
from trimtab.consuming.choice import ConsumerOptions, Tell, batch_size
from trimtab.durations import milliseconds
from trimtab.either_consumer import EitherConsumer
from trimtab.protocol import QueueRef
from trimtab.reader import Hearers, Reader

if TYPE_CHECKING:
    from confluent_kafka import Message
    from typing_extensions import Unpack  # in `typing` from Python 3.12 on


class Consumer(EitherConsumer):
    """One member of one group, and what it reads. One thread takes messages."""

    _READER: type[Reader] = Reader

    def __init__(
        self,
        bootstrap_servers: str | None = None,
        *,
        on_assigned: Tell | None = None,
        on_revoked: Tell | None = None,
        on_lost: Tell | None = None,
        on_error: Callable[[Exception], object] | None = None,
        **options: "Unpack[ConsumerOptions]",
    ) -> None:
        """Say who wants a share of which topics. Nothing starts before the block.

        Args:
            bootstrap_servers: Where Kafka is.
            on_assigned: Called with new queues before their first message. The callbacks only tell;
                they run on a thread of their own.
            on_revoked: Called with queues that are given up, when the loop works on nothing of them
                any more: the last time to `commit`, with `commit="manual"`.
            on_lost: Called with queues that are no longer this consumer's.
            on_error: Called with trouble that may pass, and with what ends the consumer.
            **options: `group`, `topics` or `patterns`, and others (`ConsumerOptions`).
        """
        hearers = Hearers(on_assigned, on_revoked, on_lost, on_error)
        super().__init__(self._READER(bootstrap_servers, hearers, options))
        self.member = self._reader.member

    def __iter__(self) -> "Iterator[Message]":
        """Take message after message, until the consumer is told to stop.

        What a loop is left with by `break` or an error was not finished: the next loop begins with
        it, unless it was committed.

        Raises:
            MemberFailedError: The member has failed, or the loop was stuck.
        """
        return self._reader.taking.each()

    def poll(self, timeout: str | float = 1.0) -> "Message | None":
        """Take the next message, if there is one in time; the one before is done.

        After `stop` there is none, but the one before is done: ask `running` in your loop.

        Raises:
            RuntimeError: Another thread works on the message before.
        """
        taking, until = self._reader.taking, now_s() + milliseconds("timeout", timeout) / 1_000
        taking.alone.enter()
        taking.poll()
        return taking.alone.took(taking.next(until))

    def batches(self, size: int = 500, timeout: str | float = "200ms") -> "Iterator[list[Message]]":
        """Take messages by the list: so many, or what has come by so long after the first.

        A batch is done when the loop has come back for the next one; to take them one by one, keep
        the iterator: a new one begins with what the one before was left with.
        """
        return self._batches(batch_size(size), milliseconds("timeout", timeout) / 1_000)

    def commit(self, messages: "Message | Iterable[Message] | None" = None) -> bool:
        """These messages are done, and so is all before them in their queues: commit, and wait.

        Without messages it commits what is done; with `commit="manual"` only you know that.

        Returns:
            Whether all of them counted. Those of a queue that went to others meanwhile do not, also
            if it has come back since.

        Raises:
            ConfigurationError: `commit="manual"`, and no messages.
            CommitError: Kafka does not take it, or does not say so in a few seconds.
        """
        some = messages if messages is None or isinstance(messages, Iterable) else [messages]
        return self._parts.commit(some)

    def lag(self) -> Mapping[QueueRef, int | None]:
        """How many messages of each of its queues are not done, without asking Kafka.

        It is what the last fetch has said; None: none has said anything yet.
        """
        return self._parts.lag()

    def subscribe(self, topics: Sequence[str] = (), patterns: Sequence[str] = ()) -> None:
        """Want these topics from now on, instead of those before; what both have stays."""
        self._reader.subscribe(topics, patterns)

    def pause(self, *queues: QueueRef) -> None:
        """Hand out nothing of these until `resume`; queues that it does not own are left out."""
        self._reader.pause(queues)

    def resume(self, *queues: QueueRef) -> None:
        """Go on with these."""
        self._reader.resume(queues)

    def seek(self, queue: QueueRef, offset: int) -> None:
        """Read on at another offset. What is committed does not go back with it.

        With `fencing`, what was sent from there on and is not committed is forgotten: it is sent
        again. To seek beyond a message of which `send` has raised `CommitError` skips it.

        Raises:
            KeyError: The queue is not this consumer's.
        """
        self._reader.seek(queue, offset)

    def _batches(self, size: int, patience_s: float) -> "Iterator[list[Message]]":
        taking = self._reader.taking
        taking.alone.enter()
        taking.begin()
        while True:
            taking.alone.enter()
            if not (batch := taking.alone.took(taking.batch(size, patience_s))):
                return
            taking.in_loop = True
            yield batch
            taking.in_loop = False

    def __enter__(self) -> Self:
        self._reader.start()
        self._reader.signals.take()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Commit what is done, hand over and leave. What is in hand goes to others.

        Raises:
            MemberFailedError: The member has failed, and no error tells of it yet.
        """
        try:
            self._reader.end()
        finally:
            self._reader.signals.give_back()
        if error is None and (failure := self._reader.failure) is not None:
            raise failure
