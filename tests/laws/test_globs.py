"""Patterns stand for the names they should, at a cost that no pattern can raise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.patterns import stand_for
from rebalance.groups.model.globs import matches
from rebalance.ids import Pattern, TopicName
from tests.builders.effort import tried
from trimtab.protocol.limits import NAME_CHARACTERS, PATTERN_CHARACTERS

PATTERNS = st.text("ab*?", max_size=7)
NAMES = st.text("ab", max_size=8)


def stands_for(pattern: str, name: str) -> bool:
    """The definition, word for word; it takes for ever on long ones."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return stands_for(pattern[1:], name) or (bool(name) and stands_for(pattern, name[1:]))
    fits = bool(name) and pattern[0] in ("?", name[0])
    return fits and stands_for(pattern[1:], name[1:])


@pytest.mark.slow
@tried(least=500)
@given(PATTERNS, NAMES)
def test_a_pattern_stands_for_what_it_says(pattern: str, name: str) -> None:
    """Brain and auditor, by two ways, agree with the definition."""
    expected = stands_for(pattern, name)

    assert expected == matches(Pattern(pattern), TopicName(name))
    assert expected == stand_for([pattern], name)


@given(st.text(max_size=9), st.text(max_size=9))
def test_every_other_sign_stands_for_itself(pattern: str, name: str) -> None:
    """Dots, brackets, backslashes and whatever else means something elsewhere."""
    literal = pattern.translate({ord("*"): "!", ord("?"): "!"})

    assert (literal == name) == matches(Pattern(literal), TopicName(name))
    assert matches(Pattern(literal), TopicName(literal))


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    "pattern", ["*a" * 127 + "b", "a*" * 127 + "b", "*?" * 127 + "b", "*" * 255]
)
def test_a_hostile_pattern_costs_no_more_than_another(pattern: str) -> None:
    """What takes a matcher that goes back longer than the age of the world takes milliseconds."""
    name = TopicName("a" * NAME_CHARACTERS)

    assert len(pattern) <= PATTERN_CHARACTERS
    assert (set(pattern) == {"*"}) == matches(Pattern(pattern), name)
