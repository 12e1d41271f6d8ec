"""Settings of a binding's consumer: what would lose messages is refused by name."""

import re
from typing import Any

import pytest

from trimtab import ConfigurationError
from trimtab.consumer_settings import consumer_settings, group_of, refuse_strangers
from trimtab.kafka import ConsumerBinding
from trimtab.protocol.members import Mode
from trimtab.session import Profile

GIVEN = {"bootstrap.servers": "localhost:9092", "group.id": "billing"}


def heard(*_: object) -> None:
    """Stands for what hears of commits."""


def test_it_commits_nothing_by_itself_and_never_jumps() -> None:
    """What the user says beside that counts."""
    made = consumer_settings({**GIVEN, "socket.timeout.ms": 7_000}, heard)

    assert {**GIVEN, "socket.timeout.ms": 7_000}.items() <= made.items()
    assert (False, "error", heard) == (
        made["enable.auto.commit"],
        made["auto.offset.reset"],
        made["on_commit"],
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("enable.auto.commit", True),
        ("enable.auto.commit", "true"),
        ("enable.auto.offset.store", True),
        ("auto.offset.reset", "latest"),
        ("auto.offset.reset", "earliest"),
        ("on_commit", heard),
        ("default.topic.config", {"auto.offset.reset": "latest"}),
    ],
)
def test_what_would_lose_messages_is_refused(name: str, value: object) -> None:
    """By its name, with what to do."""
    with pytest.raises(ConfigurationError, match=rf"^{re.escape(name)}: cannot be "):
        consumer_settings({**GIVEN, name: value}, heard)


@pytest.mark.parametrize("value", [False, "false"])
def test_what_agrees_is_accepted(value: object) -> None:
    """However it is spelt."""
    made = consumer_settings({**GIVEN, "enable.auto.commit": value}, heard)

    assert made["enable.auto.commit"] is False


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
