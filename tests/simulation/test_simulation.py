"""Chaos by seed: many lives, no violation, and every fault of the catalogue has struck."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from audit.violations import Invariant, Violation
from tests.simulation.faults import FAULTS
from tests.simulation.scenario import scenario
from tests.simulation.shrinking import shrunk
from tests.simulation.transcript import keep
from tests.simulation.world import Outcome, World

SEEDS = 2_000
PART = 250
"""Seeds to a test: a failure names its part, and each part is quick."""

KEPT = Path(".cache/simulation")

struck = Counter[str]()
lived: set[int] = set()


def lives(seeds: range) -> Iterator[Outcome]:
    """Live through seeds."""
    for seed in seeds:
        outcome = World(scenario(seed)).live()
        lived.add(seed)
        struck.update(outcome.faults.counts)
        yield outcome


def told(outcome: Outcome) -> str:
    """A failing life, shrunk, kept and told."""
    smallest = shrunk(outcome)
    violations = "\n".join(map(str, smallest.violations))
    return f"{smallest.scenario}\n{violations}\nkept as {keep(smallest, KEPT)}"


def test_a_few_lives_have_no_violation() -> None:
    """The quick look of `make check`."""
    assert [] == [told(outcome) for outcome in lives(range(100)) if outcome.violations]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("first", range(0, SEEDS, PART))
def test_no_life_has_a_violation(first: int) -> None:
    """Whatever goes wrong, and everything does: one owner, growing tokens, rest in the end."""
    seeds = range(first, first + PART)

    assert [] == [told(outcome) for outcome in lives(seeds) if outcome.violations]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_fault_has_struck() -> None:
    """A simulation proves nothing about what never happens in it."""
    for _ in lives(range(SEEDS)) if len(lived) < SEEDS else ():
        pass

    assert [] == sorted(FAULTS.keys() - struck.keys())
    assert [] == sorted(struck.keys() - FAULTS.keys())


def test_a_life_is_the_same_twice() -> None:
    """A seed is a life: the same records, batch by batch."""
    for seed in (3, 5, 8):
        one, other = (World(scenario(seed)).live() for _ in range(2))

        assert one.brain.cuts == other.brain.cuts
        assert one.faults.counts == other.faults.counts


def test_a_failing_life_shrinks_to_its_story(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left out did not matter; what is left fails in the same way."""
    whole = scenario(5)
    fatal = whole.incidents[0]

    def fails(world: World) -> Outcome:
        outcome = Outcome(world.scenario, [], world.faults, world.brain)
        if fatal in world.scenario.incidents:
            outcome.violations.append(Violation(Invariant.ONE_OWNER, "g", "q", "planted"))
        return outcome

    monkeypatch.setattr(World, "live", fails)
    smallest = shrunk(World(whole).live())

    assert (fatal,) == smallest.scenario.incidents
    assert frozenset() == smallest.scenario.quirks
