"""Settings of confluent-kafka: what would lose messages is refused by name."""

import re
from typing import Any

import pytest

from trimtab import ConfigurationError
from trimtab.consuming.confluent import ConfluentClient
from trimtab.consuming.confluent_settings import (
    client_settings,
    consumer_settings,
    transaction_settings,
)
from trimtab.consuming.contract import Wish
from trimtab.transports.confluent_unpolled import unpolled

GIVEN = {"bootstrap.servers": "localhost:9092", "group.id": "billing"}


def test_it_commits_nothing_by_itself_and_never_jumps() -> None:
    """What the user says beside that counts."""
    made = consumer_settings({**GIVEN, "socket.timeout.ms": 7_000})

    assert {**GIVEN, "socket.timeout.ms": 7_000}.items() <= made.items()
    assert (False, "error") == (made["enable.auto.commit"], made["auto.offset.reset"])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("enable.auto.commit", True),
        ("enable.auto.commit", "true"),
        ("enable.auto.offset.store", True),
        ("auto.offset.reset", "latest"),
        ("auto.offset.reset", "earliest"),
        ("auto.commit.enable", True),
        ("topic.auto.offset.reset", "latest"),
        ("group.protocol", "consumer"),
        ("group.protocol", "CONSUMER"),
        ("enable.partition.eof", True),
        ("on_assign", print),
        ("on_commit", print),
        ("default.topic.config", {"auto.offset.reset": "latest"}),
    ],
)
def test_what_would_lose_messages_is_refused(name: str, value: object) -> None:
    """By the name that the user wrote, with what to do."""
    with pytest.raises(
        ConfigurationError, match=rf"^{re.escape(name)}: cannot be .*; leave it out"
    ):
        consumer_settings({**GIVEN, name: value})


@pytest.mark.parametrize("value", [False, "false"])
def test_what_agrees_is_accepted(value: object) -> None:
    """However it is spelt."""
    made = consumer_settings({**GIVEN, "enable.auto.commit": value})

    assert made["enable.auto.commit"] is False


@pytest.mark.parametrize("servers", [{}, {"bootstrap.servers": ""}, {"bootstrap.servers": None}])
def test_a_kafka_is_needed(servers: dict[str, Any]) -> None:
    """It would wait without a word."""
    with pytest.raises(ConfigurationError, match=r"^bootstrap.servers: "):
        consumer_settings({"group.id": "billing", **servers})


def test_what_librdkafka_refuses_is_what_the_user_wrote() -> None:
    """Nothing of ours is in its way, and nothing of Python is around it."""
    refused = {"max.poll.interval.ms": 1_000, "log_level": 0}
    with pytest.raises(ConfigurationError, match=r"^kafka: [^{]*`max\.poll\.interval\.ms`[^}]*$"):
        ConfluentClient(Wish("localhost:9092", "billing", refused, {}, 2.0))


def test_the_client_that_commits_is_the_same_user() -> None:
    """What it would never call, or only warn of, is left out."""
    secret = {"sasl.password": "s", "error_cb": print, "log_level": 6}

    known = GIVEN | {"sasl.password": "s", "log_level": 0, "statistics.interval.ms": 0}
    assert known == unpolled(GIVEN | secret)


@pytest.mark.parametrize("name", ["group.id", "bootstrap.servers"])
def test_what_is_said_elsewhere_is_not_said_twice(name: str) -> None:
    """Two groups would be one too many."""
    with pytest.raises(ConfigurationError, match=rf"^fetch: {re.escape(name)} is set by trimtab"):
        client_settings(Wish("localhost:9092", "billing", {}, {name: "x"}, 2.0))


def test_another_group_is_not_dropped_in_silence() -> None:
    """Somebody has taken over all the settings of a plain consumer."""
    kafka = {"group.id": "shipping"}
    assert "shipping" == client_settings(Wish("k:1", "shipping", kafka, {}, 2.0))["group.id"]
    with pytest.raises(ConfigurationError, match=r'^kafka: group.id is shipping, and group is "b"'):
        client_settings(Wish("k:1", "b", kafka, {}, 2.0))


def test_a_transaction_has_what_is_needed_to_connect() -> None:
    """And nothing that would hide whose it is; a process that died holds nobody up for long."""
    given = {**GIVEN, "sasl.password": "x", "error_cb": print, "enable.idempotence": False}
    made = transaction_settings(given, 5.0)

    assert ("localhost:9092", "x") == (made["bootstrap.servers"], made["sasl.password"])
    assert {"error_cb", "enable.idempotence", "group.id"}.isdisjoint(made)
    assert 10_000 == made["transaction.timeout.ms"]
