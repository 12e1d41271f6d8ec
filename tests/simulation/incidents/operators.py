"""What operators command, while other faults happen."""

from collections.abc import Mapping
from random import Random
from typing import TYPE_CHECKING, Final

from tests.simulation.incidents import members
from tests.simulation.incidents.choices import KEY, victim_of
from trimtab.protocol import (
    COMMANDS,
    Approve,
    ChoosePolicy,
    Command,
    DrainMember,
    EvictMember,
    Forget,
    Overrides,
    Pace,
    Pause,
    Rebalance,
    Resume,
    encode,
)

if TYPE_CHECKING:
    from tests.simulation.world import World


ANN: Final = "ann"
WHY: Final = "chaos"


def _id(dice: Random) -> str:
    return f"c{dice.getrandbits(32)}"


def _send(world: "World", command: Command) -> None:
    """An operator commands; the record may arrive twice."""
    if world.scenario.odd:
        command = command.model_copy(update={"principal": 85 * ANN, "reason": 60 * WHY})
    for _ in range(world.chance.randint(1, 2)):
        world.broker.append(COMMANDS, KEY, encode(command), world.now)


def pause(world: "World", dice: Random) -> None:
    """A group is paused, and resumed after a while or by itself."""
    until = world.now + 2_000 if dice.random() < 0.3 else None
    _send(world, Pause(id=_id(dice), principal=ANN, reason=WHY, until_ms=until))
    if until is None:
        world.later(dice.choice([1_000, 5_000]), lambda: resume(world, dice))
    world.faults.occurred("G1")


def resume(world: "World", dice: Random) -> None:
    """A pause ends."""
    _send(world, Resume(id=_id(dice), principal=ANN, reason=WHY))


_RULES: Final = (
    {"blast_percent": 100},
    {"blast_members": 1},
    {"blast_hold_ms": 1_000},
    {"assignment_interval_ms": 2_000},
    {"flap_limit": 1},
)


def rule(world: "World", dice: Random, overrides: Mapping[str, int]) -> None:
    """A group gets rules of its own, or, without any, has none any more."""
    own = Overrides.model_validate(overrides)
    _send(world, ChoosePolicy(id=_id(dice), principal=ANN, reason=WHY, overrides=own))


def command(world: "World", dice: Random) -> None:
    """An operator commands one thing or another, sometimes in view of an old epoch."""
    name, base, victim = _id(dice), dice.choice([None, None, 1]), victim_of(world, dice)
    choices: list[Command] = [
        Rebalance(id=name, principal=ANN, reason=WHY, base_epoch=base),
        Approve(id=name, principal=ANN, reason=WHY, base_epoch=base),
    ]
    if victim is not None and victim.manner != "broadcasting":  # it would rest on nothing, for ever
        who = {
            "id": name,
            "principal": ANN,
            "reason": WHY,
            "base_epoch": base,
            "member": victim.name,
        }
        choices.append(DrainMember.model_validate({**who, "force": True}))
    if dice.random() < 0.3:
        rule(world, dice, dice.choice(_RULES))
    elif dice.random() < 0.2:
        pace = dice.choice([1_000, 1_200, 1_500])
        _send(world, Pace(id=name, principal=ANN, reason=WHY, interval_ms=pace))
    else:
        _send(world, dice.choice(choices))
    world.faults.occurred("G3")


def retire(world: "World", dice: Random) -> None:
    """Everybody goes, by their own word or not; the group may be forgotten; later one comes."""
    for process in list(world.processes):
        if dice.random() < 0.3:
            members.stop(world, process, 0)
        else:
            process.die(world.witness)
    if dice.random() < 0.5:
        command = Forget(id=_id(dice), principal=ANN, reason=WHY)
        world.later(dice.choice([1_000, 12_000]), lambda: _send(world, command))
    world.later(dice.choice([2_000, 13_000, 20_000]), lambda: members.come(world))
    world.faults.occurred("G13")


def evict(world: "World", dice: Random) -> None:
    """An operator evicts somebody who lives."""
    victim = victim_of(world, dice)
    if victim is not None:
        _send(
            world,
            EvictMember(id=_id(dice), principal=ANN, reason=WHY, member=victim.name, force=True),
        )
        world.faults.occurred("G3")
