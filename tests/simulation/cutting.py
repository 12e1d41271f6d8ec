"""Odd cuts: where a batch may end in each topic, as far as Spark's two sources let it.

Beats are read together once in a while, so they may be behind what is urgent, by no more than that.
What is urgent is read to its end in every batch; only, Spark asks the two sources for their ends
one after the other, and what is appended between comes a batch later.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

from streaming.rows import Row
from tests.simulation.broker import Broker
from tests.simulation.rules import DECODER
from tests.simulation.scenario import MAX_STEP_MS, TICK_MS

OVERTAKING_MS: Final = MAX_STEP_MS - TICK_MS
"""As long as the settings let beats wait (``console.settings.model``)."""
_BETWEEN_MS: Final = 400
"""Between the two questions; a member that is silent has that and more to spare: a fifth of its
session."""


def odd_ends(
    broker: Broker, read: Mapping[str, int], chance: Random, now: int
) -> Mapping[str, int]:
    """Return up to which place each topic is read."""
    beats = DECODER.heartbeats
    least = _reach(broker.logs[beats], read[beats], now + broker.skew_ms - OVERTAKING_MS)
    late = chance.random() < 0.7
    ends = {beats: least if late else chance.randint(least, len(broker.logs[beats]))}
    heard = broker.logs[beats][: ends[beats]]
    for name, log in broker.logs.items():
        if name != beats:
            least = min(read[name], len(log))
            if heard:
                least = _reach(log, read[name], heard[-1].appended_ms - _BETWEEN_MS)
            ends[name] = chance.randint(least, len(log))
    return ends


def _reach(log: Sequence[Row], place: int, until_ms: int) -> int:
    """Go on from a place past everything that was appended before a time."""
    while place < len(log) and log[place].appended_ms < until_ms:
        place += 1
    return min(place, len(log))
