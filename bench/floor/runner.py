"""A runner: one side of the race: its process, the line to it, and the background groups.

It runs trials, one after the other, and notes how long each answer took. Made and given its turns
by ``race``. Both sides are asked the same, in the same way.
"""

from collections.abc import Iterator
from itertools import count

from bench.floor.beating import Background
from bench.floor.contender import Contender
from bench.floor.line import Answer, Line
from bench.floor.plan import About, Scenario, Turn
from bench.floor.samples import Sample
from bench.floor.trials import trial_of
from bench.floor.writer import Outlet, Writer
from bench.populations import HOLDER, MEASURED, first_joins, routes
from trimtab.protocol import member_key


def fill(outlet: Outlet) -> None:
    """Write what is there from the beginning: joins first, for a route is kept if it is wanted."""
    writer = Writer(outlet)
    writer.say(first_joins())
    writer.say(routes())


class Runner:
    """One side of the race; ``seed`` is the same for both."""

    def __init__(self, contender: Contender, outlet: Outlet, about: About, seed: int) -> None:
        self.side = outlet.side
        self._contender = contender
        self._background = Background(Writer(outlet))
        self._line = Line(outlet, contender.check)
        self._visits = trial_of(about, outlet.side, self._line, Writer(outlet), seed)
        self._numbers = count(1)

    def get_ready(self, trials: int) -> None:
        """Wait until the holders are in, warm up, and freeze."""
        self._line.hear({member_key(group, HOLDER) for group in MEASURED})
        for _ in range(trials):
            self._trial()
        self._contender.freeze()

    def take(self, turn: Turn, trials: int) -> list[Sample]:
        """Measure both scenarios."""
        self._contender.thaw()
        samples = list(self._measure(turn, Scenario.IDLE, trials))
        with self._background.beating():
            samples += self._measure(turn, Scenario.STEADY, trials)
        self._contender.freeze()
        return samples

    def _measure(self, turn: Turn, scenario: Scenario, trials: int) -> Iterator[Sample]:
        self._trial()  # whatever was different a moment ago is over after it
        for _ in range(trials):
            for question, answer in self._trial().items():
                yield Sample(turn.side, scenario, turn.round, question, answer.milliseconds)

    def _trial(self) -> dict[str, Answer]:
        return dict(self._visits(next(self._numbers)))
