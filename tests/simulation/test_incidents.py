"""An incident counts as a fault when it takes effect, and not when it was planned."""

from collections.abc import Callable
from random import Random

import pytest

from tests.simulation.incidents.machinery import bereaved
from tests.simulation.incidents.members import crash_all, deploy, flap
from tests.simulation.incidents.rolling import roll
from tests.simulation.incidents.routes import recreate, route_flap
from tests.simulation.scenario import scenario
from tests.simulation.world import World

Incident = Callable[[World, Random], None]


def counted(incident: Incident) -> tuple[dict[str, int], dict[str, int]]:
    """What has hit when it was planned, and when all of it has come; nobody is there."""
    world = World(scenario(1))
    world.processes, world.agenda = [], []
    incident(world, Random(1))
    planned = dict(world.faults.counts)
    while world.agenda:
        world.now, action = world.agenda.pop(0)
        action()
    return planned, dict(world.faults.counts)


@pytest.mark.parametrize("incident", [bereaved, crash_all, deploy, roll])
def test_what_finds_nobody_has_not_hit(incident: Incident) -> None:
    """Nobody died, or was replaced."""
    planned, hit = counted(incident)

    assert not {"A3", "C12", "C14"} & (planned.keys() | hit.keys())


@pytest.mark.parametrize(
    ("incident", "fault"), [(flap, "C11"), (recreate, "D3"), (route_flap, "D1")]
)
def test_what_comes_in_steps_has_hit_with_the_last_one(incident: Incident, fault: str) -> None:
    """A life may be over before it."""
    planned, hit = counted(incident)

    assert fault not in planned
    assert 1 == hit[fault]
