"""Performs the story on the stage and shows it, and finds out how each step went.

One loop, ten times a second: look at what is new, notice who has ended, ask the condition that is
waited for, show the picture. Everything that blocks longer is a process of its own.
"""

import time
from collections import Counter
from collections.abc import Sequence

from console.demo.acts import CONTROLLER, PRODUCER, Start
from console.demo.conditions import Condition, Mark, Scene, flowing
from console.demo.follower import Follower
from console.demo.journal import now
from console.demo.narrator import Narrator
from console.demo.stage import Stage
from console.demo.story import Step
from console.demo.summary import NANOSECONDS_PER_S, Outcome
from console.demo.view import ControllerRow, Flow, Pace, View, handover_rows, member_rows

_LOOK_S = 0.1
"""How often the loop turns: the grain of `stable after`, and calm enough for two busy cores."""
_FLOW_PATIENCE_S = 30.0
"""To see all members at work takes about a second."""


class Play:
    """A performance: the stage, what is known of it, and the people who watch."""

    def __init__(self, stage: Stage, follower: Follower, narrator: Narrator) -> None:
        self._stage = stage
        self._follower = follower
        self._narrator = narrator
        self._pace = Pace()
        self._headline = ""
        self._shows = ""
        self._begun = now()

    def perform(self, steps: Sequence[Step]) -> list[Outcome]:
        """Perform step after step; the first that fails is the last."""
        outcomes: list[Outcome] = []
        for number, step in enumerate(steps, start=1):
            self._announce(f"step {number} of {len(steps)}: {step.title}", step.shows)
            self._narrator.begin(self._headline, self._shows)
            outcomes.append(self._perform(step))
            self._narrator.end(outcomes[-1])
            if outcomes[-1].failure is not None:
                break
        return outcomes

    def stay(self) -> None:
        """Go on without a story, until Ctrl-C."""
        self._announce("the story is over; the demo goes on until Ctrl-C", "")
        self._stage.perform(Start((PRODUCER,)))
        while True:
            pid = next(filter(None, self._stage.members.values()), None)
            self._shows = f"try `kill -9 {pid}`, and watch its queues move on" if pid else ""
            self._turn()

    def _announce(self, headline: str, shows: str) -> None:
        self._headline, self._shows, self._begun = headline, shows, now()

    def _perform(self, step: Step) -> Outcome:
        begun = self._mark()
        for act in step.acts:
            self._stage.perform(act)
        failure = self._wait(step.until, begun, step.patience_s)
        stable = None if failure else now()
        if step.flows and failure is None:
            failure = self._wait(flowing, self._mark(), _FLOW_PATIENCE_S)
        failure = failure or step.claim(self._scene(begun))
        return Outcome(step.title, begun.at, stable, failure)

    def _wait(self, condition: Condition, since: Mark, patience_s: float) -> str | None:
        """Wait until the condition is met; otherwise say why it was not."""
        deadline = time.monotonic() + patience_s
        while missing := condition(self._scene(since)):
            if self._stage.untimely:
                return self._stage.untimely[0]
            if time.monotonic() > deadline:
                return f"{missing}, after {patience_s:.0f} s"
            self._turn()
        return None

    def _turn(self) -> None:
        time.sleep(_LOOK_S)
        self._follower.look()
        self._stage.watch()
        self._pace.sample(now(), self._follower.totals.processed)
        self._narrator.show(self._view())

    def _mark(self) -> Mark:
        return Mark(now(), Counter(self._follower.totals.processed))

    def _scene(self, since: Mark) -> Scene:
        return Scene(
            totals=self._follower.totals,
            board=self._follower.board,
            exits=self._stage.exits,
            controller_up=self._stage.controller_ready,
            since=since,
        )

    def _view(self) -> View:
        totals, board = self._follower.totals, self._follower.board
        rates = self._pace.rates()
        return View(
            headline=f"{self._headline} ({(now() - self._begun) // NANOSECONDS_PER_S} s)",
            shows=self._shows,
            group=board.group,
            controller=self._controller(),
            members=member_rows(self._stage.members, totals, board, rates),
            handovers=handover_rows(totals.handovers(), board),
            flow=Flow(
                produced=totals.produced(),
                processed=totals.processed.total(),
                rate=sum(rates.values()),
                outstanding=totals.outstanding(),
                repeats=totals.repeats,
            ),
        )

    def _controller(self) -> ControllerRow:
        pid = self._stage.pid(CONTROLLER)
        if pid is None:
            return ControllerRow(None, "killed")
        return ControllerRow(pid, "ready" if self._stage.controller_ready else "starting")
