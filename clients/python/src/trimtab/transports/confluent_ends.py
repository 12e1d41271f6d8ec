"""Where the followed log ends, asked of Kafka.

An admin client never notices that a partition has another leader, or the same one anew: after Kafka
was frozen or restarted it is refused ("leader epoch is older than broker epoch") for as long as its
metadata is old, which is minutes. So a client that got no answer is never asked again: the question
goes to a fresh one, which knows nothing that could be old. Clients are made and dropped within
milliseconds.

Used by `confluent`. Its one rule: no answer is told as trouble, and never taken for an end.
"""

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Final, NamedTuple

from confluent_kafka import KafkaException, TopicPartition, admin

Partition = tuple[str, int]

_LATEST: Final = admin.OffsetSpec.latest()  # type: ignore[attr-defined, no-untyped-call]  # stubs


class Ends(NamedTuple):
    """The answer."""

    at: int
    """When it was asked."""
    offsets: dict[Partition, int]


class Unanswered(Exception):  # noqa: N818 - it names what happened
    """Kafka did not say where the log ends."""


class _Question(NamedTuple):
    at: int
    followed: Sequence[Partition]
    answers: Mapping[TopicPartition, Future[Any]]
    by_fresh: bool
    """Whether the client that asks was made for this question."""


class EndFinder:
    """Asks one question at a time."""

    def __init__(
        self, config: Mapping[str, Any], logger: logging.Logger, patience_s: float
    ) -> None:
        self._config = dict(config)
        self._logger = logger
        self._patience_s = patience_s
        self._client: admin.AdminClient | None = None
        self._question: _Question | None = None

    def ask(self, at: int, followed: Sequence[Partition]) -> None:
        """Ask, unless an answer is still awaited."""
        if self._question is not None:
            return
        fresh = self._client is None
        self._client = self._client or self._new_client()
        self._question = _Question(at, followed, self._sent(self._client, followed), fresh)

    def answer(self) -> Ends | None:
        """Return the answer, once it is there.

        Raises:
            Unanswered: There is none, not even to a fresh client.
        """
        question = self._question
        if question is None or not all(it.done() for it in question.answers.values()):
            return None
        self._question = None
        try:
            return Ends(question.at, {_key(it): _end(of) for it, of in question.answers.items()})
        except Unanswered:
            self._client = None
            if question.by_fresh:
                raise
            self.ask(question.at, question.followed)
            return None

    def find(self, followed: Sequence[Partition]) -> dict[Partition, int]:
        """Ask a fresh client, and wait.

        Raises:
            Unanswered: There is no answer.
        """
        self._client = client = self._new_client()  # one that is let go of answers nobody
        answers = self._sent(client, followed)
        return {_key(it): _end(of) for it, of in answers.items()}

    def _new_client(self) -> admin.AdminClient:
        return admin.AdminClient(self._config, logger=self._logger)

    def _sent(
        self, client: admin.AdminClient, followed: Sequence[Partition]
    ) -> Mapping[TopicPartition, Future[Any]]:
        query = {TopicPartition(*it): _LATEST for it in followed}
        return client.list_offsets(query, request_timeout=self._patience_s)


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
