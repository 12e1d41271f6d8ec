"""Stories of the simulated world, written by hand: a member comes back, takes over, shares."""

from collections import Counter
from dataclasses import replace

import pytest

from rebalance.groups.model.policy import TwinRule
from tests.simulation.scenario import SESSION_MS, scenario
from tests.simulation.world import World
from trimtab.protocol import QueueRef

QUEUES = [QueueRef("orders", "", number) for number in range(5)]
BEHIND_MS = -600_000
SOON_MS = 2 * SESSION_MS
FROZEN_MS = 30_000
"""Long enough for a successor that looks older, and waits until the frozen one has expired."""


def calm(
    seed: int,
    on_twin: TwinRule = TwinRule.FENCE_OLDER,
    on_twin_instance: TwinRule = TwinRule.FENCE_OLDER,
) -> World:
    """A world in which nothing goes wrong by itself, and time has begun."""
    life = replace(
        scenario(seed),
        queues=(len(QUEUES),),
        strategy="STICKY",
        quirks=frozenset(),
        incidents=(),
        interval_ms=0,
        grace_ms=0,
        on_twin=on_twin,
        on_twin_instance=on_twin_instance,
    )
    return World(life)


def passes(world: World, duration_ms: int) -> None:
    """Time goes by; the auditor and the witness judge every step."""
    end = world.now + duration_ms
    while world.now < end:
        world.turn()


def held(world: World) -> dict[str, set[QueueRef]]:
    """Who works on which queue."""
    return {process.name: set(process.working) for process in world.processes}


def readers(world: World) -> Counter[QueueRef]:
    """How many work on each queue."""
    return Counter(queue for process in world.processes for queue in process.working)


@pytest.mark.parametrize("seed", range(3))
def test_members_that_share_draw_from_every_queue_together(seed: int) -> None:
    """Each queue is worked on by two of them, whoever comes, dies or leaves."""
    world, twice = calm(seed), dict.fromkeys(QUEUES, 2)
    policy = replace(world.brain.rules.policy, share_number=1)
    world.brain.rules = replace(world.brain.rules, policy=policy)
    for number in range(4):
        world.start(f"m{number}", manner="sharing")
    passes(world, SOON_MS)
    assert twice == readers(world)

    world.processes[1].die(world.witness)
    passes(world, 3 * SESSION_MS)
    assert twice == readers(world)

    world.start("m4", manner="sharing")
    leaving = world.processes[0]
    world.note(leaving.stop(world.now, 20_000, world.witness))
    passes(world, 3 * SESSION_MS)
    assert leaving not in world.processes
    assert twice == readers(world)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["m0", "m7"])
def test_a_static_member_comes_back_to_the_same_queues(name: str, seed: int) -> None:
    """Under its own name or another: its queues rest meanwhile, and nothing of others moves."""
    world = calm(seed)
    leaver = world.start("m0", instance="i0")
    world.start("m1", instance="i1")
    passes(world, SOON_MS)
    before = held(world)
    assert set(QUEUES) == set().union(*before.values())

    world.note(leaver.stop(world.now, 5_000, world.witness, temporary=True))
    passes(world, SESSION_MS // 2)
    assert {"m1": before["m1"]} == held(world)

    world.start(name, instance="i0")
    passes(world, SOON_MS)
    assert {"m1": before["m1"], name: before["m0"]} == held(world)


RELIEFS = {
    # name: (the rules for members and for instances, the successor's name and its clock)
    "by name": ("fence-older", "fence-older", "m0", 0),
    "by name, its clock behind": ("fence-older", "fence-older", "m0", BEHIND_MS),
    "by name, newer ones wait": ("refuse-newer", "fence-older", "m0", BEHIND_MS),
    "by instance": ("fence-older", "fence-older", "m7", 0),
    "by instance, its clock behind": ("fence-older", "fence-older", "m7", BEHIND_MS),
    "by instance, in turn": ("fence-older", "hand-over", "m7", 0),
    "by instance, newer ones wait": ("fence-older", "refuse-newer", "m7", 0),
}


@pytest.mark.slow
@pytest.mark.parametrize("away", [False, True], ids=["", "the controller away"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("of_names", "of_instances", "name", "clock"), RELIEFS.values(), ids=RELIEFS
)
def test_a_frozen_process_does_not_evict_who_took_over(
    of_names: str, of_instances: str, name: str, clock: int, seed: int, *, away: bool
) -> None:
    """It is frozen for long, another one comes in its place, and it comes back (C3)."""
    world = calm(seed, TwinRule(of_names), TwinRule(of_instances))
    frozen = world.start("m0", instance="i0")
    world.start("m1", instance="i1")
    passes(world, SOON_MS)

    frozen.suspend(world.now + FROZEN_MS, world.witness)
    passes(world, SESSION_MS // 3)
    if away and clock == 0:  # and decides on both when it is back; who looks older has to wait
        world.away_until = world.now + FROZEN_MS + SESSION_MS
    successor = world.start(name, instance="i0", offset_ms=clock)
    successor.skip()
    passes(world, 3 * FROZEN_MS)

    assert successor in world.processes
    assert successor.working
    assert not frozen.working
    if name == frozen.name and clock == 0:  # else it cannot tell who came later, and waits
        assert frozen not in world.processes


@pytest.mark.parametrize("seed", range(3))
def test_two_that_started_at_once_never_have_one_life(seed: int) -> None:
    """Two of one name and one millisecond, the older of which begins its next life."""
    world = calm(seed, TwinRule.SEPARATE)
    frozen = world.start("m0")
    other = world.start("m0")
    passes(world, SOON_MS)
    frozen.suspend(world.now + 2 * SESSION_MS, world.witness)
    passes(world, 4 * SESSION_MS)

    assert frozen.worker[0] != other.worker[0]
    assert set(QUEUES) == set(readers(world))
