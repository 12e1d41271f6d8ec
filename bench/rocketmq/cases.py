"""The cases: what is done to a group of RocketMQ's consumers, and measured.

Who comes is a process that has started its Java machine, and built its consumer. Used by the
command. Its one rule: the next change waits until the one before is over.
"""

from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from bench.departures.fleet import Fleet
from bench.departures.supervised import SUPERVISED
from bench.handover.measures import Cost, cost
from bench.rocketmq.programs import Servers, java


class Side(StrEnum):
    """Who shares out queues."""

    TRIMTAB = "trimtab"
    """One line of ours in the consumer."""
    GUARDED = "guarded"
    """The same, under `trimtab-guard`."""
    ROCKETMQ = "rocketmq"
    """Each consumer for itself, by AVG."""
    TUNED = "rocketmq-tuned"
    """The same, with the least time between two rebalances that our line sets as well."""


class Case(StrEnum):
    """What is measured."""

    FIRST_START = "first-start"
    JOIN = "join"
    LEAVE = "leave"
    KILL = "kill"
    RESTART = "restart"
    """Each in turn shuts down, and comes back as a new process under its name."""
    ORDERLY = "orderly-kill"
    """One that works in order, and so has locks, is killed."""
    FROZEN = "frozen"
    """One stands still, with its connections open."""


CHANGES: Final = (Case.FIRST_START, Case.JOIN, Case.LEAVE, Case.KILL)
"""Those that are played with one group, as often as asked."""
_PATIENCE_S: Final = 240.0
"""RocketMQ's brokers believe in a silent client for 120 s, and look every 10."""
_SPREAD: Final = 3
"""Queues of the topic that one may have more than another: the group's topic for messages that
failed has a queue at each of the two brokers, and one consumer may have both."""
_BETWEEN_S: Final = 1.0
"""How long a group is whole and quiet before the next member restarts."""
ALONE: Final = {Side.ROCKETMQ, Side.TUNED}
"""Who has nothing of ours."""
_TUNED: Final = ("rocketmq.client.rebalance.minInterval=50",)
"""As `Trimtab.attach` sets it, in milliseconds; RocketMQ's default is a second."""
Costs = dict[Case, list[Cost]]


@dataclass(frozen=True)
class Place:
    """Where all of it happens."""

    home: Path
    servers: Servers
    kafka: str
    prefix: str
    queues: int
    """In all, on two brokers."""


class Group:
    """One group, new, with a topic of its own."""

    def __init__(self, at: Place, side: Side, name: str, listener: str = "concurrently") -> None:
        self._place, self._side, self._name, self._listener = at, side, name, listener
        at.servers.make(self._topic, at.queues // 2)
        self.fleet = Fleet(at.queues, self._command, spread=_SPREAD)

    @property
    def _topic(self) -> str:
        return f"{self._name}-topic"

    def _command(self, life: str) -> list[str]:
        """How a life is started, `place.number`: its next one has the same client id."""
        at, client = self._place, life.partition(".")[0]
        home = at.home / f"{self._name}-{life}"
        told = [at.servers.names, self._name, self._topic, str(at.queues // 2), client]
        ours = [] if self._side in ALONE else [at.kafka, at.prefix]
        tuned = _TUNED if self._side is Side.TUNED else ()
        command = java(home, "RocketHolder", *told, self._listener, *ours, properties=tuned)
        if self._side is Side.GUARDED:
            command = [*SUPERVISED, *command]
        return ["bash", "-c", 'exec "$@" 2>"$0"', f"{home}.log", *command]

    def start(self, members: int) -> Cost:
        """Have the first members join, all at once."""
        lives = [f"m{number:02}.0" for number in range(members)]
        for life in lives:
            self.fleet.prepare(life)
        return self.measured(lambda: self.fleet.joined(*lives))

    def measured(self, change: Callable[[], int], *, rested: bool = True) -> Cost:
        """Do something, wait for the rest, and measure from the moment that it returns."""
        began = change()
        rested = self.fleet.rests(patience_s=_PATIENCE_S) and rested
        return cost(self.fleet.turns, (), began, self._place.queues, rested=rested)


def play(
    at: Place, side: Side, members: int, cases: Collection[Case], repeats: int, name: str
) -> Costs:
    """Play these cases with consumers of one side."""
    found: Costs = defaultdict(list)
    if set(cases) & set(CHANGES):
        group = Group(at, side, f"{name}-changes")
        with group.fleet:
            found[Case.FIRST_START].append(group.start(members))
            for number in range(repeats):
                _come_and_go(group, f"x{number}.0", cases, found)
    if Case.RESTART in cases:
        group = Group(at, side, f"{name}-restart")
        with group.fleet:
            group.start(members)
            found[Case.RESTART].append(_restart(group, members))
    for case, listener in ((Case.ORDERLY, "orderly"), (Case.FROZEN, "concurrently")):
        if case in cases:
            group = Group(at, side, f"{name}-{case}", listener)
            with group.fleet as fleet:
                group.start(members)
                end = fleet.freeze if case is Case.FROZEN else fleet.kill
                found[case].append(group.measured(lambda: end("m00.0")[0]))  # noqa: B023 - now
    return {case: found[case] for case in cases if found[case]}


def _come_and_go(group: Group, life: str, cases: Collection[Case], found: Costs) -> None:
    """One more consumer joins and leaves, joins and is killed."""
    fleet = group.fleet
    if Case.JOIN in cases or Case.LEAVE in cases:
        fleet.prepare(life)
        found[Case.JOIN].append(group.measured(lambda: group.fleet.joined(life)))
        found[Case.LEAVE].append(group.measured(lambda: group.fleet.left(life)))
    if Case.KILL in cases:
        victim = f"k{life}"
        fleet.prepare(victim)
        group.measured(lambda: group.fleet.joined(victim))
        found[Case.KILL].append(group.measured(lambda: fleet.kill(victim)[0]))


def _restart(group: Group, members: int) -> Cost:
    """Restart each consumer, one after another."""
    fleet, began, rested = group.fleet, list[int](), True
    for number in range(members):
        before, after = f"m{number:02}.0", f"m{number:02}.1"
        began.append(group.fleet.left(before))
        fleet.gone(before)
        fleet.start(after)
        rested = fleet.rests(_BETWEEN_S) and rested
    return group.measured(lambda: began[0], rested=rested)
