"""The data plane on Kafka: a confluent-kafka Consumer that reads what its member was granted.

    binding = ConsumerBinding(consumer)
    member = Member("localhost:9092", group="billing", topics=["orders"], **binding.callbacks)
    member.start()
    while member.state != "ended":
        message = binding.poll(0.1)
        if message is not None:
            handle(message)

A message counts as handled when the next one is asked for. A queue is given up between two
messages; its position is committed and travels to the heir. Four facts are behind this:

- Only `incremental_assign` and `incremental_unassign` are used: a full `assign` of old and new
  partitions rewinds every one of them to its committed offset.
- Kafka does not fence the commits of manually assigned consumers, the last writer wins: so nothing
  is committed for queues that were lost.
- Only one thread at a time gets into a consumer (confluent-kafka since 2.16), and one that polls in
  a loop leaves no gap for others: so it polls in slices, and asks for the lock in between.
- Whoever calls `subscribe` under the same group id makes these commits fail with UNKNOWN_MEMBER_ID
  until he leaves: keep the consumer's `group.id` to the member's group.
"""

import logging
import time
from collections.abc import Callable
from threading import Condition
from typing import Final, TypedDict

from confluent_kafka import (
    OFFSET_STORED,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)

from trimtab.callbacks import Positions
from trimtab.protocol import QueueRef
from trimtab.session import Grant

_LOGGER: Final = logging.getLogger("trimtab")
_SLICE_S: Final = 0.005
"""How long a hand-over may wait for a poll that waits for a message: as long as the rest of it."""

_UNSETTLED: Final = {
    KafkaError.NOT_COORDINATOR,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
}
"""The group's coordinator is moving or has just started. librdkafka (2.16) reports that it could
not fetch the committed offsets and then never asks again: the partitions would rest for ever."""
_ASK_AGAIN_S: Final = 0.1
"""librdkafka's own first pause before a retry (`retry.backoff.ms`)."""


class BoundCallbacks(TypedDict):
    """What a member has to be made with."""

    on_assigned: Callable[[tuple[Grant, ...]], None]
    on_revoked: Callable[[tuple[Grant, ...]], Positions]
    on_lost: Callable[[tuple[Grant, ...]], None]


