"""An attempt: one transaction of one queue, and what Kafka does not take of it.

Used by `transactions`, which makes another client after one that has failed. Its one rule: whoever
keeps the error keeps no client with it.
"""

import threading
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

from confluent_kafka import KafkaError, KafkaException, Message, Producer, TopicPartition

from trimtab.consuming.confluent import refused
from trimtab.consuming.contract import RefusedError
from trimtab.consuming.sends import MOST, Send
from trimtab.consuming.unsent import Refusal, refusal, unsent, untaken
from trimtab.session import Grant
from trimtab.transports.confluent_discarding import discard

T = TypeVar("T")

LARGEST_BATCH: Final = 1_000_000
"""librdkafka's default of `batch.size`."""
_APART: Final = 100
"""Bytes of a batch in which there is room for one record only: each takes 70 by itself."""
_SMALLER: Final = 10
_HEAR_S: Final = 1.0
"""What became of the records is there when a transaction has failed."""


@dataclass(eq=False)
class Registered:
    """A queue for which this life may write."""

    producer: Producer | None
    """None: what became of its last transaction is not known."""
    at: int
    """The last position that Kafka has: everything before it is written, and never again."""
    turn: threading.Lock = field(default_factory=threading.Lock)
    """Held during a transaction."""
    why: str | None = None
    """What is wrong with what was to be written last, if that is known."""
    met: str | None = None
    """What the last transaction has met, also one of before it registered again."""
    most: int = MOST
    """How many sends go together: fewer after a failure. Else all would be written again and again
    for one that Kafka does not take; and those before it are committed so."""
    batch: int = LARGEST_BATCH
    """How many bytes go to a broker together: fewer after it has called that too much."""
    over: int = -1
    """The last message of which something is too much by itself: larger batches go after it."""

    @property
    def is_over(self) -> bool:
        """Whether what was too much by itself is there now, or was skipped."""
        return -1 < self.over < self.at


class Attempt:
    """One transaction, until it is committed, or ended."""

    def __init__(self, producer: Producer, sends: list[Send], batch: int) -> None:
        """Take the client, whose batches have so many bytes at most."""
        self._producer, self._sends, self._batch = producer, sends, batch
        self._refusals = list[Refusal]()

    def write(self, place: TopicPartition, group: object, patience_s: float) -> None:
        """Write the sends, and a group's position with them."""
        self._producer.begin_transaction()
        for send in self._sends:
            try:
                self._produce(send)
            except BufferError:  # too many for its queue
                self._producer.flush(patience_s)
                self._produce(send)
        self._producer.send_offsets_to_transaction([place], group, patience_s)
        self._producer.commit_transaction(patience_s)

    def end(self, grant: Grant) -> str | None:
        """Let go of the client, after a failure; say why it has failed, if that is known."""
        with suppress(KafkaException):
            self._producer.flush(_HEAR_S)  # no other call tells what became of a record
        why = untaken(grant, self._refusals, alone=self._is_alone)
        why = why or unsent(self._producer, self._sends)
        held: list[object] = [self._producer]
        del self._producer
        discard(held)
        return why

    @property
    def next_batch(self) -> int:
        """How large the batches of the next client are: too large ones never pass."""
        is_too_large = any(it.is_of_batch for it in self._refusals) and not self._is_alone
        return max(1, self._batch // _SMALLER) if is_too_large else self._batch

    @property
    def over(self) -> int:
        """The last message of which something is too much by itself; -1: none that is known."""
        those = self._refusals if self._is_alone else []
        return max((it.send.offset for it in those if it.is_of_batch), default=-1)

    @property
    def _is_alone(self) -> bool:
        """Whether each send goes by itself."""
        return len(self._sends) == 1 or self._batch <= _APART

    def _produce(self, send: Send) -> None:
        try:
            self._producer.produce(**send.arguments, on_delivery=partial(self._hear, send))
        except KafkaException as error:  # it need not be asked: it knows that topic
            self._hear(send, error.args[0])
            raise

    def _hear(self, send: Send, error: KafkaError | None, _: Message | None = None) -> None:
        if (found := refusal(send, error)) is not None:
            self._refusals.append(found)


def result_of(answer: Future[T]) -> T:
    """What another thread has found.

    Raises:
        RefusedError: Kafka has not taken it.
    """
    try:
        return answer.result()
    except KafkaException as error:
        raise refused(error) from error
    except RefusedError:
        raise
    except Exception as error:  # the client's, of an argument: a hand-over must not fail for it
        raise RefusedError(error) from error
