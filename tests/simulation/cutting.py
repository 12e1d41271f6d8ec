"""Odd cuts: where a batch may end in each topic, as far as Spark's two sources let it.

Beats are read together once in a while, so they may be behind what is urgent, by no more than that.
What is urgent is read to its end in every batch; only, Spark asks the two sources for their ends
one after the other, and what is appended between comes a batch later.
"""

from collections.abc import Mapping
from random import Random
from typing import TYPE_CHECKING, Final

from tests.simulation.behind import bounded_ends
from tests.simulation.model_kafka import Broker
from tests.simulation.rules import DECODER
from tests.simulation.scenario import MAX_STEP_MS, TICK_MS, Quirk

if TYPE_CHECKING:
    from tests.simulation.world import World

OVERTAKING_MS: Final = MAX_STEP_MS - TICK_MS
"""As long as the settings let beats wait (``console.settings.model``)."""
_BETWEEN_MS: Final = 400
"""Between the two questions; a member that is silent has that and more to spare: a fifth of its
session."""


def ends_of(world: "World") -> Mapping[str, int]:
    """Return up to which place each topic is read in the next batch of a world."""
    broker, brain, chance = world.broker, world.brain, world.chance
    if world.scenario.bounded and not world.healed:
        return bounded_ends(brain, chance, world.now)
    if Quirk.ODD_CUTS in world.wire.quirks and not brain.starting:
        return odd_ends(broker, brain.read, chance, world.now)
    return {name: len(log) for name, log in broker.logs.items()}


def odd_ends(
    broker: Broker, read: Mapping[str, int], chance: Random, now: int
) -> Mapping[str, int]:
    """Return up to which place each topic is read."""
    beats = DECODER.heartbeats
    least = _reach(broker, beats, read[beats], now - OVERTAKING_MS)
    late = chance.random() < 0.7
    ends = {beats: least if late else chance.randint(least, len(broker.logs[beats]))}
    heard = broker.logs[beats][: ends[beats]]
    for name, log in broker.logs.items():
        if name != beats:
            least = min(read[name], len(log))
            if heard:
                until_ms = broker.written_at(heard[-1]) - _BETWEEN_MS
                least = _reach(broker, name, read[name], until_ms)
            ends[name] = chance.randint(least, len(log))
    return ends


def _reach(broker: Broker, name: str, place: int, until_ms: int) -> int:
    """Go on in a topic from a place past everything that was appended before a time."""
    log = broker.logs[name]
    while place < len(log) and broker.written_at(log[place]) < until_ms:
        place += 1
    return min(place, len(log))
