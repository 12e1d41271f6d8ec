"""Who leads, as kafka-python says it: a topic that is gone is no Kafka that is away.

Its producer waits for metadata of a topic, and says of both only that time was up.
"""

from types import SimpleNamespace

import pytest
from kafka.errors import KafkaTimeoutError

from trimtab import TransportError
from trimtab.sending.kafka_python_questions import leaders_of


class Cluster:
    """A producer of kafka-python that waits for a topic in vain."""

    def __init__(self) -> None:
        self._metadata = SimpleNamespace(
            _last_successful_refresh_ms=1.0, brokers=list, request_update=bool
        )
        self.is_away = False

    def _wait_on_metadata(self, _topic: str, _wait_ms: int) -> object:
        if not self.is_away:
            self._metadata._last_successful_refresh_ms += 100.0  # noqa: SLF001 - as the library
        raise KafkaTimeoutError


def test_a_topic_that_is_gone_is_not_taken_for_a_kafka_that_is_away() -> None:
    """Of such a topic nobody asks for ever, and the others are asked about."""
    cluster = Cluster()
    assert ([], {}) == leaders_of("t", cluster)
    cluster.is_away = True

    with pytest.raises(TransportError):
        leaders_of("t", cluster)
