"""Settings of a binding's consumer: what would lose messages is refused by name."""

import re
from typing import Any

import pytest

from trimtab import ConfigurationError
from trimtab.consumer_settings import (
    commit_settings,
    consumer_settings,
    group_of,
    refuse_strangers,
)
from trimtab.kafka import ConsumerBinding
from trimtab.protocol.members import Mode
from trimtab.session import Profile

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
    with pytest.raises(
        ConfigurationError, match=r"^settings: [^{]*`max\.poll\.interval\.ms`[^}]*$"
    ):
        ConsumerBinding(refused)


def test_the_client_that_commits_is_the_same_user_with_less_patience() -> None:
    """What it would never call, or only warn of, is left out."""
    secret = {"sasl.password": "s", "error_cb": print, "log_level": 6}

    assert {**GIVEN, "sasl.password": "s", "socket.timeout.ms": 1_500, "log_level": 3} == (
        commit_settings(GIVEN | secret, 1.5)
    )


@pytest.mark.parametrize("settings", [{}, {"group.id": ""}, {"group.id": 3}])
def test_a_group_is_needed(settings: dict[str, Any]) -> None:
    """Offsets are kept under it."""
    with pytest.raises(ConfigurationError, match=r"^group.id: "):
        group_of(settings)


@pytest.mark.parametrize("mode", ["broadcasting", "shared"])
def test_members_that_share_queues_cannot_share_offsets(mode: Mode) -> None:
    """Each would skip what another has committed."""
    with pytest.raises(ConfigurationError, match=f'^mode: .* of mode "{mode}"'):
        refuse_strangers(Profile(group="billing", member="m", topics=("t",), mode=mode), "billing")


def test_a_member_of_another_group_is_refused() -> None:
    """Its queues are not those whose offsets are committed."""
    with pytest.raises(ConfigurationError, match=r'^binding: its group.id is "b".*"billing"'):
        refuse_strangers(Profile(group="billing", member="m", topics=("t",)), "b")


def test_a_start_that_does_not_exist_is_refused() -> None:
    """At once, and not at the first grant."""
    start: Any = "lates"
    with pytest.raises(ConfigurationError, match=r"^start: 'lates' is none of"):
        ConsumerBinding({"bootstrap.servers": "nowhere:1", "group.id": "billing"}, start=start)
