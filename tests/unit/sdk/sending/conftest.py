"""What sends by kafka-python, its clients played."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.unit.sdk.sending.played import Client
from trimtab import BrokerSelector
from trimtab.sending import kafka_python, kafka_python_clients
from trimtab.sending.contract import Place
from trimtab.sending.kafka_python import KafkaPythonSender
from trimtab.sending.patience import Patience


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> list[Client]:
    """Those that were made."""
    made: list[Client] = []

    def connected(_make: object, options: Mapping[str, Any], _link: object) -> Client:
        made.append(Client(options))
        return made[-1]

    monkeypatch.setattr(kafka_python_clients, "connected", connected)
    monkeypatch.setattr(kafka_python, "_CLOSE_S", 0.0)
    return made


@pytest.fixture
def sender(clients: list[Client]) -> KafkaPythonSender:
    """What sends by them."""
    del clients  # they are made by the sender
    return KafkaPythonSender(Place("a:1", {}), BrokerSelector(), Patience.of(30_000, 3))
