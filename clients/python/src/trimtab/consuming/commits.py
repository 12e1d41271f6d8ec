"""Writing a group's positions to Kafka, so that no commit outlives the time that it was given.

A consumer's own commit has no end: while the group's coordinator hangs, librdkafka sends it again
and again, nobody can take it back, and a consumer that is closed waits for it. It may arrive when
the queue has long been somebody else's, and Kafka does not refuse that: of manually assigned
consumers the last writer wins. An admin client sends the same request once at most, within the time
that it is given; and when the client is dropped, what was not sent yet is taken back.

A consumer that calls `subscribe` under the same group id makes every commit fail
(UNKNOWN_MEMBER_ID) until it leaves. A coordinator that has just started, or is moving, answers with
errors for a while.

Each commit says in its metadata under which token and in which life of the member it was made, as
`trimtab:<token>:<incarnation>`: for people, and for tools that watch offsets.

Used by `upkeep` and `handover`. Its one rule: nothing is sent of a queue that is not owned at that
moment, and nothing is on its way when `write` or `withdraw` returns.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import Any, Final

from confluent_kafka import (
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
)
from confluent_kafka.admin import AdminClient

from trimtab.callbacks import Owned
from trimtab.consuming.offsets import checked, place, signature
from trimtab.consuming.settings import commit_settings
from trimtab.session import Grant

Places = Mapping[Grant, int]

_LOGGER: Final = logging.getLogger("trimtab")
_PATIENCE_S: Final = 2.0
"""The time of one commit. A member gives up its queues a fifth of its session before others may get
them, and the shortest session is 10 s: what was sent in this time is not sent after that."""
_LOOK_S: Final = 0.05
"""How late a wait notices that a queue is lost: as late as the member's thread."""


@dataclass(frozen=True, eq=False)
class _Sent:
    """A commit on its way."""

    places: Places
    answer: Future[ConsumerGroupTopicPartitions]
    until: float


class Commits:
    """Writes positions, one commit at a time, so that they arrive in order."""

    def __init__(
        self,
        settings: Mapping[str, Any],
        group: str,
        owned: Owned,
        written: Callable[[Places], None],
    ) -> None:
        self._settings = commit_settings(settings, _PATIENCE_S)
        self._group = group
        self._owned, self._written = owned, written
        self._turn = threading.Lock()
        """Held by the thread that writes, until there is an answer."""
        self._line = threading.Lock()
        """Held while something is sent or withdrawn, which takes no time."""
        self._client: AdminClient | None = AdminClient(self._settings)
        self._sent: _Sent | None = None

    def write(self, look: Callable[[], Places]) -> None:
        """Write what there is then, and wait until Kafka has it, or another member has the queues.

        Raises:
            KafkaException: Kafka did not take it, or did not say so in a few seconds.
        """
        if not self._turn.acquire(timeout=2 * _PATIENCE_S):  # its holder may have to wait twice
            self.withdraw()
            raise unanswered()
        try:
            if (error := self._hear_out()) is not None:
                _LOGGER.warning("could not commit offsets, will retry: %s", error)
            sent = self._send(look)
            while sent is not None and self._is_awaited(sent):
                if self._owned(sent.places).grants != sent.places.keys():
                    self.withdraw()
                wait([sent.answer], _LOOK_S)
            if sent is not None:
                self._take(sent)
        finally:
            self._turn.release()

    def write_soon(self, look: Callable[[], Places]) -> None:
        """Write what there is, if nothing else is written; `hear` sees to what becomes of it."""
        if self._turn.acquire(blocking=False):
            try:
                if self._sent is None:
                    self._send(look)
            finally:
                self._turn.release()

    def hear(self) -> None:
        """Take the answer to what was written, or give it up when there is none in time.

        Raises:
            KafkaException: Kafka did not take it. It is written again.
        """
        sent = self._sent
        if sent is None or self._is_awaited(sent) or not self._turn.acquire(blocking=False):
            return
        try:
            error = self._hear_out()
        finally:
            self._turn.release()
        if error is not None:
            raise error

    def withdraw(self) -> None:
        """Let go of what is on its way."""
        with self._line:
            if self._sent is not None:
                self._client = self._sent = None

    def _send(self, look: Callable[[], Places]) -> _Sent | None:
        with self._line:
            places = look()
            owned = self._owned(places)
            places = {it: places[it] for it in owned.grants}
            if not places:
                return None
            if (client := self._client) is None:  # an idle client is falsy: its length is 0
                client = self._client = AdminClient(self._settings)
            offsets = [
                place(it.queue, at, signature(it.token, owned.life)) for it, at in places.items()
            ]
            asked = [ConsumerGroupTopicPartitions(self._group, offsets)]
            answers = client.alter_consumer_group_offsets(asked, request_timeout=_PATIENCE_S)
            self._sent = _Sent(places, answers[self._group], time.monotonic() + _PATIENCE_S)
            return self._sent

    def _is_awaited(self, sent: _Sent) -> bool:
        return sent is self._sent and not sent.answer.done() and time.monotonic() < sent.until

    def _hear_out(self) -> KafkaException | None:
        """Wait for what another thread has sent; return what is wrong with it."""
        if (sent := self._sent) is None:
            return None
        while self._is_awaited(sent):
            wait([sent.answer], _LOOK_S)
        try:
            self._take(sent)
        except KafkaException as error:
            return error
        return None

    def _take(self, sent: _Sent) -> None:
        """Take an answer. A client without a good one is let go of: it may ask the wrong broker."""
        try:
            if not sent.answer.done():
                raise unanswered()
            checked(sent.answer.result().topic_partitions or [])
        except KafkaException:
            self.withdraw()
            raise
        self._sent = None
        self._written(sent.places)


def unanswered() -> KafkaException:
    """Kafka has not said in time what became of a commit."""
    said = "no answer to a commit"
    return KafkaException(KafkaError(KafkaError._TIMED_OUT, said))  # noqa: SLF001 - its public name
