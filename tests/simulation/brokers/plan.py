"""The plan of a world, all of it drawn from one seed: who is there, and what will go wrong.

Times are short, so that a life of some minutes holds many sweeps. In each plan the honest
reporters with a working network are more than the quorum and more than all others together. The
exception is a plan of too few reporters: then no broker may be taken out.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random
from typing import Final

from rebalance.brokers.policy import VerdictPolicy
from rebalance.ids import Millis

SWEEP_MS: Final = 2_000
EJECTION_MS: Final = 6_000
EJECTION_MAX_MS: Final = 24_000
STREAK_MS: Final = 6_000
JITTER_PERCENT: Final = 10
LIFE_MS: Final = 120_000
"""Sixty sweeps in which things go wrong."""

BROKERS: Final = "abcdefgh"


class Kind(StrEnum):
    """What a reporter is like."""

    HONEST = "honest"
    FAR = "far"
    """Its network is bad: it finds everybody slow, or fails everywhere."""
    SCARCE = "scarce"
    """It makes a few calls now and then."""
    FICKLE = "fickle"
    """It falls silent, and comes back as another life."""
    LIAR = "liar"
    """It says anything of anybody."""
    COLLUDER = "colluder"
    """It says what the other colluders say: that one is bad, or that a bad one is fine."""
    GARBLED = "garbled"
    """Some of its figures are impossible."""


class Trouble(StrEnum):
    """What a broker may have."""

    SLOW = "slow"
    VERY_SLOW = "very slow"
    FAILING = "failing"
    OSCILLATING = "oscillating"


class Quirk(StrEnum):
    """What is odd about a whole world."""

    LOSSY = "reports are lost"
    REPEATING = "reports arrive twice"
    OVERTAKING = "reports overtake each other"
    LATE = "reports arrive very late"
    ODD_CUTS = "batches are cut anywhere"
    CRASHES = "the controller is killed"
    ABSENCES = "the controller is away"
    COMMANDS = "operators give commands"
    ROUTES = "topics come, go and move"
    REPLACEMENTS = "brokers are replaced"


@dataclass(frozen=True, slots=True)
class Episode:
    """Some brokers are in trouble for a while."""

    begin_ms: int
    end_ms: int
    brokers: frozenset[str]
    trouble: Trouble

    def afflicts(self, broker: str, now: int) -> bool:
        """Whether a broker is in this trouble now. An oscillating one is, every other time."""
        if broker not in self.brokers or not self.begin_ms <= now < self.end_ms:
            return False
        return self.trouble is not Trouble.OSCILLATING or (now - self.begin_ms) // 3_000 % 2 == 0


@dataclass(frozen=True, slots=True)
class Plan:
    """A world."""

    seed: int
    brokers: str
    topics: tuple[tuple[str, str], ...]
    """Name, and the brokers that host it."""
    reporters: tuple[tuple[str, Kind], ...]
    quorum: int
    episodes: tuple[Episode, ...]
    quirks: frozenset[Quirk]
    lonely: bool = False
    """Too few reporters for any verdict."""
    truthful: bool = False
    """Who would lie does not, for once; everything else is the same."""

    @property
    def policy(self) -> VerdictPolicy:
        """The jury's rules."""
        return VerdictPolicy(
            quorum=self.quorum,
            sweep_ms=Millis(SWEEP_MS),
            ejection_ms=Millis(EJECTION_MS),
            ejection_ms_max=Millis(EJECTION_MAX_MS),
            jitter_percent=JITTER_PERCENT,
            streak_ms=Millis(STREAK_MS),
            reporter_ms=Millis(STREAK_MS),
            decay_ms=Millis(20_000),
            renewal_ms=Millis(10_000),
            broker_ms=Millis(600_000),
            past_sweeps_min=3,
        )


def plan(seed: int) -> Plan:
    """Draw a plan."""
    chance = Random(seed)
    brokers = BROKERS[: chance.randint(3, len(BROKERS))]
    quorum, lonely = chance.choice([2, 2, 3]), chance.random() < 0.1
    return Plan(
        seed,
        brokers,
        tuple(_topics(chance, brokers)),
        tuple(_reporters(chance, quorum, lonely=lonely)),
        quorum,
        tuple(sorted(_episodes(chance, brokers), key=lambda it: it.begin_ms)),
        frozenset(quirk for quirk in Quirk if chance.random() < 0.4),
        lonely,
    )


def trial(seed: int) -> Plan:
    """Draw a plan in which nobody but liars is odd, and everybody is heard in every sweep.

    Where that holds, a minority below the quorum can change nothing. (Where it does not, it may
    take the place of somebody who was not heard: of the testers of a broker, for one.)
    """
    drawn, chance = plan(seed), Random(seed)
    liars = [chance.choice([Kind.LIAR, Kind.COLLUDER]) for _ in range(drawn.quorum - 1)]
    kinds = liars + [Kind.HONEST] * (drawn.quorum + chance.randint(0, 3))
    chance.shuffle(kinds)
    unheard = {Quirk.LOSSY, Quirk.OVERTAKING, Quirk.LATE}
    names = tuple((f"r{number}", kind) for number, kind in enumerate(kinds))
    return replace(drawn, reporters=names, quirks=drawn.quirks - unheard, lonely=False)


def _topics(chance: Random, brokers: str) -> list[tuple[str, str]]:
    topics = [("wide", brokers)]
    for number in range(chance.randint(0, 3)):
        hosts = chance.sample(brokers, chance.randint(1, 2))
        topics.append((f"narrow-{number}", "".join(sorted(hosts))))
    return topics


def _reporters(chance: Random, quorum: int, *, lonely: bool) -> list[tuple[str, Kind]]:
    if lonely:
        kinds = [Kind.HONEST] * (quorum - 2) + [Kind.GARBLED]
    else:
        false = [chance.choice([Kind.LIAR, Kind.COLLUDER]) for _ in range(quorum - 1)]
        weak = [Kind.FAR, Kind.SCARCE, Kind.FICKLE, Kind.GARBLED]
        odd = false[: chance.randint(0, quorum - 1)] + chance.sample(weak, chance.randint(0, 2))
        kinds = [*odd, *[Kind.HONEST] * (max(quorum, len(odd)) + chance.randint(1, 2))]
    return [(f"r{number}-{kind}", kind) for number, kind in enumerate(kinds)]


def _episodes(chance: Random, brokers: str) -> list[Episode]:
    episodes = []
    begin = chance.randrange(5_000, 15_000)
    while begin < LIFE_MS - 20_000:
        end = begin + chance.choice([5_000, 15_000, 30_000])
        trouble = chance.choice(list(Trouble))
        most = len(brokers) // 2 + 1
        bad = chance.choice([1, 1, 1, 2, most, len(brokers)])
        episodes.append(Episode(begin, end, frozenset(chance.sample(brokers, bad)), trouble))
        begin = end + chance.choice([0, 3_000, 20_000, 30_000])
    return episodes
