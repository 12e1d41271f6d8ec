"""What a consumer that can move says of Kafka, which denies it its group or does not answer.

Of the errors that are brought about for `docs/errors.md`.
"""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from tests.builders.sessions import GROUP, queue
from trimtab import TrimtabError
from trimtab.moving.mover import Mover
from trimtab.moving.subscription import Subscription


def unmoved(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Kafka denies a moving consumer its group, and has not answered when it asks for commits."""
    heard: list[Exception] = []
    none: Any = SimpleNamespace(read=None)
    mover = Mover(none, none, (none, none, none, none), none, heard.append)
    mover.trouble(KafkaException(KafkaError(KafkaError.GROUP_AUTHORIZATION_FAILED)))
    yield from map(str, heard)
    monkeypatch.setattr("trimtab.moving.subscription._WAIT_S", 0.0)
    subscription = Subscription({"group.id": GROUP, "log_level": 0}, ["orders"])
    with pytest.raises(TrimtabError) as refusal:
        subscription.last_commits([queue(0)])
    yield str(refusal.value)