class ConsumerBinding:
    """Keeps a consumer's partitions equal to a member's grants.

    `poll` is for the thread that handles messages, the callbacks are for the member's. They share
    the consumer and the message in hand; callbacks hold the condition while they use either.
    """

    def __init__(
        self, consumer: Consumer, *, commit_interval: float = 5.0, patience: float = 30.0
    ) -> None:
        """Bind a consumer made with `enable.auto.commit` false and the member's `group.id`.

        Args:
            consumer: Nobody else may assign its partitions.
            commit_interval: Seconds between commits: what a crash may repeat.
            patience: Seconds that giving up a queue waits for the message in hand.
        """
        self._consumer = consumer
        self._commit_interval = commit_interval
        self._patience = patience
        self._changed = Condition()
        self._positions: dict[QueueRef, int | None] = {}
        """The next message to handle of each queue; None: none was handled yet."""
        self._in_hand: tuple[QueueRef, int] | None = None
        self._commit_at = time.monotonic() + commit_interval
        self._ask_again_at: float | None = None

    @property
    def callbacks(self) -> BoundCallbacks:
        """The callbacks to make the member with."""
        return {
            "on_assigned": self.on_assigned,
            "on_revoked": self.on_revoked,
            "on_lost": self.on_lost,
        }

    def poll(self, timeout: float) -> Message | None:
        """Put down the message in hand, and take the next one if there is one in time."""
        deadline = time.monotonic() + timeout
        self.put_down()
        message = self._consumer.poll(min(timeout, _SLICE_S))
        while message is None and (left := deadline - time.monotonic()) > 0:
            with self._changed:  # a callback that wants the consumer holds this
                pass
            message = self._consumer.poll(min(left, _SLICE_S))
        if message is None:
            return None
        if (error := message.error()) is not None:
            return None if self._will_ask_again(error) else message
        queue = QueueRef(message.topic() or "", "", message.partition() or 0)
        offset = message.offset() or 0
        with self._changed:
            if queue not in self._positions or offset < (self._positions[queue] or 0):
                return None  # fetched before the queue was given up
            self._in_hand = queue, offset
        return message

    def put_down(self) -> None:
        """The message in hand has been handled; `poll` says so by itself."""
        with self._changed:
            if self._in_hand is not None:
                queue, offset = self._in_hand
                self._positions[queue] = offset + 1
                self._in_hand = None
                self._changed.notify_all()
            now = time.monotonic()
            if now >= self._commit_at:
                self._commit(self._positions, asynchronous=True)
                self._commit_at = now + self._commit_interval
            if self._ask_again_at is not None and now >= self._ask_again_at:
                self._begin_again()

    def on_assigned(self, grants: tuple[Grant, ...]) -> None:
        """Begin where the last owner stopped, or else where the group has committed."""
        with self._changed:
            self._positions |= {grant.queue: grant.position for grant in grants}
            starts = [
                _at(grant.queue, OFFSET_STORED if grant.position is None else grant.position)
                for grant in grants
            ]
            self._consumer.incremental_assign(starts)

    def on_revoked(self, grants: tuple[Grant, ...]) -> Positions:
        """Let the message in hand be finished, then stop, commit, and say where."""
        queues = {grant.queue for grant in grants}
        with self._changed:
            if not self._changed.wait_for(lambda: not self._works_on(queues), self._patience):
                raise TimeoutError(f"a message is still in hand after {self._patience:g} s")
            positions = self._drop(queues)
            self._commit(positions, asynchronous=False)
        return positions

    def on_lost(self, grants: tuple[Grant, ...]) -> None:
        """Stop. Others may be at work already, so nothing is committed."""
        queues = {grant.queue for grant in grants}
        with self._changed:
            if self._works_on(queues):
                self._in_hand = None  # whatever comes of it, it is not ours any more
            self._drop(queues)

    def _will_ask_again(self, error: KafkaError) -> bool:
        if error.code() not in _UNSETTLED:
            return False
        with self._changed:
            self._ask_again_at = time.monotonic() + _ASK_AGAIN_S
        return True

    def _begin_again(self) -> None:
        """Ask for the committed offsets of the queues of which no message has been handled."""
        self._ask_again_at = None
        unbegun = [_at(queue) for queue, at in self._positions.items() if at is None]
        if unbegun:
            self._consumer.incremental_unassign(unbegun)
            self._consumer.incremental_assign(unbegun)

    def _works_on(self, queues: set[QueueRef]) -> bool:
        return self._in_hand is not None and self._in_hand[0] in queues

    def _drop(self, queues: set[QueueRef]) -> dict[QueueRef, int | None]:
        """Have them no more; what is lost may have been given up a moment ago."""
        dropped = {queue: self._positions.pop(queue) for queue in queues & self._positions.keys()}
        self._consumer.incremental_unassign([_at(queue) for queue in dropped])
        return dropped

    def _commit(self, positions: Positions, *, asynchronous: bool) -> None:
        """Commit. A failure costs a repetition at most: the position travels with the release."""
        known = [_at(queue, at) for queue, at in positions.items() if at is not None]
        if not known:
            return
        try:
            if asynchronous:
                self._consumer.commit(offsets=known, asynchronous=True)
            else:
                self._consumer.commit(offsets=known, asynchronous=False)
        except KafkaException as error:
            _LOGGER.warning("%d offsets were not committed: %s", len(known), error)


def _at(queue: QueueRef, offset: int = OFFSET_STORED) -> TopicPartition:
    return TopicPartition(queue.topic, queue.id, offset)
