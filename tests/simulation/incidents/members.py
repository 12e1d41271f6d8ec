"""What happens to members: they come, go, die, freeze, lose contact, and meet their twins."""

from functools import partial
from random import Random
from typing import TYPE_CHECKING

from tests.simulation.incidents.choices import (
    HOUR_MS,
    KEY,
    ODD_NAMES,
    SHORT_OR_LONG,
    fresh_name,
    victim_of,
    wishes,
)
from tests.simulation.process import Process
from tests.simulation.scenario import SESSION_MS
from trimtab.holdings import Holdings
from trimtab.protocol import MEMBERS, TOPICS, Leave, encode
from trimtab.session import MemberSession

if TYPE_CHECKING:
    from tests.simulation.world import World


def start(world: "World", dice: Random) -> None:
    """Somebody new comes, perhaps with wishes of its own."""
    world.start(fresh_name(world), wishes(world, dice))


def eager(world: "World", dice: Random) -> None:
    """Somebody comes that knows no releases."""
    world.start(fresh_name(world), wishes(world, dice), manner="eager")


def broadcast(world: "World", dice: Random) -> None:
    """Somebody comes that works on everything, whoever else does."""
    world.start(fresh_name(world), wishes(world, dice), manner="broadcasting")


def hoard(world: "World", dice: Random) -> None:
    """Somebody comes that lets go only in words."""
    world.start(fresh_name(world), wishes(world, dice), manner="hoarding")


def odd_name(world: "World", dice: Random) -> None:
    """Somebody comes whose name is allowed, and strange."""
    name = dice.choice(ODD_NAMES)
    if all(process.name != name for process in world.processes):  # else it would be a twin
        world.start(name, wishes(world, dice))
        world.faults.occurred("C21")


def storm(world: "World", dice: Random) -> None:
    """Many come at once."""
    for _ in range(dice.randint(2, 3)):
        world.start(fresh_name(world))
    world.faults.occurred("C10")


def kill(world: "World", dice: Random) -> None:
    """Somebody dies without a word."""
    victim = victim_of(world, dice)
    if victim is not None:
        victim.die(world.witness)


