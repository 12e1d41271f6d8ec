"""Which faults a seed draws."""

from itertools import combinations

import pytest

from chaos.faults import KAFKA, ROCKETMQ, Fault, Kind, drawn


@pytest.mark.parametrize("kinds", [KAFKA, ROCKETMQ], ids=["kafka", "rocketmq"])
@pytest.mark.parametrize("seed", range(20))
def test_all_kinds_come_and_none_meet_at_a_victim(seed: int, kinds: frozenset[Kind]) -> None:
    """In two minutes each kind comes; all are over in time."""
    faults = drawn(seed, 180.0, 4, kinds)

    assert kinds == {it.kind for it in faults}
    assert all(it.over_s <= 180.0 for it in faults)
    assert [] == [pair for pair in combinations(faults, 2) if meet(*pair)]


@pytest.mark.parametrize("seed", range(20))
def test_faults_of_a_line_that_members_share_never_meet(seed: int) -> None:
    """Else the first one to be over would end both."""
    faults = drawn(seed, 180.0, 4, ROCKETMQ, 2)
    lines = [it for it in faults if it.kind in {Kind.CUT, Kind.HELD_UP, Kind.LATE}]

    assert lines
    assert {0, 1} >= {victim for it in lines for victim in it.victims}
    assert [] == [pair for pair in combinations(lines, 2) if meet(*pair)]


def meet(one: Fault, other: Fault) -> bool:
    """Whether they hit one member at a time."""
    together = one.at_s < other.over_s and other.at_s < one.over_s
    return together and bool({*one.victims} & {*other.victims})


def test_a_seed_says_it_all() -> None:
    """The same one draws the same, another one others."""
    one, same, other = (drawn(seed, 120.0, 4, KAFKA) for seed in (1, 1, 2))

    assert one == same
    assert one != other
