"""Settings and options of a consumer: what would lose messages is refused by name."""

import re
from datetime import datetime
from typing import Any

import pytest

from trimtab import ConfigurationError, Consumer
from trimtab.consuming.client import Client
from trimtab.consuming.settings import (
    client_settings,
    commit_settings,
    consumer_settings,
    group_of,
    transaction_settings,
)
from trimtab.session import Profile

PROFILE = Profile(group="billing", member="m", topics=("t",))

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
    refused = GIVEN | {"max.poll.interval.ms": 1_000, "log_level": 0}
    with pytest.raises(ConfigurationError, match=r"^kafka: [^{]*`max\.poll\.interval\.ms`[^}]*$"):
        Client(refused, "earliest")


def test_the_client_that_commits_is_the_same_user_with_less_patience() -> None:
    """What it would never call, or only warn of, is left out."""
    secret = {"sasl.password": "s", "error_cb": print, "log_level": 6}

    assert {**GIVEN, "sasl.password": "s", "socket.timeout.ms": 1_500, "log_level": 0} == (
        commit_settings(GIVEN | secret, 1.5)
    )


def test_who_broadcasts_has_positions_of_its_own() -> None:
    """Each member reads everything, and one offset cannot stand for all of them."""
    broadcasting = Profile(group="billing", member="m", topics=("t",), mode="broadcasting")

    assert ("billing.m", "billing") == (group_of(broadcasting), group_of(PROFILE))


def test_members_that_share_queues_cannot_share_offsets() -> None:
    """Each would skip what another has committed."""
    with pytest.raises(ConfigurationError, match=r'^mode: .* in mode "shared"'):
        group_of(Profile(group="billing", member="m", topics=("t",), mode="shared"))


@pytest.mark.parametrize("name", ["group.id", "bootstrap.servers"])
def test_what_is_said_elsewhere_is_not_said_twice(name: str) -> None:
    """Two groups would be one too many."""
    with pytest.raises(ConfigurationError, match=rf"^fetch: {re.escape(name)} is said elsewhere"):
        client_settings("localhost:9092", "billing", {}, {name: "x"})


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("start", "lates", r"^start: 'lates' is none of"),
        ("start", datetime(2026, 1, 1), r"^start: .* has no time zone"),  # noqa: DTZ001 - refused
        ("commit", "never", r"^commit: 'never' is none of"),
        ("fetch", "fast", r"^fetch: 'fast' is no dict"),
        ("client", "kafka-python", r'^client: a consumer reads with "confluent" only'),
        ("max_poll_interval", "soon", r'^max_poll_interval: "soon" is not a duration'),
    ],
)
def test_a_mistaken_option_is_named(option: str, value: object, said: str) -> None:
    """At once, and not at the first grant."""
    options: Any = {"group": "billing", "topics": ["t"], option: value}
    with pytest.raises(ConfigurationError, match=said):
        Consumer("nowhere:1", **options)


def test_a_transaction_has_what_is_needed_to_connect() -> None:
    """And nothing that would hide whose it is; a process that died holds nobody up for long."""
    given = {**GIVEN, "sasl.password": "x", "error_cb": print, "enable.idempotence": False}
    made = transaction_settings(given, 5.0)

    assert ("localhost:9092", "x") == (made["bootstrap.servers"], made["sasl.password"])
    assert {"error_cb", "enable.idempotence", "group.id"}.isdisjoint(made)
    assert 10_000 == made["transaction.timeout.ms"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"fencing": "exactly-once"}, "fencing: 'exactly-once' is neither"),
        ({"fencing": "transactional", "mode": "broadcasting"}, 'fencing: in mode "broadcasting"'),
    ],
)
def test_fencing_is_of_one_kind(options: dict[str, Any], said: str) -> None:
    """And of queues that have one owner."""
    with pytest.raises(ConfigurationError, match=f"^{said}"):
        Consumer("localhost:9092", group="billing", topics=["t"], **options)
