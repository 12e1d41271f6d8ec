"""Lives of a special kind: scenarios in which certain things surely happen."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import attrgetter
from random import Random
from typing import Final

from tests.simulation.scenario import (
    FORGETTING,
    QUIET_BEFORE_MS,
    Incident,
    Kind,
    Quirk,
    Scenario,
    scenario,
)

_WHEN = attrgetter("at_ms")


def slow_hands(seed: int) -> Scenario:
    """Draw a life in which queues go from hand to hand, and hands are slow to read and to open."""
    newcomers = range(QUIET_BEFORE_MS, 5 * QUIET_BEFORE_MS + 1, QUIET_BEFORE_MS)
    return replace(
        scenario(seed),
        members=3,
        queues=(8,),
        quirks=frozenset({Quirk.LATE_READERS, Quirk.SLOW_RELEASES, Quirk.RELUCTANCE}),
        incidents=tuple(Incident(at_ms, Kind.START, seed + at_ms) for at_ms in newcomers),
        safety_ms=20_000,
    )


def late_releases(seed: int) -> Scenario:
    """Draw a life of slow hands in which old releases arrive while queues are on their way."""
    life = slow_hands(seed)
    late = [
        Incident(it.at_ms + after, Kind.STALE_RELEASE, 31 * seed + it.at_ms + after)
        for it in life.incidents
        for after in range(500, QUIET_BEFORE_MS, 500)
    ]
    return replace(life, incidents=tuple(sorted([*life.incidents, *late], key=_WHEN)))


def cut_off(seed: int) -> Scenario:
    """Draw a life of slow hands in which most are cut off soon after they were told to let go."""
    life = slow_hands(seed)
    cuts = [
        Incident(it.at_ms + after + each, Kind.CUT, 31 * seed + it.at_ms + after + each)
        for it in life.incidents[1:]
        for after in (300, 2_000)
        for each in range(8)
    ]
    return replace(life, incidents=tuple(sorted([*life.incidents, *cuts], key=_WHEN)))


def wrong_stamps(seed: int) -> Scenario:
    """Draw a life in which stamps are wrong, while members are cut off, deaf or dead."""
    life, chance = scenario(seed), Random(-2 - seed)
    jumps = {0: [Kind.CLOCK_AHEAD], 1: [Kind.TWO_CLOCKS]}.get(seed % 4, 3 * [Kind.STRAY_STAMPS])
    troubles = [
        Incident(chance.randint(QUIET_BEFORE_MS, life.safety_ms), kind, chance.getrandbits(32))
        for kind in [*jumps, Kind.CUT, Kind.CUT, Kind.DEAFEN, Kind.KILL]
    ]
    return replace(life, incidents=tuple(sorted(troubles, key=_WHEN)))


def late_joins(seed: int) -> Scenario:
    """Draw a life in which joins have old times, and come while the controller is behind."""
    life, chance = scenario(seed), Random(-3 - seed)
    kinds = [Kind.START, Kind.START, Kind.RESTART, Kind.AWAY, Kind.KILL, Kind.START]
    at_ms = 2 * QUIET_BEFORE_MS
    troubles = [
        Incident(QUIET_BEFORE_MS, Kind.LATE_JOINS, chance.getrandbits(32)),
        Incident(QUIET_BEFORE_MS, Kind.STALL_CONTROLLER, chance.getrandbits(32)),
        Incident(at_ms, Kind.STALL_CONTROLLER, chance.getrandbits(32)),
        *(
            Incident(chance.randint(at_ms, at_ms + 9_000), kind, chance.getrandbits(32))
            for kind in kinds
        ),
    ]
    return replace(
        life, incidents=tuple(sorted(troubles, key=_WHEN)), safety_ms=max(life.safety_ms, 15_000)
    )


def forgetting(seed: int) -> Scenario:
    """Draw a life whose controller loses what it remembers, once or twice."""
    life, chance = scenario(seed), Random(-1 - seed)
    lapses = [
        Incident(
            chance.randint(QUIET_BEFORE_MS, life.safety_ms),
            chance.choice(FORGETTING),
            chance.getrandbits(32),
        )
        for _ in range(chance.randint(1, 2))
    ]
    return replace(life, incidents=tuple(sorted([*life.incidents, *lapses], key=_WHEN)))


def many_pauses(seed: int) -> Scenario:
    """Draw a life in which an operator pauses the group again and again."""
    life, chance = scenario(seed), Random(-4 - seed)
    pauses = [
        Incident(QUIET_BEFORE_MS + 5 * number, Kind.PAUSE, chance.getrandbits(32))
        for number in range(300)
    ]
    return replace(life, incidents=tuple(pauses))


def half_told(seed: int) -> Scenario:
    """Draw a life whose controller forgets, and is not told all that it had published.

    No rival writes on meanwhile: what it publishes last would not be known either.
    """
    life = forgetting(seed)
    incidents = (
        replace(it, kind=Kind.LOSE_CHECKPOINT) if it.kind is Kind.RIVAL else it
        for it in life.incidents
    )
    return replace(life, incidents=tuple(incidents), half_told=True)


def retiring(seed: int) -> Scenario:
    """Draw a life in which nobody is there for a while, and the controller may forget meanwhile."""
    life, chance = scenario(seed), Random(-1 - seed)
    retired = life.safety_ms
    incidents = [*life.incidents, Incident(retired, Kind.RETIRE, chance.getrandbits(32))]
    for _ in range(chance.randint(0, 2)):
        at_ms, kind = chance.randint(retired, 3 * retired), chance.choice(FORGETTING)
        incidents.append(Incident(at_ms, kind, chance.getrandbits(32)))
    return replace(life, incidents=tuple(sorted(incidents, key=_WHEN)), safety_ms=4 * retired)


def behind(seed: int) -> Scenario:
    """Draw a life whose controller is behind again and again, and forgets in every other one."""
    drawn, chance = (forgetting if seed % 2 else scenario)(seed), Random(-3 - seed)
    kinds = [Kind.STALL_CONTROLLER, Kind.BEREAVED, Kind.CRASH_CONTROLLER]
    kinds = [chance.choice(kinds) for _ in range(chance.randint(0, 2))]
    kinds += [Kind.FORGET_HALF] if seed % 3 == 0 else []
    lapses = [
        Incident(chance.randint(QUIET_BEFORE_MS, drawn.safety_ms), kind, chance.getrandbits(32))
        for kind in kinds
    ]
    incidents = sorted([*drawn.incidents, *lapses], key=_WHEN)
    quirks = drawn.quirks - {Quirk.ODD_CUTS}
    return replace(drawn, incidents=tuple(incidents), quirks=quirks, bounded=True)


def slow_hands_behind(seed: int) -> Scenario:
    """Draw a life of slow hands whose controller is behind again and again."""
    return replace(slow_hands(seed), bounded=True)


def guarded(seed: int) -> Scenario:
    """Draw a life in which members die whose guards release for them, some too late to be first."""
    life, chance = scenario(seed), Random(-4 - seed)
    kinds = [Kind.KILL_GUARDED, Kind.KILL_GUARDED, Kind.KILL_GUARDED, Kind.START, Kind.KILL]
    troubles = [
        Incident(chance.randint(QUIET_BEFORE_MS, life.safety_ms), kind, chance.getrandbits(32))
        for kind in kinds
    ]
    incidents = sorted([*life.incidents, *troubles], key=_WHEN)
    return replace(life, incidents=tuple(incidents), standing=True)


def rolling(seed: int) -> Scenario:
    """Draw a life in which everybody is restarted, and some are killed under a guard.

    Kafka loses nothing that it had taken, because nothing mends the middle of a chain of releases.
    And all clocks of a name agree: who has left by one that is ahead keeps the others out (B1).
    """
    drawn, chance = scenario(seed), Random(-5 - seed)
    kinds = [Kind.ROLL, *(chance.choice([Kind.ROLL, Kind.KILL_GUARDED]) for _ in range(2))]
    kinds += [chance.choice([Kind.BEREAVED, Kind.CRASH_CONTROLLER, Kind.START, Kind.TWIN])]
    end = drawn.safety_ms + 6_000
    incidents = [
        Incident(chance.randint(QUIET_BEFORE_MS, end), kind, chance.getrandbits(32))
        for kind in kinds
    ]
    apart = {Kind.TRUNCATE, Kind.RESTART}
    drawn_too = (it for it in drawn.incidents if it.kind not in apart)
    incidents = sorted([*drawn_too, *incidents], key=_WHEN)
    standing = chance.random() < 0.8
    return replace(drawn, incidents=tuple(incidents), safety_ms=end, standing=standing)


def rolling_forgetting(seed: int) -> Scenario:
    """Draw a life in which everybody is restarted, and the controller loses what it remembers."""
    drawn, chance = rolling(seed), Random(-7 - seed)
    lapses = [
        Incident(
            chance.randint(QUIET_BEFORE_MS, drawn.safety_ms),
            chance.choice(FORGETTING),
            chance.getrandbits(32),
        )
        for _ in range(2)
    ]
    return replace(drawn, incidents=tuple(sorted([*drawn.incidents, *lapses], key=_WHEN)))


def life(seed: int) -> Scenario:
    """Draw a life of any kind: in some the controller forgets, or members go on without it."""
    kinds = {9: forgetting, 4: retiring, 7: guarded, 2: rolling, 6: rolling_forgetting}
    return kinds.get(seed % 10, scenario)(seed)


KINDS: Final[Mapping[str, Callable[[int], Scenario]]] = {
    "any": life,
    "usual": scenario,
    "slow hands": slow_hands,
    "late releases": late_releases,
    "cut off": cut_off,
    "wrong stamps": wrong_stamps,
    "late joins": late_joins,
    "forgetting": forgetting,
    "half told": half_told,
    "retiring": retiring,
    "behind": behind,
    "slow hands behind": slow_hands_behind,
    "guarded": guarded,
    "rolling": rolling,
    "rolling forgetting": rolling_forgetting,
}
"""By name, for ``python -m tests.simulation --kind``."""
