"""The cases: what is done to a group of one side and size, and measured.

Whatever is not the change itself has been done before: who comes is a process that has imported
everything. Used by the command. Its one rule: the next change waits until the one before is over.
"""

import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Final

from bench.departures.fleet import Fleet
from bench.departures.supervised import SUPERVISED
from bench.handover.measures import Cost, cost
from bench.handover.sides import Side, set_up
from bench.handover.traffic import Traffic


class Case(StrEnum):
    """What is measured."""

    FIRST_START = "first-start"
    JOIN = "join"
    LEAVE = "leave"
    KILL = "kill"
    GUARDED = "kill-guarded"
    LEAVE_ALONE = "leave-alone"
    """This and the next one: the controller stands still meanwhile."""
    GUARDED_ALONE = "kill-guarded-alone"
    PLAIN = "restart-plain"
    """Each leaves, and its next life joins, under the same name where there are names."""
    TEMPORARY = "restart-temporary"
    """Each says that it will be back; its next life has its instance."""
    SURGE = "restart-surge"
    """The next life joins first, then the one before leaves."""


_ALONE: Final = (Case.LEAVE_ALONE, Case.GUARDED_ALONE)
_GUARDED: Final = (Case.GUARDED, Case.GUARDED_ALONE)
_ENDS: Final = (Case.KILL, Case.GUARDED, Case.LEAVE_ALONE, Case.GUARDED_ALONE)
RESTARTS: Final = (Case.PLAIN, Case.TEMPORARY, Case.SURGE)
_BETWEEN_S: Final = 1.0
"""How long a group is whole and quiet before the next member restarts."""
Costs = dict[Case, list[Cost]]


@dataclass(frozen=True)
class Place:
    """Where all of it happens."""

    servers: str
    prefix: str
    topic: str
    traffic: Traffic
    queues: int
    frozen: Callable[[], AbstractContextManager[None]] = nullcontext
    """In this block the controller stands still."""


class Group:
    """One group, new, and its members."""

    def __init__(self, at: Place, side: Side, name: str) -> None:
        self.place, self.side, self.name = at, side, name
        self._named = False
        self._dice = Random(name)
        self.fleet = Fleet(at.queues, self.command, at.traffic.write)
        set_up(side, at.servers, name)

    def command(self, life: str) -> list[str]:
        """How a life is started, `place.number`."""
        at, place = self.place, life.partition(".")[0]
        told = {
            "side": self.side,
            "servers": at.servers,
            "topic": at.topic,
            "group": self.name,
            "prefix": at.prefix,
            "member_id": life if self._named else place,
            "instance": place if self._named else None,
        }
        return [sys.executable, "-m", "bench.handover.worker", json.dumps(told)]

    def guarded(self, life: str) -> list[str]:
        """The same under a guard."""
        return [*SUPERVISED, *self.command(life)]

    @contextmanager
    def instances(self) -> Iterator[None]:
        """Have those that start meanwhile be instances."""
        self._named = True
        yield
        self._named = False

    def pause(self) -> None:
        """Wait until what was imported slows nobody any more, and for a moment nobody has chosen.

        A second long, as the time between two ticks of a controller.
        """
        time.sleep(self._dice.uniform(_BETWEEN_S, 2 * _BETWEEN_S))

    def measured(
        self, change: Callable[[], int], *, rested: bool = True, evenly: bool = True
    ) -> Cost:
        """Do something, wait for the rest, and measure from the moment that it returns."""
        began = change()
        rested = self.fleet.rests(evenly=evenly) and rested
        fleet, queues = self.fleet, self.place.queues
        return cost(fleet.turns, fleet.firsts, began, queues, rested=rested)


def warm_up(at: Place, side: Side, times: int) -> None:
    """Have a member come and go so often that what answers has been compiled, and connected."""
    group = Group(at, side, f"{side}-warm-up")
    with group.fleet:
        group.fleet.start("m00.0", "m01.0")
        for number in range(times):
            life = f"x{number}.0"
            group.fleet.start(life)
            group.fleet.rests(_BETWEEN_S)
            group.fleet.left(life)
            group.fleet.rests(_BETWEEN_S)


def play(
    at: Place, side: Side, members: int, cases: Collection[Case], repeats: int, name: str
) -> Costs:
    """Play these cases with members of one side."""
    found: Costs = defaultdict(list)
    changes = [it for it in cases if it not in RESTARTS]
    starts = repeats if Case.FIRST_START in changes else 1
    for number in range(starts if changes else 0):
        group = Group(at, side, f"{name}-{number}")
        with group.fleet:
            found[Case.FIRST_START].append(_start(group, members))
            if number == starts - 1:
                for again in range(repeats):
                    _come_and_go(group, f"x{again}.0", changes, found)
    for case in (it for it in cases if it in RESTARTS):
        group = Group(at, side, f"{name}-{case}")
        with group.fleet:
            if case is Case.PLAIN:
                found[case].append(_restart(group, members, case))
            else:
                with group.instances():
                    found[case].append(_restart(group, members, case))
    return {case: found[case] for case in cases if found[case]}


def _start(group: Group, members: int) -> Cost:
    lives = [f"m{number:02}.0" for number in range(members)]
    for life in lives:
        group.fleet.prepare(life)
    return group.measured(lambda: group.fleet.joined(*lives))


def _come_and_go(group: Group, life: str, cases: Collection[Case], found: Costs) -> None:
    """One more member joins and leaves, and joins and ends in each other way."""
    fleet = group.fleet
    if Case.JOIN in cases or Case.LEAVE in cases:
        fleet.prepare(life)
        group.pause()
        found[Case.JOIN].append(group.measured(lambda: group.fleet.joined(life)))
        found[Case.LEAVE].append(group.measured(lambda: group.fleet.left(life)))
    for case in (it for it in _ENDS if it in cases):
        if case is Case.KILL or group.side is Side.TRIMTAB:
            found[case].append(_end(group, f"{case}-{life}", case))


def _end(group: Group, life: str, case: Case) -> Cost:
    """One more member joins, and when all is at rest it ends in this way."""
    fleet = group.fleet
    fleet.prepare(life, group.guarded if case in _GUARDED else group.command)
    group.pause()
    fleet.joined(life)
    fleet.rest()
    alone = case in _ALONE
    with group.place.frozen() if alone else nullcontext():
        leaves = case is Case.LEAVE_ALONE
        cost_of_it = group.measured(
            lambda: fleet.left(life) if leaves else fleet.kill(life)[0], evenly=not alone
        )
    if alone:
        fleet.rest()  # a controller that stood still may move some, for even loads
    return cost_of_it


def _restart(group: Group, members: int, case: Case) -> Cost:
    """Restart each member, one after another."""
    fleet = group.fleet
    places = [f"m{number:02}" for number in range(members)]
    fleet.start(*(f"{it}.0" for it in places))
    fleet.rest()
    surge, began, rested = case is Case.SURGE, list[int](), True
    for it in places:
        before, after = f"{it}.0", f"{it}.1"
        fleet.prepare(after)
        if surge:
            began.append(group.fleet.joined(after))
            rested = fleet.rests(_BETWEEN_S, before) and rested
        began.append(group.fleet.left(before, "away" if case is Case.TEMPORARY else "leave"))
        fleet.gone(before)
        if not surge:
            group.fleet.joined(after)
        rested = fleet.rests(_BETWEEN_S) and rested
    return group.measured(lambda: began[0], rested=rested)
