"""Settings of kafka-python: what would lose messages is refused by name."""

import re

import pytest

from trimtab import ConfigurationError
from trimtab.consuming.contract import Wish
from trimtab.consuming.kafka_python_settings import group_settings, link_of, reading_settings

SERVERS = "localhost:9092"


def test_it_commits_nothing_by_itself_and_never_jumps() -> None:
    """What the user says beside that counts, with dots or without."""
    made = reading_settings(
        Wish(SERVERS, "billing", {"client.id": "a"}, {"check_crcs": False}, 2.0)
    )

    assert ("a", False, [SERVERS]) == (
        made["client_id"],
        made["check_crcs"],
        made["bootstrap_servers"],
    )
    assert (False, "none", None) == (
        made["enable_auto_commit"],
        made["auto_offset_reset"],
        made["group_id"],
    )


def test_what_was_rolled_back_is_not_read() -> None:
    """As with the other client, whose default it is."""
    assert "read_committed" == reading_settings(Wish(SERVERS, "g", {}, {}, 2.0))["isolation_level"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("enable_auto_commit", True),
        ("enable.auto.commit", "true"),
        ("auto_offset_reset", "latest"),
        ("group_id", "other"),
        ("bootstrap_servers", "elsewhere:1"),
    ],
)
def test_what_would_lose_messages_is_refused(name: str, value: object) -> None:
    """With what to do."""
    said = rf"^{re.escape(name.replace('.', '_'))}: cannot be .*; leave it out"
    with pytest.raises(ConfigurationError, match=said):
        reading_settings(Wish(SERVERS, "billing", {}, {name: value}, 2.0))


def test_what_agrees_is_accepted() -> None:
    """However it is spelt."""
    made = reading_settings(Wish(SERVERS, "billing", {}, {"enable.auto.commit": "false"}, 2.0))

    assert made["enable_auto_commit"] is False


@pytest.mark.parametrize("servers", ["", None])
def test_a_kafka_is_needed(servers: str | None) -> None:
    """It would wait without a word."""
    with pytest.raises(ConfigurationError, match=r"^bootstrap.servers: "):
        link_of(Wish(servers, "billing", {}, {}, 2.0))


def test_what_asks_about_the_group_has_less_patience() -> None:
    """It is the same user, and knows nothing of options for reading."""
    wish = Wish(SERVERS, "billing", {"sasl.mechanism": "PLAIN"}, {"fetch_min_bytes": 9}, 1.5)
    made = group_settings(wish)

    assert ("PLAIN", 1_500, 1_500) == (
        made["sasl_mechanism"],
        made["request_timeout_ms"],
        made["bootstrap_timeout_ms"],
    )
    assert "fetch_min_bytes" not in made
