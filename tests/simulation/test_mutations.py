"""The simulation finds each planted bug, and finds nothing else."""

from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from audit.violations import Invariant
from tests.simulation import cutting
from tests.simulation.once import Lived, once
from tests.simulation.plant import Plant
from tests.simulation.plants import PLANTS
from tests.simulation.scenario import MAX_STEP_MS, Quirk, scenario
from tests.simulation.world import World

SEEDS = 2_000


def plant_it(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the wrong function in the place of the right one."""
    path = plant.where.split(".")
    right: Any = import_module(".".join(path[:2]))
    for name in path[2:]:
        right = getattr(right, name)
    monkeypatch.setattr(plant.where, plant.wrong(right))


def caught(name: str, results: Path) -> tuple[str, Invariant]:
    """Catch a planted bug, once in a run; return where it was found, and as what."""
    (where,), invariants = once(results / f"plant-{name}.json", lambda: _caught(PLANTS[name]))
    (invariant,) = invariants
    return where, Invariant(invariant)


def _caught(plant: Plant) -> Lived:
    with pytest.MonkeyPatch.context() as planted:
        plant_it(plant, planted)
        life, violation = next(
            (life, outcome.violations[0])
            for life in map(plant.lives, [plant.first, *range(SEEDS)])
            if plant.needs <= life.quirks and (outcome := World(life).live()).violations
        )
    assert [] == World(life).live().violations
    return [f"seed {life.seed}: {violation}"], Counter([violation.invariant])


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_bug_is_caught(name: str, results: Path) -> None:
    """Within the seeds of a run, by the invariant that it breaks; without it that life is fine.

    That the lives before it are fine is ``test_simulation``'s business.
    """
    where, invariant = caught(name, results)
    print(f"caught by {where}")  # noqa: T201 - shown by -rP

    assert invariant in PLANTS[name].caught_as


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_each_invariant_is_broken_by_a_plant(results: Path) -> None:
    """What no plant breaks may be judged by nothing. I17 compares two lives: a law does that."""
    broken = {caught(name, results)[1] for name in PLANTS}

    assert {Invariant.MONOTONE} == {*Invariant} - broken


@pytest.mark.slow
def test_beats_that_wait_too_long_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings refuse it, and this is why: joins look old before their members' beats are read.

    ``console.settings.model`` has beats wait for no longer than a clock step less a tick.
    """
    monkeypatch.setattr(cutting, "OVERTAKING_MS", 4 * MAX_STEP_MS)
    lives = (life for life in map(scenario, range(SEEDS)) if Quirk.ODD_CUTS in life.quirks)
    found = next(outcome for life in lives if (outcome := World(life).live()).violations)

    assert Invariant.PATIENT == found.violations[0].invariant
