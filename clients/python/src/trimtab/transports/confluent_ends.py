"""The end of the followed log, asked of Kafka.

After Kafka was frozen or restarted, an admin client is refused ("leader epoch is older than broker
epoch") for as long as its metadata is old, which is minutes. And librdkafka sometimes lets an
answer wait for three seconds (measured: six of a hundred questions while Kafka is idle, more while
it is not). A member has eight seconds, or fewer. So if a client does not answer soon, the question
goes to a new client as well, which has no old metadata, and the first answer counts.

Used by `confluent`. Its one rule: a missing answer is reported as trouble, and never taken for an
end.
"""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from confluent_kafka import KafkaException, TopicPartition, admin

from trimtab.transports.confluent_succession import unasked
from trimtab.transports.confluent_unpolled import unpolled

Partition = tuple[str, int]

_LATEST: Final = admin.OffsetSpec.latest()  # type: ignore[attr-defined, no-untyped-call]  # stubs
_SOON_S: Final = 0.3
"""An answer takes milliseconds. Where a handshake takes longer, a few clients ask for nothing."""
_LOOK_S: Final = 0.1
"""How often who waits looks whether to hurry."""
_MOST: Final = 8
"""Clients that may be asking at a time: each one's patience is a few seconds."""


class Ends(NamedTuple):
    """The answer."""

    at: int
    """When it was asked first: what was in the log by then is before these."""
    offsets: dict[Partition, int]


class Unanswered(Exception):  # noqa: N818 - it names what happened
    """Kafka did not say where the log ends."""


@dataclass(frozen=True, eq=False)
class _Question:
    at: int
    asked_s: float
    """The same by this module's clock."""
    followed: Sequence[Partition]
    client: admin.AdminClient | None
    """Kept until it has answered: a client that is dropped does not answer. None: it could not be
    made, and so its answers say."""
    answers: Mapping[TopicPartition, Future[Any]]
    fresh: bool

    @property
    def is_answered(self) -> bool:
        """Whether there is an answer, or a failure, for each partition."""
        return all(it.done() for it in self.answers.values())

    def ends(self, *, all_of_them: bool) -> Ends:
        """Return the answer, which is there: of all, or of those partitions that have one."""
        found, missing = dict[Partition, int](), list[Unanswered]()
        for partition, answer in self.answers.items():
            try:
                found[_key(partition)] = _end(answer)
            except Unanswered as error:
                missing.append(error)
        if missing and (all_of_them or not found):
            raise missing[0]
        return Ends(self.at, found)


class EndFinder:
    """Asks, and asks a fresh client when there is no answer soon."""

    def __init__(
        self,
        config: Mapping[str, Any],
        patience_s: float,
        *,
        all_of_them: bool = True,
    ) -> None:
        """Take how to connect; an answer is of all partitions, unless some of them will do."""
        self._config = unpolled(config)
        self._patience_s = patience_s
        self._all_of_them = all_of_them
        self._client: admin.AdminClient | None = None
        """The last one that has answered."""
        self._questions: list[_Question] = []
        """Those without an answer, the latest last."""

    def ask(self, at: int, followed: Sequence[Partition]) -> None:
        """Ask the client that answered last, or a new one if there is none or it is busy."""
        if len(self._questions) < _MOST:
            client, self._client = self._client, None
            self._send(at, followed, client)

    def answer(self) -> Ends | None:
        """Return an answer, once there is one.

        Raises:
            Unanswered: There is none, not even from a fresh client.
        """
        for question in [it for it in reversed(self._questions) if it.is_answered]:
            self._questions.remove(question)
            try:
                ends = question.ends(all_of_them=self._all_of_them)
            except Unanswered:
                if self._questions:
                    continue
                if question.fresh:
                    raise
                self._send(question.at, question.followed, None)
            else:
                self._client = question.client
                return ends
        self._hurry()
        return None

    def prepare(self) -> None:
        """Have a fresh client connect, while who will ask is busy with something else."""
        self._client = self._fresh()

    def find(self, followed: Sequence[Partition]) -> dict[Partition, int]:
        """Ask the prepared client, and fresh ones if it is slow, and wait: a member is starting.

        Raises:
            Unanswered: There is no answer.
        """
        self._questions.clear()
        if self._client is not None:
            _await_connection(self._client, followed)
        self.ask(0, followed)
        deadline = time.monotonic() + self._patience_s
        while (ends := self.answer()) is None:
            if time.monotonic() >= deadline:
                raise Unanswered("Kafka does not answer")
            awaited = [of for it in self._questions for of in it.answers.values() if not of.done()]
            wait(awaited, _LOOK_S, FIRST_COMPLETED)
        self._questions.clear()  # a late answer would be taken for that to the next question
        return ends.offsets

    def _hurry(self) -> None:
        """Ask a fresh client as well, if there is no answer soon."""
        if self._questions and len(self._questions) < _MOST:
            latest = self._questions[-1]
            if time.monotonic() - latest.asked_s > _SOON_S:
                self._send(latest.at, latest.followed, None)

    def _send(
        self, at: int, followed: Sequence[Partition], client: admin.AdminClient | None
    ) -> None:
        fresh = client is None
        query = {TopicPartition(*it): _LATEST for it in followed}
        try:
            client = self._fresh() if client is None else client  # an idle one is falsy
            answers = client.list_offsets(query, request_timeout=self._patience_s)
        except KafkaException as error:  # somebody may just be replacing its files
            answers = {it: unasked(error) for it in query}
        now = time.monotonic()
        self._questions.append(_Question(at, now, followed, client, answers, fresh))

    def _fresh(self) -> admin.AdminClient:
        return admin.AdminClient(self._config)


def _await_connection(client: admin.AdminClient, followed: Sequence[Partition]) -> None:
    """Wait until a client has heard of a broker: what it is asked before may wait for seconds.

    It is not asked for the cluster: where all brokers are fenced, as after a freeze, librdkafka
    2.16 ends the process at the answer, because it names none.
    """
    with suppress(KafkaException):  # a fresh client is asked as well then
        client.list_topics(followed[0][0], _SOON_S)


def _key(partition: TopicPartition) -> Partition:
    return partition.topic, partition.partition


def _end(answer: Future[Any]) -> int:
    try:
        offset = answer.result().offset
    except KafkaException as error:
        raise Unanswered(error.args[0].str()) from error
    if not isinstance(offset, int) or offset < 0:  # so it looks when time was up
        raise Unanswered("Kafka does not answer")
    return offset
