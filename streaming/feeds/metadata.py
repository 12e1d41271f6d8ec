"""Kafka's metadata: what topics are like right now.

One request for all topics asked about, always to a broker, never from a cache, and never one that
would create a topic. "No such topic" is an answer; anything else that is not an answer (a
timeout, a missing permission) leaves the topic out, so that what was seen last stays true.

Used by ``routes``. Its one rule: no answer is never taken for "no".
"""

from collections.abc import Iterable
from concurrent.futures import Future
from typing import Final

from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but only for Python
    AdminClient,
    TopicDescription,
)

from streaming.feeds.feed import Config
from streaming.feeds.route_plan import Seen
from streaming.trouble import Trouble
from trimtab.protocol import RunRef, limits

_TIMEOUT_S: Final = 5.0
"""A healthy cluster answers in milliseconds; this long the watcher does not listen."""

_NO_SUCH_TOPIC: Final = {KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError.TOPIC_EXCEPTION}
"""It does not exist, or no topic can be called so."""

_NAMED: Final = 3
"""Topics that a line of the log names; the rest have failed in the same way, most likely."""


class Metadata:
    """Looks at topics."""

    def __init__(self, config: Config, trouble: Trouble) -> None:
        self._admin = AdminClient(config)
        self._trouble = trouble

    def look(self, topics: Iterable[str]) -> dict[str, Seen]:
        """Return what the topics are like, as far as Kafka answers."""
        names = sorted(topics)
        if not names:
            return {}
        answers = self._admin.describe_topics(TopicCollection(names), request_timeout=_TIMEOUT_S)
        seen = {}
        failures = []
        for name, answer in answers.items():
            try:
                seen[name] = _seen(answer)
            except KafkaException as failure:
                failures.append(f"{name}: {failure.args[0]}")
        if failures:
            self._trouble.met("; ".join(failures[:_NAMED]))
        else:
            self._trouble.over()
        return seen


def _seen(answer: Future[TopicDescription]) -> Seen:
    try:
        topic = answer.result()
    except KafkaException as failure:
        if failure.args[0].code() in _NO_SUCH_TOPIC:
            return Seen(None)
        raise
    count = len(topic.partitions)
    if count > limits.QUEUES_PER_RECORD:
        raise KafkaException(f"{count} partitions, more than {limits.QUEUES_PER_RECORD}")
    return Seen((RunRef("", 0, count),), str(topic.topic_id))
