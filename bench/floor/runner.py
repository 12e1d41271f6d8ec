"""A runner: one side of the race, that is its process, the line to it and the crowds around it.

It lets visits be paid, one after the other, and notes how long each answer took. Made and given its
turns by ``race``. Its one rule: both sides are asked the same, in the same way.
"""

from collections.abc import Iterator
from itertools import count

from bench.floor.beating import Crowds
from bench.floor.contender import Contender
from bench.floor.line import Answer, Line
from bench.floor.plan import About, Scenario, Turn
from bench.floor.samples import Sample
from bench.floor.visits import visits
from bench.floor.writer import Outlet, Writer
from bench.populations import HOSTS, RESIDENT, residents, routes
from trimtab.protocol import member_key


def fill(outlet: Outlet) -> None:
    """Write what is there from the beginning: joins first, for a route is kept if it is wanted."""
    writer = Writer(outlet)
    writer.say(residents())
    writer.say(routes())


class Runner:
    """One side of the race; ``seed`` is the same for both."""

    def __init__(self, contender: Contender, outlet: Outlet, about: About, seed: int) -> None:
        self.side = outlet.side
        self._contender = contender
        self._crowds = Crowds(Writer(outlet))
        self._line = Line(outlet, contender.check)
        self._visits = visits(about, outlet.side, self._line, Writer(outlet), seed)
        self._numbers = count(1)

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
        return dict(self._visits(next(self._numbers)))
