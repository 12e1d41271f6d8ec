"""What a member may be told, and how it refuses nonsense."""

import asyncio
import re
from typing import Any

import pytest

from tests.builders.memory import MemoryTransport
from trimtab import ConfigurationError, Member, Producer
from trimtab.durations import milliseconds
from trimtab.options import Options


def a_member(**options: Any) -> Member:  # noqa: ANN401 - some of them are nonsense
    """A member with these options on top of what it needs."""
    needed: dict[str, Any] = {"group": "billing", "topics": ["orders"]}
    return Member(transport=MemoryTransport(), **needed | options)


def test_wishes_become_a_profile() -> None:
    """Everything that is said arrives in the join."""
    profile = a_member(
        member_id="m",
        instance="billing-0",
        rack="eu-1a",
        weight=3,
        capacity=7,
        mode="shared",
        session_timeout="1.5s",
        revocation_timeout=30,
    ).profile
    join = profile.join("1767225600000-9f86d081", 1)

    assert ("m", ("orders",), "billing-0", "eu-1a", 3, 7, "shared", 1_500, 30_000) == (
        join.member,
        join.topics,
        join.instance,
        join.rack,
        join.weight,
        join.capacity,
        join.mode,
        join.session_timeout_ms,
        join.revocation_timeout_ms,
    )
    assert "trimtab-python/0.1.0" == join.client


@pytest.mark.parametrize("group", ["eu/billing", "%RETRY%billing", "$billing", "Rechnungen 工作者"])
def test_a_group_has_the_name_that_it_has_in_kafka(group: str) -> None:
    """Slashes and all: who moves over keeps it."""
    assert group == a_member(group=group).profile.group


def test_names_differ_by_default() -> None:
    """Two processes on one host are two members."""
    assert a_member().member_id != a_member().member_id


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group": "$tick"}, "group: The key does not name a group: The controller has records"),
        ({"group": ""}, "group: "),
        ({"topics": []}, "topics: "),
        ({"topics": "orders"}, "topics: 'orders' is not a list of names"),
        ({"topics": None}, "topics: None is not a list of names"),
        ({"patterns": "*"}, "patterns: '*' is not a list of names"),
        ({"group": 3}, "group: 3 is no name"),
        ({"session_timeout": None}, "session_timeout: None is not a duration"),
        ({"session_timeout": float("nan")}, "session_timeout: nan is not a duration"),
        ({"on_lost": 3}, "on_lost: 3 cannot be called"),
        ({"on_revoked": asyncio.sleep}, "on_revoked: a coroutine needs `trimtab.aio.Member`"),
        ({"topics": ["a", "a"]}, "topics: A topic is named twice"),
        ({"patterns": ["a*", "a*"]}, "patterns: A pattern is named twice"),
        ({"patterns": [""]}, "patterns: "),
        ({"member_id": "a\nb"}, "member_id: "),
        ({"weight": 0}, "weight: "),
        ({"mode": "solitary"}, "mode: "),
        ({"weight": "2"}, "weight: "),
        ({"session_timeout": "soon"}, 'session_timeout: "soon" is not a duration; write "10s"'),
        ({"session_timeout": "10"}, 'session_timeout: "10" is not a duration'),
        ({"session_timeout": "50ms"}, "session_timeout: 50ms is too short"),
        ({"session_timeout": "25h"}, "session_timeout: "),
        ({"revocation_timeout": -1}, "revocation_timeout: -1 is too short"),
        ({"sesion_timeout": "10s"}, "sesion_timeout: a member has no such option"),
    ],
)
def test_nonsense_is_refused_by_name(options: dict[str, Any], message: str) -> None:
    """At once, and with what the user calls it."""
    with pytest.raises(ConfigurationError) as refusal:
        a_member(**options)

    assert message in str(refusal.value)


def test_what_is_needed_is_asked_for() -> None:
    """A group has no default, and one that asks for nothing needs no member."""
    with pytest.raises(ConfigurationError, match=r"^group: a member needs this option$"):
        Member("nowhere:1", topics=["t"])  # type: ignore[call-arg]  # wrong on purpose
    with pytest.raises(ConfigurationError, match=r"^topics: There are neither"):
        Member("nowhere:1", group="g")


def test_topics_may_be_asked_for_by_pattern() -> None:
    """Instead of names, or beside them."""
    needed: dict[str, Any] = {"group": "g", "transport": MemoryTransport()}
    wild = Member(patterns=["orders-*"], **needed).profile.join("1767225600000-9f86d081", 1)
    both = a_member(patterns=["o?"]).profile.join("1767225600000-9f86d081", 1)

    assert ((), ("orders-*",)) == (wild.topics, wild.patterns)
    assert (("orders",), ("o?",)) == (both.topics, both.patterns)


def test_a_member_has_to_know_where_kafka_is() -> None:
    """There is no default that would reach somebody's production."""
    for servers in ({}, {"bootstrap_servers": ""}, {"bootstrap_servers": ["localhost:9092"]}):
        told: Any = servers
        with pytest.raises(ConfigurationError, match=r"^bootstrap_servers: say where Kafka is"):
            Member(group="g", topics=["t"], **told)
        with pytest.raises(ConfigurationError, match=r"^bootstrap_servers: say where Kafka is"):
            Producer(**{"bootstrap_servers": None} | told)
    with pytest.raises(ConfigurationError, match="say host and port"):
        Member("http://localhost:9092", group="g", topics=["t"])


def test_options_of_the_client_are_passed_on_or_named() -> None:
    """Without what Python has wrapped around it."""
    told: dict[str, Any] = {"group": "g", "topics": ["t"], "client": "confluent"}
    with pytest.raises(ConfigurationError, match=r"^kafka: None is no dict"):
        Member("nowhere:1", **told | {"kafka": None})
    with pytest.raises(ConfigurationError, match=r'^kafka: No such configuration property: "x"$'):
        Member("nowhere:1", **told | {"kafka": {"x": 1}})


def test_a_member_lives_once() -> None:
    """Whoever starts it again is told what to do."""
    member = a_member()
    member.start()
    member.stop("0s")
    with pytest.raises(
        ConfigurationError, match=r"^start: a member cannot be started twice; make a new one"
    ):
        member.start()


def test_a_member_is_made_after_a_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its client would do nothing there, and each child have the same name."""
    member = a_member()
    monkeypatch.setattr("os.getpid", lambda: -1)
    with pytest.raises(ConfigurationError, match=r"^start: .* make it after the fork$"):
        member.start()


def test_only_one_option_is_always_needed() -> None:
    """The rest has defaults, but for what it is a member for."""
    assert {"group"} == Options.__required_keys__


def test_help_names_every_option() -> None:
    """In the order in which they are declared, where people look first."""
    said = str(Member.__doc__)

    assert list(Options.__annotations__) == re.findall(r"^        (\w+): ", said, re.MULTILINE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("250ms", 250), ("10s", 10_000), ("1.5 m", 90_000), ("1h", 3_600_000), (2, 2_000), (0.1, 100)],
)
def test_durations_are_read_as_people_write_them(text: str | float, expected: int) -> None:
    """With a unit, or in seconds."""
    assert expected == milliseconds("timeout", text)


@pytest.mark.parametrize("text", [1e308, 10**400, "9" * 400 + "h", "3000000h"], ids="1234")
def test_who_waits_for_ever_waits(text: str | float) -> None:
    """A lock refuses to be waited for so long; by then the member would have begun to leave."""
    with a_member() as member:
        member.wait_until(lambda it: it.state == "joining", text)
        assert member.stop(text)
