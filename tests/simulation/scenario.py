"""A scenario: everything that a seed decides before its world begins.

It says which members and queues there are, which rare paths are made likely ("buggified"), and what
will happen. Each incident has random numbers of its own: leaving one out changes no other.
"""

from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random

from rebalance.groups.model.policy import Policy, TwinRule
from rebalance.ids import Millis

SESSION_MS = 3_000
REVOCATION_MS = 5_000
"""Less than two sessions: the controller has to count the time that a member may take to read."""
MAX_STEP_MS = 600
"""A fifth of a session, which is the most that it may be."""
TICK_MS = 300
HOLD_MS = 4_000
DAMPING_MS = 1_500
HALF_LIFE_MS = 4_000
KEEP_EMPTY_MS = 2_000
"""A group that nobody is in is forgotten, unless somebody has left it by his own word lately."""
QUIET_BEFORE_MS = 2_500  # nothing goes wrong so early: a group should exist


class Quirk(StrEnum):
    """A rare path made likely for a whole life."""

    DUPLICATES = "duplicates"
    REORDERS = "reorders"
    LOSSES = "losses"
    DELAYS = "delays"
    SKIPS = "skips"
    """Members read only the latest of their orders, as after compaction."""
    LOST_READS = "lost reads"
    """Members miss one of their orders now and then, unless it is to let go, and do not know it."""
    LATE_READERS = "late readers"
    """Every other member looks into the log only now and then."""
    SLOW_RELEASES = "slow releases"
    ODD_CUTS = "odd cuts"
    """Batches end anywhere in each topic."""
    EDGES = "edges"
    """Ticks fall on the very millisecond before something is due."""
    INSTANCES = "instances"
    """Members have instances, and a restart may come under another name."""
    RELUCTANCE = "reluctance"
    """Some queues are never let go."""
    CAPACITY = "capacity"
    """Members work on one or two queues at most."""


class Kind(StrEnum):
    """What may happen."""

    START = "start"
    EAGER = "eager"
    BROADCAST = "broadcast"
    KILL = "kill"
    KILL_GUARDED = "kill under a guard"
    RESTART = "restart"
    SUSPEND = "suspend"
    CUT = "cut"
    DEAFEN = "deafen"
    LEAVE = "leave"
    TWIN = "twin"
    SURGE = "surge"
    RELIEVE = "relieve"
    AWAY = "away"
    FLAP = "flap"
    STORM = "storm"
    CRASH_ALL = "crash all"
    LEAVE_ALL = "leave all"
    DEPLOY = "deploy"
    CLAIM = "claim"
    HOARD = "hoard"
    FORGE = "forge"
    STALE_RELEASE = "stale release"
    POISON = "poison"
    GLUT = "glut"
    ILL_NAMED = "ill-named"
    ODD_NAME = "odd name"
    PAUSE = "pause"
    ORDER = "order"
    EVICT = "evict"
    LOSE_WORKER = "lose worker"
    CRASH_CONTROLLER = "crash controller"
    LOSE_CHECKPOINT = "lose checkpoint"
    RESTORE_CHECKPOINT = "restore checkpoint"
    FORGET_HALF = "lose checkpoint, and some of what a start is told"
    RIVAL = "rival controller"
    RETIRE = "retire"
    UPGRADE = "upgrade"
    ROLLBACK = "rollback"
    STALL_CONTROLLER = "stall controller"
    BEREAVED = "bereaved"
    AMNESIA = "amnesia"
    BLACKOUT = "blackout"
    TRUNCATE = "truncate"
    CLOCK_AHEAD = "clock ahead"
    CLOCK_BACK = "clock back"
    STRAY_STAMPS = "stray stamps"
    TWO_CLOCKS = "two clocks"
    LATE_JOINS = "late joins"
    GROW = "grow"
    SHRINK = "shrink"
    DELETE = "delete"
    RECREATE = "recreate"
    ROUTE_FLAP = "route flap"
    HALF_ROUTE = "half route"
    CONFLICT = "conflicting routes"
    WRITE_ONLY = "write-only queue"
    BROKER_RESTART = "broker restart"
    ROLL = "rolling restart"


_REPLACED = {Kind.TWIN, Kind.SURGE, Kind.RELIEVE, Kind.AWAY, Kind.EVICT, Kind.FORGE}
_UNHEARD = {Kind.TRUNCATE, Kind.AMNESIA}
UNFAIR = frozenset(_REPLACED | _UNHEARD)
"""After these the controller may rightly give up a member that is still at work: its beats were
taken from the log, somebody spoke in its name or took it, or an operator said so."""


FORGETTING = (Kind.LOSE_CHECKPOINT, Kind.RESTORE_CHECKPOINT, Kind.RIVAL)
_APART = {
    *FORGETTING,
    Kind.FORGET_HALF,
    Kind.RETIRE,
    Kind.TWO_CLOCKS,
    Kind.LATE_JOINS,
    Kind.KILL_GUARDED,
    Kind.ROLL,
}
_DRAWN = [kind for kind in Kind if kind not in _APART]
"""What every life draws from; the others have lives of their own."""


@dataclass(frozen=True, slots=True)
class Incident:
    """One thing that happens."""

    at_ms: int
    kind: Kind
    dice: int

    def __str__(self) -> str:
        """Write it for a transcript."""
        return f"{self.at_ms} ms: {self.kind}"


