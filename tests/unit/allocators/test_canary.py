"""CANARY: a known part for the members that try something new."""

import pytest

from allocators import BadOption, allocator
from tests.unit.allocators.groups import group, member, shares

CANARY = allocator("CANARY", {"prefix": "canary-", "percent": 10})


def test_canaries_get_their_part_and_no_more() -> None:
    """A tenth of every topic, rounded up, is theirs; the rest is the others'."""
    plan = CANARY(group({"canary-a": member("t"), "b": member("t"), "c": member("t")}, {"t": 12}))

    assert ["t0", "t1"] == shares(plan)["canary-a"]
    assert [5, 5] == [len(shares(plan)[name]) for name in ("b", "c")]


def test_without_a_canary_nothing_is_held_back() -> None:
    """No canary alive: everybody else has everything."""
    plan = CANARY(group({"b": member("t")}, {"t": 3}))

    assert {"b": ["t0", "t1", "t2"]} == shares(plan)


def test_a_topic_only_canaries_subscribe_is_all_theirs() -> None:
    """Nobody else could have it."""
    plan = CANARY(group({"canary-a": member("t", "u"), "b": member("t")}, {"t": 2, "u": 2}))

    assert {"canary-a": ["t0", "u0", "u1"], "b": ["t1"]} == shares(plan)


def test_a_canary_that_comes_moves_only_the_reserved_queues() -> None:
    """The others keep what is not reserved."""
    others = {"b": member("t"), "c": member("t")}
    before = CANARY(group(others, {"t": 10})).owners
    after = CANARY(group({"canary-a": member("t"), **others}, {"t": 10}, before)).owners

    assert 1 == sum(1 for queue in before if before[queue] != after[queue])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"prefix": "c"},
        {"prefix": "c", "percent": 0},
        {"prefix": "c", "percent": 100},
        {"prefix": "c", "percent": 5, "inner": "CANARY"},
        {"prefix": "c", "percent": 5, "colour": "yellow"},
    ],
)
def test_senseless_options_are_refused(options: dict[str, object]) -> None:
    """A canary needs a pattern and a part; a misspelt option is an error."""
    with pytest.raises(BadOption):
        allocator("CANARY", options)
