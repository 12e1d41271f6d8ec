"""The one rule of names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from trimtab.protocol.names import BrokerName, GroupName, MemberName, Token

GROUP = TypeAdapter[str](GroupName)
MEMBER = TypeAdapter[str](MemberName)
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
        ("a/b", False, True, True),
        ("/", False, True, True),
        ("$tick", False, True, True),
        ("a$", True, True, True),
    ],
)
def test_only_groups_are_segments_of_keys(
    name: str, *, group: bool, member: bool, broker: bool
) -> None:
    """A group has no slash and does not begin with the reserved dollar; a broker may be empty."""
    found = accepts(GROUP, name), accepts(MEMBER, name), accepts(BROKER, name)

    assert (group, member, broker) == found


@given(name=st.text(max_size=300))
def test_what_is_a_group_is_a_member(name: str) -> None:
    """The rule of groups is the rule of names and two characters more."""
    assert accepts(MEMBER, name) or not accepts(GROUP, name)


@pytest.mark.parametrize(
    ("token", "fine"),
    [("join", True), ("AVG_BY-2.0:x", True), ("", False), ("a b", False), ("-", False)],
)
def test_tokens_are_plain_words(token: str, *, fine: bool) -> None:
    """Machine words can stand in a metric's label or a file's name."""
    assert fine == accepts(TOKEN, token)
