"""The one rule of names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from trimtab.protocol.names import BrokerName, ClusterName, GroupName, MemberName, Token

GROUP = TypeAdapter[str](GroupName)
MEMBER = TypeAdapter[str](MemberName)
CLUSTER = TypeAdapter[str](ClusterName)
BROKER = TypeAdapter[str](BrokerName)
TOKEN = TypeAdapter[str](Token)

CONTROLS = [*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), "\u2028", "\u2029"]


def accepts(rule: TypeAdapter[str], name: str) -> bool:
    """Whether a rule takes a name; what it takes it does not change."""
    try:
        return name == rule.validate_python(name)
    except ValidationError:
        return False


@pytest.mark.parametrize(
    "name",
    ["a", "a" * 255, " ", "%RETRY%g", "Ünïcode", "工作者", "👷🏽‍♀️", "e\u0301", "\u200b", "\ue000"],
)
def test_any_other_character_is_fine(name: str) -> None:
    """Names are what people call things, in any script, and are stored exactly."""
    assert (True, True, True) == (
        accepts(GROUP, name),
        accepts(MEMBER, name),
        accepts(BROKER, name),
    )


@pytest.mark.parametrize("character", CONTROLS, ids=ascii)
def test_control_characters_and_separators_are_not(character: str) -> None:
    """Nowhere in a name: it has to fit a line of a table or a log."""
    names = [character, f"a{character}", f"a{character}b", f"{character}b"]

    assert [] == [name for rule in (GROUP, MEMBER, BROKER) for name in names if accepts(rule, name)]


@pytest.mark.parametrize(
    ("name", "group", "member", "broker"),
    [
        ("", False, False, True),
        ("a" * 256, False, False, False),
        ("\ud800", False, False, False),
        ("a/b", True, True, True),
        ("/", True, True, True),
        ("$tick", False, True, True),
        ("$start", False, True, True),
        ("$told", False, True, True),
        ("$ticks", True, True, True),
        ("a$", True, True, True),
    ],
)
def test_three_names_are_the_controller_s(
    name: str, *, group: bool, member: bool, broker: bool
) -> None:
    """All else is as long as it is, and empty for brokers alone."""
    found = accepts(GROUP, name), accepts(MEMBER, name), accepts(BROKER, name)

    assert (group, member, broker) == found


@given(name=st.text(max_size=300))
def test_what_may_name_a_member_may_name_a_group(name: str) -> None:
    """But for the three names that are the controller's."""
    assert accepts(MEMBER, name) == accepts(GROUP, name) or name in {"$tick", "$start", "$told"}


@given(name=st.text(max_size=300))
def test_clusters_are_called_as_groups_may_be(name: str) -> None:
    """One rule."""
    assert accepts(CLUSTER, name) == accepts(GROUP, name)


@pytest.mark.parametrize(
    ("token", "fine"),
    [("join", True), ("AVG_BY-2.0:x", True), ("", False), ("a b", False), ("-", False)],
)
def test_tokens_are_plain_words(token: str, *, fine: bool) -> None:
    """Machine words can stand in a metric's label or a file's name."""
    assert fine == accepts(TOKEN, token)
