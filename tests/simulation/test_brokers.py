"""The jury among random faults, by seed: no good broker is out, and no bad one stays in use (I11).

Broker faults E1 to E10, each marked where it hit, and planted bugs, each of which must be found.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from tests.simulation.brokers.faults import FAULTS
from tests.simulation.brokers.plan import plan, trial
from tests.simulation.brokers.plants import PLANTS, Function
from tests.simulation.brokers.world import BrokerWorld
from tests.simulation.once import Lived, once

SEEDS = 60
PARTS = [range(first, first + 30) for first in range(0, SEEDS, 30)]


def lived(seeds: range, results: Path) -> Lived:
    """Live through seeds, once in a run."""
    return once(results / f"brokers-{seeds.start}-{seeds.stop}.json", lambda: _live(seeds))


def _live(seeds: range) -> Lived:
    wrong, hits = [], Counter[str]()
    for seed in seeds:
        world = BrokerWorld(plan(seed)).live()
        hits.update(world.hits)
        wrong += [f"seed {seed}: {it}" for it in world.wrong]
    return wrong, hits


def test_a_few_worlds_have_nothing_wrong(results: Path) -> None:
    """The quick look of `make check`."""
    assert [] == lived(range(1), results)[0]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", PARTS, ids=str)
def test_no_world_has_anything_wrong(part: range, results: Path) -> None:
    """Whatever goes wrong with brokers, reporters, the log and the controller."""
    assert [] == lived(part, results)[0]


@pytest.mark.slow  # without a time of its own: it begins when the parts have been lived
def test_every_broker_fault_has_hit(results: Path) -> None:
    """A simulation proves nothing about what never happens in it."""
    hits = sum((lived(part, results)[1] for part in PARTS), Counter[str]())

    assert FAULTS.keys() == {fault for fault, times in hits.items() if times}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_lying_minority_changes_nothing(seed: int) -> None:
    """The same world with and without the lies: the same verdicts, in the same order (E3, E4)."""
    _differs_in_nothing(seed)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_lying_minority_changes_nothing_in_any_world() -> None:
    """The same for many more."""
    for seed in range(3, 12):
        _differs_in_nothing(seed)


def _differs_in_nothing(seed: int) -> None:
    lied = BrokerWorld(trial(seed)).live()
    honest = BrokerWorld(replace(trial(seed), truthful=True)).live()

    assert lied.hits["E3"] + lied.hits["E4"] > 0
    assert honest.judges.said
    assert honest.judges.said == lied.judges.said


@pytest.mark.slow
def test_a_world_is_the_same_twice() -> None:
    """A seed is a life."""
    for seed in (1, 2):
        one, other = (BrokerWorld(plan(seed)).live() for _ in range(2))

        assert one.controller.state == other.controller.state
        assert one.hits == other.hits


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("where", "plant", "finding", "first"), PLANTS.values(), ids=PLANTS)
def test_a_planted_bug_of_the_jury_is_caught(
    where: str,
    plant: Callable[[Function], Function],
    finding: str,
    first: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Within the seeds of a run, by what it breaks; without it that world has nothing wrong."""
    module, _, name = where.rpartition(".")
    right: Function = getattr(import_module(module), name)
    with monkeypatch.context() as planted:
        planted.setattr(where, plant(right))
        found = next(
            (seed, world.wrong[0])
            for seed in [first, *range(SEEDS)]
            if (world := BrokerWorld(plan(seed)).live()).wrong
        )
    seed, wrong = found
    print(f"caught by seed {seed}: {wrong}")  # noqa: T201 - shown by -rP

    assert finding in wrong
    assert [] == BrokerWorld(plan(seed)).live().wrong
