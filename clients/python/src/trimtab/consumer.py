"""A consumer: a member of a group that reads its share of Kafka itself.

    with Consumer("localhost:9092", group="billing", topics=["orders"]) as consumer:
        for message in consumer:
            handle(message)

A message is done, and may be committed, when the loop has come back for the next one. How it works
is in `trimtab.consuming`.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, cast

from trimtab.callbacks import Callbacks
from trimtab.clock import now_s
from trimtab.consuming.choice import ConsumerOptions, Tell, Told, read_options
from trimtab.consuming.health import Health
from trimtab.consuming.signals import Signals
from trimtab.durations import milliseconds
from trimtab.errors import ConfigurationError, StuckError
from trimtab.member import Member
from trimtab.protocol import QueueRef
from trimtab.session import Grant

if TYPE_CHECKING:
    from confluent_kafka import Message
    from typing_extensions import Unpack  # in `typing` from Python 3.12 on

    from trimtab.consuming.assembly import Parts

_LOGGER: Final = logging.getLogger("trimtab")
_SLICE_S: Final = 0.005
"""How long one wait for messages keeps others from the client."""


class Consumer:
    """One member of one group, and what it reads. One thread takes messages."""

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
        choice, members = read_options(options)
        Callbacks(on_assigned, cast("Any", on_revoked), on_lost, on_error)  # can they be called?
        self._on_error, self._error = on_error, cast("Exception | None", None)
        self._failure: StuckError | None = None
        self._max_poll_s = choice.times.max_poll_s
        self.member = Member(
            bootstrap_servers,
            on_assigned=lambda grants: self._parts.handover.on_assigned(grants),  # noqa: PLW0108 - made below
            on_revoked=lambda grants: self._parts.handover.on_revoked(grants),  # noqa: PLW0108 - made below
            on_lost=lambda grants: self._parts.handover.on_lost(grants),  # noqa: PLW0108 - made below
            on_error=self._hear,
            **members,
        )
        tell = (on_assigned or _nobody, on_revoked or _nobody, on_lost or _nobody)
        self._parts: Parts = _assembly().assemble(
            self.member.profile,
            self.member.owned,
            bootstrap_servers,
            members.get("kafka", {}),
            choice,
            Told(*tell, self._report, self._be_stuck),
        )
        self._signals = Signals(self.stop)

    def __iter__(self) -> "Iterator[Message]":
        """Take message after message, until the consumer is told to stop.

        Raises:
            MemberFailedError: The member has failed, or the loop was stuck.
        """
        intake, hand, now = self._parts.intake, self._parts.intake.hand, now_s
        while True:
            hand.at = at = hand.at + 1  # the one before is done
            if now() >= intake.due:
                intake.look()
                if self._is_over():
                    return
                at = hand.at
            if at < len(hand.messages):
                yield hand.messages[at]
            else:
                intake.fetch(_SLICE_S)

    def poll(self, timeout: str | float = 1.0) -> "Message | None":
        """Take the next message, if there is one in time; the one before is done.

        After `stop` there is none: ask `running` in your loop.
        """
        intake, deadline = self._parts.intake, now_s() + milliseconds("timeout", timeout) / 1_000
        while True:
            message = intake.advance()
            if message is not None:
                return message
            if self._is_over() or (left := deadline - now_s()) <= 0:
                return None
            intake.fetch(left)

    def batches(self, size: int = 500, timeout: str | float = "200ms") -> "Iterator[list[Message]]":
        """Take messages by the list: so many, or what has come by so long after the first.

        A batch is done when the loop has come back for the next one.
        """
        intake, patience = self._parts.intake, milliseconds("timeout", timeout) / 1_000
        intake.hand.at += 1  # as of iteration, if that came before
        while True:
            late: float | None = None
            count = 0
            while count < size and (late is None or now_s() < late):
                count = intake.collect(size, _SLICE_S)
                if self._is_over():
                    return
                late = now_s() + patience if late is None and count else late
            if batch := intake.hand_out(size):
                yield batch

    def commit(self, messages: "Message | Iterable[Message] | None" = None) -> bool:
        """These messages are done, and so is all before them in their queues: commit, and wait.

        Without messages it commits what is done.

        Returns:
            Whether all of them counted. Those of a queue that went to others meanwhile do not.

        Raises:
            CommitError: Kafka does not take it, or does not say so in a few seconds.
        """
        some = messages if messages is None or isinstance(messages, Iterable) else [messages]
        return self._parts.commit(some)

    @property
    def running(self) -> bool:
        """Whether there may be more messages: for a loop around `poll`."""
        return not self._is_over()

    @property
    def waiting(self) -> bool:
        """Whether a hand-over waits for what is in hand, or not committed: finish it soon."""
        return self._parts.handover.is_awaited()

    @property
    def assignment(self) -> tuple[Grant, ...]:
        """The queues it owns at this moment."""
        return self.member.assignment

    @property
    def health(self) -> Health:
        """How it is: for probes, from any thread."""
        state, since = self.member.state, self._parts.upkeep.since_poll
        return Health(
            ready=state == "joined" and since <= self._max_poll_s and self._failure is None,
            state=state,
            queues=tuple(it.queue for it in self.member.assignment),
            since_poll=since,
            last_error=self._error,
        )

    def token(self, message: "Message") -> int:
        """The token under which a message's queue is owned: write it with your effects.

        Raises:
            KeyError: The queue is not this consumer's any more.
        """
        return self._parts.token(message)

    def pause(self, *queues: QueueRef) -> None:
        """Hand out nothing of these until `resume`; queues that it does not own are left out."""
        mine = {it.queue for it in self.assignment}
        self._parts.set_paused(mine.intersection(queues), paused=True)

    def resume(self, *queues: QueueRef) -> None:
        """Go on with these."""
        self._parts.set_paused(queues, paused=False)

    def seek(self, queue: QueueRef, offset: int) -> None:
        """Read on at another offset. What is committed does not go back with it.

        Raises:
            KeyError: The queue is not this consumer's.
        """
        if queue not in {it.queue for it in self.assignment}:
            raise KeyError(queue)
        self._parts.seek(queue, offset)

    def stop(self) -> None:
        """End the loop in good order. It takes no lock: any thread and signal handler may call it.

        The loop ends when it comes back for the next message; leaving the block does the rest.
        """
        self._parts.intake.stop()

    def __enter__(self) -> Self:
        self._signals.take()
        self._parts.upkeep.start()
        self.member.start()
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
            self._parts.intake.give_up()
            self.member.stop("0s")
            self._parts.close()
        finally:
            self._signals.give_back()
        if error is None and (failure := self._failure or self.member.failure) is not None:
            raise failure

    def _is_over(self) -> bool:
        """Whether the loop ends; raise what ended it."""
        if (failure := self._failure or self.member.failure) is not None:
            raise failure
        return self._parts.intake.over or self.member.state == "ended"

    def _be_stuck(self, seconds: float) -> None:
        """Have others go on: the loop does not come back."""
        text = f"the loop has not come back for {seconds:.0f} s (max_poll_interval)"
        self._failure = StuckError(f"{text}: its queues go to others")
        self._parts.intake.give_up()
        self.member.leave("0s")
        self._report(self._failure)

    def _report(self, error: Exception) -> None:
        _LOGGER.warning("%s", error)
        try:
            self._hear(error)
        except Exception:
            _LOGGER.exception("on_error failed")

    def _hear(self, error: Exception) -> None:
        self._error = error
        if self._on_error is not None:
            self._on_error(error)


def _nobody(_: tuple[Grant, ...]) -> None:
    """Hear of a change, and do nothing."""


def _assembly() -> ModuleType:
    try:
        return import_module("trimtab.consuming.assembly")
    except ImportError as error:
        remedy = "pip install 'trimtab[confluent]'"
        raise ConfigurationError(f"client: a consumer needs confluent-kafka: {remedy}") from error
