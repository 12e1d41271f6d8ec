"""The faults of a round, drawn from its seed: what is done, to whom, when, and for how long.

Each kind comes once before any comes again, in an order that the seed says. Two faults never meet
at one victim; at different ones they may. Pure: the same seed gives the same faults.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Final


class Kind(StrEnum):
    """What is done."""

    KILL = "killed"
    FREEZE = "frozen past its session"
    BLINK = "frozen for a moment"
    SLOW = "slow with a message, while another restarts"
    TWIN = "doubled"
    ROLLING = "rolling restart"
    CUT = "connection cut"
    HELD_UP = "connection held up"
    LATE = "connection slow"
    CONTROLLER_KILLED = "controller killed"
    CONTROLLER_FROZEN = "controller frozen"
    CONTROLLER_CUT = "controller connection cut"
    CONTROLLER_HELD_UP = "controller connection held up"
    CONTROLLER_LATE = "controller connection slow"
    BROKER_FROZEN = "broker frozen"
    BROKER_RESTARTED = "broker restarted"
    GROW = "a partition more"
    RETENTION = "old messages deleted"
    NAMES_AWAY = "name server away"
    ROCKETMQ_RESTARTED = "RocketMQ broker restarted"
    ROCKETMQ_KILLED = "RocketMQ broker killed"


ROCKETMQ: Final = frozenset(Kind) - {Kind.GROW, Kind.RETENTION}
"""What is done where members work on RocketMQ: their Kafka and controller are hurt as well."""
KAFKA: Final = frozenset(Kind) - {
    Kind.NAMES_AWAY,
    Kind.ROCKETMQ_RESTARTED,
    Kind.ROCKETMQ_KILLED,
}
"""What is done where they read Kafka."""

_SECONDS: Final = {
    Kind.KILL: (0.2, 4.0),
    # A session is ten seconds.
    Kind.FREEZE: (13.0, 18.0),
    Kind.BLINK: (1.0, 6.0),
    Kind.SLOW: (4.0, 7.0),
    Kind.TWIN: (4.0, 8.0),
    Kind.ROLLING: (0.3, 2.0),
    # As long as a moment, and past a session.
    Kind.CUT: (0.5, 16.0),
    Kind.HELD_UP: (1.0, 16.0),
    Kind.LATE: (4.0, 12.0),
    Kind.CONTROLLER_KILLED: (0.0, 3.0),
    Kind.CONTROLLER_FROZEN: (3.0, 15.0),
    Kind.CONTROLLER_CUT: (0.5, 12.0),
    Kind.CONTROLLER_HELD_UP: (1.0, 12.0),
    Kind.CONTROLLER_LATE: (4.0, 12.0),
    Kind.BROKER_FROZEN: (2.0, 14.0),
    Kind.BROKER_RESTARTED: (0.0, 3.0),
    Kind.GROW: (0.0, 0.0),
    Kind.RETENTION: (0.0, 0.0),
    Kind.NAMES_AWAY: (2.0, 14.0),
    Kind.ROCKETMQ_RESTARTED: (0.0, 12.0),
    Kind.ROCKETMQ_KILLED: (0.0, 12.0),
}
"""From and to; of a rolling restart, between two members."""
LINES: Final = {
    Kind.CUT,
    Kind.HELD_UP,
    Kind.LATE,
    Kind.CONTROLLER_CUT,
    Kind.CONTROLLER_HELD_UP,
    Kind.CONTROLLER_LATE,
}
"""What is done to a line, and neither to the member nor to the controller at its end."""
_ONE: Final = {Kind.KILL, Kind.FREEZE, Kind.BLINK, Kind.TWIN}
"""What hits one member."""
_START_S: Final = {
    Kind.KILL: 3.0,
    Kind.SLOW: 3.0,
    Kind.ROLLING: 12.0,
    Kind.CONTROLLER_KILLED: 20.0,
    Kind.BROKER_RESTARTED: 8.0,
    Kind.NAMES_AWAY: 3.0,
    Kind.ROCKETMQ_RESTARTED: 5.0,
    Kind.ROCKETMQ_KILLED: 4.0,
}
"""What starting costs after that."""
_APART_S: Final = (1.0, 7.0)
_FEWEST: Final = 10
"""A short round has as many faults, so they are nearer to each other."""
_LATER_S: Final = 0.5
"""Until another look whether there is a victim."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One of them."""

    at_s: float
    """From the beginning of the round."""
    kind: Kind
    lasts_s: float
    victims: tuple[int, ...]
    """Which members, by number."""

    def __str__(self) -> str:
        """As the report has it."""
        whom = ", ".join(f"m{it}" for it in self.victims[:1] if self.kind is not Kind.ROLLING)
        return f"{self.kind} {whom}".strip()

    @property
    def over_s(self) -> float:
        """When it is over."""
        lasts = self.lasts_s * (len(self.victims) if self.kind is Kind.ROLLING else 1)
        return self.at_s + lasts + _START_S.get(self.kind, 0.0)


def drawn(
    seed: int, seconds: float, members: int, kinds: Collection[Kind], lines: int | None = None
) -> tuple[Fault, ...]:
    """Draw the faults of a round that are over when it is.

    Args:
        seed: Which.
        seconds: How long the round is.
        members: How many there are.
        kinds: What may come.
        lines: How many lines there are to hurt; None: each member has one.
    """
    random, at, faults = Random(seed), 1.0, list[Fault]()
    bag: list[Kind] = []
    while at < seconds:
        bag = bag or random.sample(sorted(kinds), len(kinds))
        held = {it for other in faults if other.over_s > at for it in _held(other)}
        could = (_fault(random, at, kind, members, lines or members) for kind in bag)
        fits = (it for it in could if it.over_s <= seconds and not held & _held(it))
        if fault := next(fits, None):
            faults.append(fault)
            bag.remove(fault.kind)
            at += random.uniform(_APART_S[0], min(_APART_S[1], seconds / _FEWEST))
        else:
            at += _LATER_S
    return tuple(faults)


def _fault(random: Random, at: float, kind: Kind, members: int, lines: int) -> Fault:
    order = random.sample(range(members), members)
    match kind:
        case Kind.ROLLING:
            victims = order
        case Kind.SLOW:
            victims = order[:2]
        case Kind.CUT | Kind.HELD_UP | Kind.LATE:
            victims = [order[0] % lines]
        case _ if kind in _ONE:
            victims = order[:1]
        case _:
            victims = []
    return Fault(at, kind, random.uniform(*_SECONDS[kind]), tuple(victims))


def _held(fault: Fault) -> set[int | str]:
    """What no other fault may hit meanwhile."""
    if not fault.victims:
        return {fault.kind.split()[0]}
    return set(fault.victims)