def kill_guarded(world: "World", dice: Random) -> None:
    """Somebody dies, and its guard says so, as soon as it can: perhaps when it has been fenced."""
    victim = victim_of(world, dice)
    if victim is None or not isinstance(victim.session, MemberSession):
        return
    if any(it.offset_ms for it in world.everybody if it.name == victim.name):
        return  # who looks older than one that left has to wait for five minutes (B1)
    held, group = Holdings.of(victim.session), victim.session.profile.group
    victim.die(world.witness)
    victim.left = True
    if dice.random() < 0.3:  # and comes back at once: its guard may be later than its next life
        world.start(victim.name, victim.topics, instance=victim.instance)

    def release() -> None:
        if not world.broker.up(world.now):
            world.later(SESSION_MS // 10, release)
            return
        for said in (*held.releases(group), held.leave(group)):
            world.broker.append(TOPICS[said.topic], said.key, said.value, world.now)

    world.later(dice.choice([0, 0, 100, 1_000, SESSION_MS - 300, SESSION_MS + 900]), release)


def restart(world: "World", dice: Random) -> None:
    """Somebody dies and is back at once, perhaps on a machine with another clock."""
    victim = victim_of(world, dice)
    if victim is not None:
        victim.die(world.witness)
        offset_ms = dice.choice([0, 0, HOUR_MS, -HOUR_MS])
        if any(it.left and it.name == victim.name for it in world.everybody):
            offset_ms = 0  # as in ``kill_guarded``
        if offset_ms:
            world.faults.occurred("B1")
        world.start(victim.name, wishes(world, dice), offset_ms=offset_ms)


def suspend(world: "World", dice: Random) -> None:
    """Somebody does nothing for a while, and does not know it."""
    victim, duration_ms = victim_of(world, dice), dice.choice(SHORT_OR_LONG)
    if victim is not None:
        victim.suspend(world.now + duration_ms, world.witness)
        if duration_ms > SESSION_MS:
            world.faults.occurred("C3")


def cut(world: "World", dice: Random) -> None:
    """Somebody can neither write nor read."""
    victim, until = victim_of(world, dice), world.now + dice.choice(SHORT_OR_LONG)
    if victim is not None:
        world.wire.cut_until[victim.number] = victim.deaf_until = until
        world.faults.occurred("C4")


def deafen(world: "World", dice: Random) -> None:
    """Somebody can write and not read."""
    victim = victim_of(world, dice)
    if victim is not None:
        victim.deaf_until = world.now + dice.choice(SHORT_OR_LONG)
        world.faults.occurred("C4")


def leave(world: "World", dice: Random) -> None:
    """Somebody wants to go."""
    victim = victim_of(world, dice)
    if victim is not None:
        stop(world, victim, dice.choice([0, 1_000, 20_000]))


def stop(world: "World", process: Process, timeout_ms: int) -> None:
    """Ask a process to leave."""
    world.note(process.stop(world.now, timeout_ms, world.witness))


def twin(world: "World", dice: Random) -> None:
    """Somebody starts under the name of somebody who lives."""
    victim = victim_of(world, dice)
    if victim is not None:
        world.start(victim.name, wishes(world, dice))
        world.faults.occurred("C1")


def surge(world: "World", dice: Random) -> None:
    """Somebody starts under another name for the instance of somebody who lives."""
    victim = victim_of(world, dice)
    if victim is not None and victim.instance is not None:
        world.start(fresh_name(world), wishes(world, dice), instance=victim.instance)
        world.faults.occurred("C2")
        world.faults.occurred("C13")


def relieve(world: "World", dice: Random) -> None:
    """Somebody is frozen, another one starts in its place, and it comes back."""
    victim = victim_of(world, dice)
    if victim is None or victim.manner is not None:
        return
    duration_ms = dice.choice([SESSION_MS - 700, 2 * SESSION_MS, 3 * SESSION_MS])
    victim.suspend(world.now + duration_ms, world.witness)
    same = victim.instance is None or dice.random() < 0.5
    name = victim.name if same else fresh_name(world)

    def step_in() -> None:
        if not victim.ended:
            world.start(name, victim.topics, instance=victim.instance)
            world.faults.occurred("C3")

    world.later(dice.choice([200, SESSION_MS, duration_ms - 200]), step_in)


def settle_duels(world: "World") -> None:
    """Of several processes with one instance the youngest stays: two would fence each other.

    And whoever was relieved goes if its successor has gone, or is going: its joins look like
    messages from before that one left, and wait for five minutes (B1).
    """
    for process in world.processes:
        youngest_of_it = world.youngest[process.name]
        if youngest_of_it.ended or (youngest_of_it.leaving and youngest_of_it is not process):
            process.die(world.witness)
    youngest = {process.instance: process for process in world.processes}
    for process in world.processes:
        if process.instance is not None and youngest[process.instance] is not process:
            process.die(world.witness)


def away(world: "World", dice: Random) -> None:
    """Somebody goes for a moment, says so, and is back; or is late, or never comes."""
    victim = victim_of(world, dice)
    if victim is None:
        return
    victim.die(world.witness)
    life, _ = victim.worker
    leave = Leave(member=life.member, incarnation=life.incarnation, sequence=999, temporary=True)
    world.broker.append(MEMBERS, KEY, encode(leave), world.now)
    world.later(
        dice.choice([200, SESSION_MS - 700, SESSION_MS + 2_000]),
        partial(_back, world, victim),
    )
    world.faults.occurred("C13")


def flap(world: "World", dice: Random) -> None:
    """Somebody comes and goes and comes and goes."""
    name = fresh_name(world)

    def again(times: int) -> None:
        for former in [process for process in world.processes if process.name == name]:
            former.die(world.witness)  # else it would be a twin
        process = world.start(name)
        world.later(dice.choice([500, 1_500]), lambda: stop(world, process, 0))
        if times:
            world.later(2_500, lambda: again(times - 1))
        else:
            world.faults.occurred("C11")

    again(3)


def crash_all(world: "World", dice: Random) -> None:
    """Everybody dies at once, and comes back after a while."""
    for process in world.processes:
        world.faults.occurred("C12")
        process.die(world.witness)
        world.later(dice.choice([100, 2_000, 6_000]), partial(_back, world, process))


def _back(world: "World", former: Process) -> None:
    """Somebody is there again, unless its name has been taken meanwhile."""
    if all(process.name != former.name for process in world.processes):
        world.start(former.name, former.topics, instance=former.instance)


def leave_all(world: "World", dice: Random) -> None:
    """Everybody leaves; later one comes."""
    for process in world.processes:
        stop(world, process, dice.choice([0, 1_000]))
    world.later(3 * SESSION_MS, lambda: come(world))


def come(world: "World") -> None:
    """Somebody comes, perhaps where nobody was."""
    if not world.processes:
        world.faults.occurred("B7")
    world.faults.occurred("C15")
    world.start(fresh_name(world))


def deploy(world: "World", dice: Random) -> None:
    """Everybody is replaced, one by one: the new one comes, then the old one goes."""
    pace_ms = dice.choice([500, 2_000])
    for place, process in enumerate(world.processes):
        world.later(place * pace_ms, lambda: start(world, dice))
        world.later(place * pace_ms + 300, partial(_replaced, world, process))


def _replaced(world: "World", process: Process) -> None:
    if not process.ended:
        world.faults.occurred("C14")
    stop(world, process, 5_000)
