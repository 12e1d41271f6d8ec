"""Real sessions and the real controller, in a world where much goes wrong."""

from collections import Counter

import pytest

from rebalance.groups.model.policy import Policy, TwinRule
from tests.builders.log import rules
from tests.unit.sdk.universe import QUEUES, Process, World

BEHIND_MS = -600_000
CALM_MS = 120_000
"""Enough for everything that is broken to expire, and for the rest to settle."""


TROUBLES = ["start", "kill", "restart", "suspend", "cut", "deafen", "leave", "pause", "away"]


def trouble(world: World) -> None:
    """Something happens to somebody."""
    chance = world.chance
    what = chance.choice(TROUBLES)
    victim = chance.choice(world.processes) if world.processes else None
    # No twins: a younger process takes its name's queues at once, before the older one knows.
    free = {f"m{number}" for number in range(5)} - {process.name for process in world.processes}
    if what == "start" and free:
        world.start(min(free))
    elif what == "away":
        world.away_until = world.now + chance.choice([1_000, 15_000, 60_000])
    elif victim is not None:
        happen(world, victim, what)


def happen(world: World, victim: Process, what: str) -> None:
    """Something happens to one process."""
    long = world.chance.choice([500, 5_000, 9_000, 15_000, 40_000, 100_000])
    if what == "kill":
        world.processes.remove(victim)
    elif what == "restart":
        world.processes.remove(victim)
        world.start(victim.name)
    elif what == "suspend":
        world.suspend(victim, long)
    elif what == "cut":
        victim.cut_until = victim.deaf_until = world.now + long
    elif what == "deafen":
        victim.deaf_until = world.now + long
    elif what == "leave":
        world.perform(victim, victim.session.stop(world.now, timeout_ms=20_000))
    elif what == "pause":
        leave_for_a_while(world, victim)


def leave_for_a_while(world: World, process: Process) -> None:
    """It will be back, or so it says."""
    stopping = process.session.stop(world.now, timeout_ms=20_000, temporary=True)
    world.perform(process, stopping)


def held(world: World) -> dict[str, set[int]]:
    """Who works on which queue."""
    return {it.name: {queue.id for queue in it.working} for it in world.processes}


@pytest.mark.parametrize("seed", range(5))
def test_members_that_share_draw_from_every_queue_together(seed: int) -> None:
    """Each queue is worked on by two of them, whoever comes, dies or leaves."""
    world = World(seed)
    world.slowness = [0, 5, 500, 5_000]
    world.rules = rules(Policy(strategy="STICKY", share_number=1))
    for number in range(4):
        world.start(f"m{number}", mode="shared")
    world.lives(20_000)
    assert {2} == set(readers(world).values())

    world.processes.pop(1)
    world.lives(30_000)
    assert {2} == set(readers(world).values())

    world.start("m4", mode="shared")
    leaving = world.processes[0]
    world.perform(leaving, leaving.session.stop(world.now, timeout_ms=20_000))
    world.lives(30_000)
    assert leaving not in world.processes
    assert {2} == set(readers(world).values())


def readers(world: World) -> Counter[int]:
    """How many work on each queue."""
    count = Counter(dict.fromkeys(range(QUEUES), 0))
    count.update(number for queues in held(world).values() for number in queues)
    return count


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["m0", "m7"])
def test_a_static_member_comes_back_to_the_same_queues(name: str, seed: int) -> None:
    """Under its own name or another: its queues rest meanwhile, and nothing of others moves."""
    world = World(seed)
    world.slowness, world.rules = [0, 5, 500], rules(Policy(strategy="STICKY"))
    world.start("m0", instance="i0")
    world.start("m1", instance="i1")
    world.lives(10_000)
    before = held(world)
    assert QUEUES == sum(map(len, before.values()))

    leave_for_a_while(world, world.processes[0])
    world.lives(5_000)
    assert {"m1": before["m1"]} == held(world)

    world.start(name, instance="i0")
    world.lives(10_000)
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


@pytest.mark.parametrize("away", [False, True], ids=["", "the controller away"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("of_names", "of_instances", "name", "clock"), RELIEFS.values(), ids=RELIEFS
)
def test_a_frozen_process_does_not_evict_who_took_over(
    of_names: str, of_instances: str, name: str, clock: int, seed: int, *, away: bool
) -> None:
    """It is frozen for three sessions, another one comes in its place, and it comes back (C3)."""
    world = World(seed)
    rule, rule_of_instances = TwinRule(of_names), TwinRule(of_instances)
    policy = Policy(strategy="STICKY", on_twin=rule, on_twin_instance=rule_of_instances)
    world.slowness, world.rules = [0, 5, 500], rules(policy)
    frozen = world.start("m0", instance="i0")
    world.start("m1", instance="i1")
    world.lives(10_000)

    world.suspend(frozen, 30_000)
    world.lives(3_000)
    if away and clock == 0:  # and decides on both when it is back; who looks older has to wait
        world.away_until = world.now + 40_000
    successor = world.start(name, instance="i0", clock_ms=clock)
    world.lives(90_000)

    assert successor in world.processes
    assert successor.working
    assert not frozen.working
    if name == frozen.name and clock == 0:  # else it cannot tell who came later, and waits
        assert frozen not in world.processes


@pytest.mark.parametrize("seed", range(12))
def test_no_queue_has_two_owners_whatever_happens(seed: int) -> None:
    """And when trouble is over, each queue is worked on by somebody, with ever larger tokens."""
    world = World(seed)
    for name in ("m0", "m1", "m2"):
        world.start(name)
    for _ in range(1_500):
        world.step()
        if world.chance.random() < 0.02:
            trouble(world)
    world.start("the last")  # whom nothing happens to
    world.lives(CALM_MS)

    owned = sorted(queue.id for process in world.processes for queue in process.working)
    assert list(range(QUEUES)) == owned