@dataclass(frozen=True, slots=True)
class Scenario:
    """One life."""

    seed: int
    members: int
    queues: tuple[int, ...]
    """By topic."""
    strategy: str
    on_twin: TwinRule
    on_twin_instance: TwinRule
    interval_ms: int
    """The least time between two targets."""
    grace_ms: int
    """How long an eager member keeps what was taken from it."""
    quirks: frozenset[Quirk]
    incidents: tuple[Incident, ...]
    safety_ms: int
    half_told: bool = False
    """Of what a starting controller is told Kafka loses a record."""
    bounded: bool = False
    """Batches have a limit."""
    standing: bool = True
    """Queues have standing heirs."""

    @property
    def strict(self) -> bool:
        """Whether even members that were given up must have stopped.

        They bear one jump of the broker's clock ahead, and any number that it takes back at once.
        """
        kinds = Counter(incident.kind for incident in self.incidents)
        jumps = kinds[Kind.CLOCK_AHEAD] + len({Kind.STRAY_STAMPS, Kind.TWO_CLOCKS} & kinds.keys())
        return jumps <= 1 and UNFAIR.isdisjoint(kinds)

    @property
    def forgetful(self) -> bool:
        """Whether records are lost that Kafka had taken."""
        kinds = {incident.kind for incident in self.incidents}
        lost = {Kind.LOSE_CHECKPOINT} if self.bounded else set()  # with what was not read yet
        return not kinds.isdisjoint({Kind.TRUNCATE, Kind.AMNESIA, *lost})

    @property
    def odd(self) -> bool:
        """Whether what is written may be as long as it may get."""
        return any(incident.kind is Kind.ODD_NAME for incident in self.incidents)

    def without(self, incidents: set[Incident]) -> "Scenario":
        """Leave incidents out."""
        kept = tuple(each for each in self.incidents if each not in incidents)
        return replace(self, incidents=kept)

    def __str__(self) -> str:
        """Describe it in a few lines."""
        quirks = ", ".join(sorted(self.quirks)) or "none"
        head = (
            f"seed {self.seed}: {self.members} members, queues {self.queues}, {self.strategy}, "
            f"twins {self.on_twin}, instances {self.on_twin_instance}, interval "
            f"{self.interval_ms} ms, grace {self.grace_ms} ms, {self.safety_ms} ms, "
            f"quirks: {quirks}, standing heirs: {'on' if self.standing else 'off'}"
        )
        return "\n".join([head, *(f"  {incident}" for incident in self.incidents)])


def policy(scenario: Scenario) -> Policy:
    """The same short patience for all groups, so that a life is short."""
    general = Policy()
    longest = SESSION_MS if scenario.half_told else 2 * SESSION_MS
    most = REVOCATION_MS if scenario.half_told else general.revocation_timeout_ms_max
    return Policy(
        strategy=scenario.strategy,
        on_twin=scenario.on_twin,
        on_twin_instance=scenario.on_twin_instance,
        assignment_interval_ms=Millis(scenario.interval_ms),
        standing_heirs=scenario.standing,
        eager_grace_ms=Millis(scenario.grace_ms),
        blast_hold_ms=Millis(HOLD_MS),
        flap_half_life_ms=Millis(HALF_LIFE_MS),
        keep_empty_ms=Millis(KEEP_EMPTY_MS),
        route_damping_ms=Millis(DAMPING_MS),
        session_timeout_ms=Millis(SESSION_MS),
        session_timeout_ms_min=Millis(SESSION_MS),
        session_timeout_ms_max=Millis(longest),
        revocation_timeout_ms_max=Millis(most),
        heartbeat_interval_ms=Millis(SESSION_MS // 3),
        heartbeat_auto=True,
        revocation_timeout_ms=Millis(REVOCATION_MS),
        max_clock_step_ms=Millis(MAX_STEP_MS),
    )


def scenario(seed: int) -> Scenario:
    """Draw a life."""
    chance = Random(seed)
    safety_ms = chance.choice([6_000, 9_000, 12_000])
    topics = chance.choice([1, 1, 2])
    kinds = chance.sample(_DRAWN, chance.randint(2, 6))  # few kinds, so that they combine
    times = (chance.randint(QUIET_BEFORE_MS, safety_ms) for _ in range(chance.randint(2, 8)))
    incidents = [
        Incident(at_ms, chance.choice(kinds), chance.getrandbits(32)) for at_ms in sorted(times)
    ]
    return Scenario(
        seed=seed,
        members=chance.randint(2, 4),
        queues=tuple(chance.randint(1, 8 // topics) for _ in range(topics)),
        strategy=chance.choice(["STICKY", "AVG", "AVG"]),
        on_twin=chance.choice(
            [TwinRule.FENCE_OLDER, TwinRule.FENCE_OLDER, TwinRule.REFUSE_NEWER, TwinRule.SEPARATE]
        ),
        on_twin_instance=chance.choice(
            [TwinRule.FENCE_OLDER, TwinRule.REFUSE_NEWER, TwinRule.HAND_OVER]
        ),
        interval_ms=chance.choice([0, 0, 0, 1_000]),
        grace_ms=chance.choice([0, 0, 1_500]),
        quirks=frozenset(quirk for quirk in Quirk if chance.random() < 0.2),
        incidents=tuple(incidents),
        safety_ms=safety_ms,
        standing=chance.random() < 0.7,
    )
