"""A consumer for programs with asyncio: the same rules, and nothing that stops the event loop.

    async with AsyncConsumer("localhost:9092", group="billing", topics=["orders"]) as consumer:
        async for message in consumer:
            await handle(message)

A message is done, and may be committed, when the loop has come back for the next one. What may wait
runs on threads (`trimtab.consuming.offload`); the rest is that of `Consumer`.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from trimtab.clock import now_s
from trimtab.consuming.awaiting import Awaiting, Loop
from trimtab.consuming.choice import ConsumerOptions, Tell, batch_size
from trimtab.consuming.offload import Offload
from trimtab.durations import milliseconds
from trimtab.either_consumer import EitherConsumer
from trimtab.loop_calls import LoopCalls
from trimtab.protocol import QueueRef
from trimtab.reader import Hearers, Reader

if TYPE_CHECKING:
    from confluent_kafka import Message
    from typing_extensions import Unpack  # in `typing` from Python 3.12 on


class AsyncConsumer(EitherConsumer):
    """One member of one group, and what it reads. One task takes messages."""

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
        """As for `trimtab.Consumer`; each callback may be a coroutine function, run on the loop."""
        self._calls = calls = LoopCalls()
        hearers = Hearers(
            calls.on_loop("on_assigned", on_assigned),
            calls.on_loop("on_revoked", on_revoked),
            calls.on_loop("on_lost", on_lost),
            calls.on_loop("on_error", on_error),
        )
        super().__init__(self._READER(bootstrap_servers, hearers, options))
        self._taking = self._reader.taking
        self._offload = Offload(self._taking)
        self._awaiting = Awaiting(self._taking, self._offload)

    def __aiter__(self) -> "AsyncIterator[Message]":
        """Take message after message, until the consumer is told to stop.

        What a loop is left with by `break`, an error or a cancellation was not finished: the next
        loop begins with it, unless it was committed.
        """
        return aiter(Loop(self._awaiting))

    async def __anext__(self) -> "Message":
        """Take the next message; the one before is done.

        Raises:
            MemberFailedError: The member has failed, or the loop was stuck.
        """
        message = await self._awaiting.step()
        if message is None:
            raise StopAsyncIteration
        return message

    async def poll(self, timeout: str | float = 1.0) -> "Message | None":  # noqa: ASYNC109 - as of `Consumer`
        """Take the next message, if there is one in time; the one before is done.

        After `stop` there is none, but the one before is done: ask `running` in your loop. A task
        that is cancelled here gets no message, and the next one who asks gets it.
        """
        self._offload.enter()
        self._taking.poll()
        return await self._awaiting.next(now_s() + milliseconds("timeout", timeout) / 1_000)

    def batches(
        self,
        size: int = 500,
        timeout: str | float = "200ms",
    ) -> "AsyncIterator[list[Message]]":
        """Take messages by the list: so many, or what has come by so long after the first.

        A batch is done when the loop has come back for the next one; to take them one by one, keep
        the iterator: a new one begins with what the one before was left with.
        """
        return self._batches(batch_size(size), milliseconds("timeout", timeout) / 1_000)

    async def commit(self, messages: "Message | Iterable[Message] | None" = None) -> bool:
        """These messages are done, and so is all before them: commit, as `Consumer.commit` does.

        Raises:
            ConfigurationError: `commit="manual"`, and no messages.
            CommitError: Kafka does not take it, or does not say so in a few seconds.
        """
        one = messages if messages is None or isinstance(messages, Iterable) else [messages]
        some = None if one is None else list(one)  # the application's code runs here
        return await self._offload.beside(lambda: self._parts.commit(some))

    async def subscribe(self, topics: Sequence[str] = (), patterns: Sequence[str] = ()) -> None:
        """Want these topics from now on, instead of those before; what both have stays."""
        await self._offload.beside(lambda: self._reader.subscribe(topics, patterns))

    async def lag(self) -> Mapping[QueueRef, int | None]:
        """How many messages of each of its queues are not done, as of `Consumer.lag`."""
        return await self._offload.beside(self._parts.lag)

    async def pause(self, *queues: QueueRef) -> None:
        """Hand out nothing of these until `resume`; queues that it does not own are left out."""
        await self._offload.beside(lambda: self._reader.pause(queues))

    async def resume(self, *queues: QueueRef) -> None:
        """Go on with these."""
        await self._offload.beside(lambda: self._reader.resume(queues))

    async def seek(self, queue: QueueRef, offset: int) -> None:
        """Read on at another offset. What is committed does not go back with it.

        With `fencing`, what was sent from there on and is not committed is forgotten: it is sent
        again. To seek beyond a message of which `send` has raised `CommitError` skips it.

        Raises:
            KeyError: The queue is not this consumer's.
        """
        await self._offload.beside(lambda: self._reader.seek(queue, offset))

    async def __aenter__(self) -> Self:
        self._calls.loop = asyncio.get_running_loop()
        try:
            await self._offload.beside(self._reader.start)
        except asyncio.CancelledError:  # nobody will leave the block
            await self._end()
            raise
        self._reader.signals.take()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Commit what is done, hand over and leave. What is in hand goes to others.

        Raises:
            MemberFailedError: The member has failed, and no error tells of it yet.
        """
        await self._end()
        if error is None and (failure := self._reader.failure) is not None:
            raise failure

    async def _batches(self, size: int, patience_s: float) -> "AsyncIterator[list[Message]]":
        taking = self._taking
        self._awaiting.begin()
        while batch := await self._offload.take(lambda: taking.batch(size, patience_s)):
            taking.in_loop = True
            yield batch
            self._offload.enter()
            taking.in_loop = False

    async def _end(self) -> None:
        self._reader.leave()
        try:
            await self._offload.end(self._reader.end)
        finally:
            self._reader.signals.give_back()
