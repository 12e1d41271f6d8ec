"""Random faults by seed: many lives, no violation, and every fault of the catalogue has hit."""

from collections import Counter
from pathlib import Path

import pytest

from audit.violations import Invariant, Violation
from tests.builders.effort import seeds
from tests.simulation.faults import FAULTS
from tests.simulation.lives import (
    behind,
    forgetting,
    guarded,
    half_told,
    late_joins,
    life,
    retiring,
    rolling_forgetting,
    slow_hands,
    slow_hands_behind,
    wrong_stamps,
)
from tests.simulation.once import Lived, once
from tests.simulation.scenario import scenario
from tests.simulation.shrinking import shrunk
from tests.simulation.transcript import keep
from tests.simulation.world import Outcome, World

SEEDS, FURTHER = 600, 300
"""In 600 lives the rarest fault happens five times. `make simulate` takes thousands."""
PART = 100
"""Seeds to a test: a failure names its part, and none is long."""
PARTS = [range(first, first + PART) for first in range(0, SEEDS, PART)]

KEPT = Path(".cache/simulation")


def lived(seeds: range, results: Path) -> Lived:
    """Live through seeds, once in a run."""
    return once(results / f"lives-{seeds.start}-{seeds.stop}.json", lambda: _live(seeds))


def _live(seeds: range) -> Lived:
    failures, hits = [], Counter[str]()
    for seed in seeds:
        outcome = World(life(seed)).live()
        hits.update(outcome.faults.counts)
        if outcome.violations:
            failures.append(told(outcome))
    return failures, hits


def told(outcome: Outcome) -> str:
    """A failing life, shrunk, kept and told."""
    smallest = shrunk(outcome)
    violations = "\n".join(map(str, smallest.violations))
    return f"{smallest.scenario}\n{violations}\nkept as {keep(smallest, KEPT)}"


def test_a_few_lives_have_no_violation(results: Path) -> None:
    """The quick look of `make check`."""
    assert [] == lived(range(5), results)[0]


@pytest.mark.slow
def test_slow_hands_are_fenced_after_they_have_opened() -> None:
    """Whoever reads late and lets go late stops by itself before the controller gives it up."""
    lives = [World(slow_hands(seed)).live() for seed in seeds(20)]

    assert [] == [told(life) for life in lives if life.violations]


@pytest.mark.slow
def test_wrong_stamps_are_borne() -> None:
    """A broker's clock that is ahead for a moment gives no queue two owners, and saves no dead."""
    lives = [World(wrong_stamps(seed)).live() for seed in seeds(60)]
    hits = {fault for life in lives for fault in life.faults.counts}

    assert [] == [told(life) for life in lives if life.violations]
    assert all(life.scenario.strict for life in lives)
    assert {"B2", "B8"} <= hits


@pytest.mark.slow
def test_late_joins_are_borne() -> None:
    """The clock of the broker that takes joins is behind, and so is the controller (B2)."""
    lives = [World(late_joins(seed)).live() for seed in seeds(100)]

    assert [] == [told(life) for life in lives if life.violations]
    assert all(life.faults.counts["B2"] for life in lives)


@pytest.mark.slow
def test_a_controller_may_be_behind() -> None:
    """Its batches have a limit, so a backlog comes in pieces, cut anywhere in each topic."""
    lives = [World(draw(seed)).live() for draw in (behind, slow_hands_behind) for seed in seeds(40)]

    assert [] == [told(life) for life in lives if life.violations]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("first", range(40, FURTHER, PART))
def test_a_controller_may_be_behind_in_many_ways(first: int) -> None:
    """The same at length."""
    lives = (World(behind(seed)).live() for seed in range(first, first + PART))

    assert [] == [told(life) for life in lives if life.violations]


@pytest.mark.slow
def test_guards_may_be_first_or_late() -> None:
    """Whoever dies is released by its guard, by the controller, or by both in any order."""
    lives = [World(guarded(seed)).live() for seed in seeds(60)]

    assert [] == [told(life) for life in lives if life.violations]


@pytest.mark.slow
def test_a_controller_may_forget() -> None:
    """Its checkpoint is deleted, an old copy restored, or another one starts: A5, A6, A7, A15."""
    lives = [World(forgetting(seed)).live() for seed in seeds(60)]
    hits = {fault for life in lives for fault in life.faults.counts}

    assert [] == [told(life) for life in lives if life.violations]
    assert {"A5", "A6", "A7", "A15"} <= hits


@pytest.mark.slow
def test_a_controller_may_forget_while_members_are_restarted() -> None:
    """Queues go on by releases alone, to lives that no record names (0020 tells of these three)."""
    lives = [World(rolling_forgetting(seed)).live() for seed in (*seeds(20), 121, 857, 1213)]

    assert [] == [told(life) for life in lives if life.violations]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("first", range(20, FURTHER, PART))
def test_a_controller_may_forget_in_many_ways_while_members_are_restarted(first: int) -> None:
    """The same at length."""
    lives = (World(rolling_forgetting(seed)).live() for seed in range(first, first + PART))

    assert [] == [told(life) for life in lives if life.violations]


@pytest.mark.slow
def test_a_controller_may_be_told_half_of_what_it_forgot() -> None:
    """Kafka loses a record of an adoption (A18): nobody works beside whoever was not found."""
    lives = [World(half_told(seed)).live() for seed in seeds(60)]

    assert [] == [told(life) for life in lives if life.violations]


def test_nobody_may_be_there_for_a_while() -> None:
    """The group is swept, or forgotten by order, and its controller may forget it, too (G13)."""
    lives = [World(retiring(seed)).live() for seed in seeds(20)]

    assert [] == [told(life) for life in lives if life.violations]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("first", range(60, FURTHER, PART))
def test_a_controller_may_forget_in_many_ways(first: int) -> None:
    """The same at length."""
    lives = (World(forgetting(seed)).live() for seed in range(first, first + PART))

    assert [] == [told(life) for life in lives if life.violations]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", PARTS, ids=str)
def test_no_life_has_a_violation(part: range, results: Path) -> None:
    """Whatever goes wrong, and everything does: one owner, growing tokens, rest in the end."""
    assert [] == lived(part, results)[0]


@pytest.mark.slow  # without a time of its own: it begins when the parts have been lived
def test_every_fault_has_hit(results: Path) -> None:
    """A simulation proves nothing about what never happens in it."""
    hits = {fault for part in PARTS for fault in lived(part, results)[1]}

    assert FAULTS.keys() == hits


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
