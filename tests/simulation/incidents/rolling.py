"""What happens to everybody in turn: rolling restarts, mostly while the controller is away."""

from collections.abc import Callable
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from tests.simulation.process import Process
from tests.simulation.rules import GROUP
from trimtab.holdings import Holdings
from trimtab.protocol import TOPICS
from trimtab.session import MemberSession

if TYPE_CHECKING:
    from tests.simulation.world import World

Going = Callable[["World", Process, Random], None]


def roll(world: "World", dice: Random) -> None:
    """Everybody is restarted, one after another, mostly while the controller is away."""
    pace_ms, there = dice.choice([700, 1_500, 3_000]), list(world.processes)
    if dice.random() < 0.8:
        world.away_until = world.now + round(len(there) * pace_ms * dice.choice([0.5, 1, 1.5]))
    for place, process in enumerate(there):
        going: Going = dice.choice([_leaves, _leaves, _leaves, _goes_for_a_while, _killed])
        world.later(place * pace_ms, partial(_restarted, world, process, going, dice))


def _restarted(world: "World", process: Process, going: Going, dice: Random) -> None:
    if not process.ended:
        world.faults.occurred("C14")
        going(world, process, dice)
        world.later(dice.choice([100, 400]), partial(_returns, world, process))


def _returns(world: "World", former: Process) -> None:
    """It is back as soon as it has ended, unless its name has been taken meanwhile."""
    if not former.ended:
        world.later(200, partial(_returns, world, former))
    elif all(process.name != former.name for process in world.processes):
        # On the machine whose clock is ahead: an older life would have to wait (B1).
        clocks = [it.offset_ms for it in world.everybody if it.name == former.name]
        world.start(former.name, former.topics, offset_ms=max(clocks), instance=former.instance)


def _leaves(world: "World", process: Process, dice: Random) -> None:
    del dice
    world.note(process.stop(world.now, 20_000, world.witness))


def _goes_for_a_while(world: "World", process: Process, dice: Random) -> None:
    del dice
    world.note(process.stop(world.now, 20_000, world.witness, temporary=True))


def _killed(world: "World", process: Process, dice: Random) -> None:
    """Its guard knows what it held last, and says so soon, or late."""
    session = process.session
    process.die(world.witness)
    if process.manner is None and isinstance(session, MemberSession):
        held = Holdings.of(session)
        said = [*held.releases(GROUP), held.leave(GROUP)]

        def says() -> None:
            for message in said:
                topic = TOPICS[message.topic]
                world.broker.append(topic, message.key, message.value, world.now)

        world.later(dice.choice([0, 50, 500, 4_000]), says)
