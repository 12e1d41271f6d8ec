"""A runner: one side of the race, that is its process, the line to it and the crowds around it.

It lets visitors come and go, one after the other, and notes how long each answer took. Between two
questions lies a pause of random length, so that they do not fall into step with the batches that
they cause themselves.

Made and given its turns by ``race``. Its one rule: both sides are asked the same, in the same way.
"""

import random
import time
from collections.abc import Iterator
from itertools import count
from typing import Final, assert_never

from bench.floor.beating import Crowds
from bench.floor.contender import Contender
from bench.floor.line import Answer, Line
from bench.floor.mouth import Mouth, Outlet
from bench.floor.plan import Scenario, Side, Turn
from bench.floor.samples import Sample
from bench.guests import (
    HOSTS,
    ORDERS,
    QUEUES,
    RESIDENT,
    Utterance,
    Visitor,
    residents,
    routes,
)
from console.errors import Failure
from trimtab.protocol import ASSIGNMENTS, ReleaseRef, decode, member_key

_PAUSE_S: Final = (0.05, 0.15)
"""From less than the rest of a batch takes after its answer is out to well beyond it."""


def fill(outlet: Outlet) -> None:
    """Write what is there from the beginning: joins first, for a route is kept if it is wanted."""
    mouth = Mouth(outlet)
    mouth.say(residents())
    mouth.say(routes())


class Runner:
    """One side of the race; ``seed`` is the same for both."""

    def __init__(self, contender: Contender, outlet: Outlet, seed: int) -> None:
        self.side = outlet.side
        self._contender = contender
        self._crowds = Crowds(Mouth(outlet))
        self._line = Line(outlet, contender.check)
        self._numbers = count(1)
        self._pauses = random.Random(seed)

    def get_ready(self, visits: int) -> None:
        """Wait until the residents are in, warm up, and freeze."""
        self._line.hear({member_key(group, RESIDENT) for group in HOSTS})
        for _ in range(visits):
            self._visit()
        self._contender.freeze()

    def take(self, turn: Turn, visits: int) -> list[Sample]:
        """Measure both scenarios."""
        self._contender.thaw()
        samples = list(self._measure(turn, Scenario.IDLE, visits))
        with self._crowds.beating():
            samples += self._measure(turn, Scenario.STEADY, visits)
        self._contender.freeze()
        return samples

    def _measure(self, turn: Turn, scenario: Scenario, visits: int) -> Iterator[Sample]:
        self._visit()  # whatever was different a moment ago is over after it
        for _ in range(visits):
            for question, answer in self._visit().items():
                yield Sample(turn.side, scenario, turn.round, question, answer.milliseconds)

    def _visit(self) -> dict[str, Answer]:
        number = next(self._numbers)
        visitor = Visitor(HOSTS[number % len(HOSTS)], number)
        came = self._ask(visitor.joins())
        return {
            "join": came,
            "release": self._ask(visitor.is_let_in(_given(self.side, came.value))),
            "leave": self._ask(visitor.leaves()),
        }

    def _ask(self, question: Utterance) -> Answer:
        time.sleep(self._pauses.uniform(*_PAUSE_S))
        return self._line.ask(question)


def _given(side: Side, answer: bytes | None) -> list[ReleaseRef]:
    """What the resident lets go: what the visitor was told to inherit, or as much of nothing."""
    match side:
        case Side.FLOOR:
            return [
                ReleaseRef(ORDERS, "", number, 1, None) for number in range(QUEUES // 2, QUEUES)
            ]
        case Side.TRIMTAB:
            inherit = decode(ASSIGNMENTS, answer).inherit
            if len(inherit) != QUEUES // 2:
                raise Failure(f"a visitor was to inherit {len(inherit)} queues of {QUEUES}")
            return [ReleaseRef(*heirloom.queue, heirloom.from_epoch, None) for heirloom in inherit]
        case _:
            assert_never(side)
