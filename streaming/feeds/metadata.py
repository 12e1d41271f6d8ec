"""Kafka's metadata: what topics are like right now, and which brokers they are on.

It sends one request for all topics in question, and one for all topic names if a group asks by
pattern; always to a broker, never from a cache, and never one that would create a topic. "No such
topic" is an answer. Anything else (a timeout, a missing permission) leaves the topic out, so that
what was seen last stays true.

Who has failed is not asked again. A client that was told of no broker, as by a Kafka that has just
been frozen, may wait for its controller until it asks for all metadata again: five minutes
(librdkafka 2.16; 95 s of failures were seen).

Used by ``routes`` and ``hosts``. Its one rule: a missing answer is never taken for "no".
"""

from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import Future, wait
from typing import Final, NamedTuple

from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but only for Python
    AdminClient,
    TopicDescription,
)

from rebalance.ids import TopicName
from streaming.feeds.announcements import Seen
from streaming.feeds.clients import discard, making, successor
from streaming.feeds.feed import Config
from streaming.feeds.kafka_racks import Racks
from streaming.process.trouble import Trouble
from trimtab.protocol import RunRef, limits

_TIMEOUT_S: Final = 5.0
"""A healthy cluster answers in milliseconds; this long the watcher does not listen."""

_NO_SUCH_TOPIC: Final = {KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError.TOPIC_EXCEPTION}
"""It does not exist, or no topic can be called so."""

_NAMED: Final = 3
"""Topics that a line of the log names; the rest have failed in the same way, most likely."""


class Whereabouts(NamedTuple):
    """Who can be written to, topic by topic."""

    cluster: str
    """What Kafka calls itself."""
    topics: Mapping[str, Mapping[str, str]]
    """All there are: the brokers that lead a partition of each, and their addresses. None lead one
    while they elect each other, or while Kafka does not let us see it."""


class Metadata:
    """Looks at topics."""

    def __init__(self, config: Config, trouble: Trouble, racks: Racks | None = None) -> None:
        heard = {name: value for name, value in config.items() if name != "error_cb"}
        self._config = heard | {"statistics.interval.ms": 0}  # nobody polls it: they would pile up
        self._racks = racks
        self._admin = AdminClient(self._config)
        self._trouble, self._making = trouble, making(trouble)

    def names(self) -> frozenset[TopicName] | None:
        """Return the names of all topics there are, or None if Kafka does not answer."""
        try:
            found = self._admin.list_topics(timeout=_TIMEOUT_S).topics
        except KafkaException as failure:
            self._failed(failure.args[0], failure.args[0])
            return None
        return frozenset(map(TopicName, found))

    def look(self, topics: Iterable[str]) -> dict[str, Seen]:
        """Return what the topics are like, as far as Kafka answers."""
        names = sorted(topics)
        if not names:
            return {}
        answers = self._admin.describe_topics(TopicCollection(names), request_timeout=_TIMEOUT_S)
        wait(answers.values(), 2 * _TIMEOUT_S)
        seen = {}
        failures = []
        for name, answer in answers.items():
            try:
                seen[name] = _seen(answer, self._racks)
            except KafkaException as failure:
                failures.append((name, failure.args[0]))
        if failures:
            named = "; ".join(f"{name}: {error}" for name, error in failures[:_NAMED])
            self._failed(named, *(error for _, error in failures))
        else:
            self._trouble.over()
        return seen

    def whereabouts(self, expected: Collection[str] = ()) -> Whereabouts | None:
        """Return where all topics are; None when Kafka does not answer.

        A list lacks, and says nothing of, what we have no right to see. So whatever is expected and
        not listed is asked for by name: only "no such topic" means that it is gone.
        """
        try:
            answer = self._admin.list_topics(timeout=_TIMEOUT_S)
        except KafkaException as failure:
            self._failed(failure.args[0], failure.args[0])
            return None
        unlisted = set(expected) - answer.topics.keys()
        if not unlisted:
            self._trouble.over()
        gone = {name for name, seen in self.look(unlisted).items() if seen.runs is None}
        addresses = {number: f"{it.host}:{it.port}" for number, it in answer.brokers.items()}
        topics: dict[str, Mapping[str, str]] = {name: {} for name in unlisted - gone}
        for name, topic in answer.topics.items():
            leaders = {partition.leader for partition in topic.partitions.values()}
            topics[name] = {str(it): addresses[it] for it in leaders & addresses.keys()}
        return Whereabouts(str(answer.cluster_id), topics)  # it has one since Kafka 0.10.1

    def _failed(self, reason: object, *errors: KafkaError) -> None:
        self._trouble.met(reason)
        if any(it.code() < KafkaError.UNKNOWN for it in errors):  # librdkafka's own, no broker's
            held: list[object] = [self._admin]
            if (made := successor(AdminClient, self._config, self._making)) is not None:
                self._admin = made
                discard(held)


def _seen(answer: Future[TopicDescription], racks: Racks | None) -> Seen:
    try:
        topic = answer.result(0)
    except TimeoutError:
        raise KafkaException(KafkaError(KafkaError._TIMED_OUT)) from None  # noqa: SLF001 - its name
    except KafkaException as failure:
        if failure.args[0].code() in _NO_SUCH_TOPIC:
            return Seen(None)
        raise
    count = len(topic.partitions)
    if count > limits.QUEUES_PER_RECORD:
        said = f"{count} partitions, more than {limits.QUEUES_PER_RECORD}"
        raise KafkaException(KafkaError(KafkaError.INVALID_PARTITIONS, said))
    return Seen(
        (RunRef("", 0, count),),
        str(topic.topic_id),
        racks=None if racks is None else racks.of(topic.partitions),
    )
