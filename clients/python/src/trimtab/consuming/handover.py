"""Begin and end queues: what a member's callbacks do to what is read.

They run on the member's callback thread; where a group moves also on others, each for queues of its
own. A queue that is given up is taken out of what waits at once; its release waits for what the
application has in hand of it, and for no other queue that is given up with it; what comes later has
its turn after that. Used by `Consumer`. Its one rule: no position passes a message that is in hand.
"""

import logging
import math
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from trimtab.callbacks import Positions
from trimtab.clock import now_s
from trimtab.consuming.choice import Told
from trimtab.consuming.commits import Commits
from trimtab.consuming.contract import RefusedError
from trimtab.consuming.intake import Intake
from trimtab.consuming.reading import Reading
from trimtab.errors import StuckError
from trimtab.protocol import QueueRef
from trimtab.session import Grant
from trimtab.session.fencing import within

if TYPE_CHECKING:  # its library may not be installed
    from trimtab.consuming.transactions import Transactions

Finished = Callable[[Positions], object]
"""Hears of queues that are finished before others of the same call, with all that is known."""
_LOGGER: Final = logging.getLogger("trimtab")
_LOOK_S: Final = 0.05
"""How late a wait for the application notices that the queue is lost: as the member's thread."""
_FLUSH_SHARE: Final = 5 / 8
"""An application that commits by itself has so much of the time until all is lost for that: half of
a revocation."""
_FLUSHED_SHARE: Final = 7 / 8
"""By then it has had its time, whenever that began."""
_SILENT_S: Final = 1.0
"""Who has said nothing for so long is not asked again in the same call: what is late is lost."""


@dataclass(slots=True)
class _Call:
    """One call of `on_revoked`."""

    begun: float
    time_s: float
    is_silent: bool = False
    """Whether Kafka has not answered."""


class Handover:
    """Follows the grants of one member, and tells the application."""

    def __init__(
        self,
        intake: Intake,
        commits: "Commits | Transactions",
        fenced: "Transactions | None",
        told: Told,
        revocation_s: float,
    ) -> None:
        self.intake = intake
        self.commits = commits
        self.fenced = fenced
        """Then only what Kafka has counts, and no position travels with a release."""
        self._told = told
        self._own_s = within(int(revocation_s * 1_000)) / 1_000
        self.unbegun: dict[QueueRef, Grant] = {}
        """Grants of which it is not known yet where to begin: taken out in turns. They are put in
        without one, which would cost a hand-over the wait for two; a reader takes a copy."""
        self.told_of: frozenset[QueueRef] = frozenset()
        """Queues of which the application is told now; it may seek them, though they were lost."""
        self.hurry: Callable[[], object] = bool
        """Has the upkeep look at once."""

    def on_assigned(self, grants: tuple[Grant, ...]) -> None:
        """Begin where the last owner stopped; the upkeep finds where to begin with the rest."""
        self.told_of = frozenset(it.queue for it in grants)
        self._told.assigned(grants)
        self.told_of = frozenset()
        handed = () if self.fenced else grants
        known = {it: it.position for it in handed if it.position is not None}
        if known:
            with suppress(StuckError), self.intake.turn:
                mine = self.intake.owned(known).grants  # telling may have taken long
                self.begin({it: at for it, at in known.items() if it in mine}, None)
        self.unbegun |= {it.queue: it for it in grants if it not in known}
        self.hurry()

    def on_revoked(self, grants: tuple[Grant, ...], finished: Finished = bool) -> Positions:
        """Hand out no more of these, wait for what is in hand, commit, and say the positions.

        What nothing is waited for of is handed over before that, and said to be finished.

        Where Kafka does not have what comes next, there is no position: the next owner looks anew.
        Nor is there one where the loop hangs in the client, and is given up.
        """
        begun = now_s()
        by = self.intake.owned(grants).finish_by  # None: on Kafka's side of a group that moves
        call = _Call(begun, self._own_s if by is None else by - begun)
        try:
            with self.intake.turn:
                ending = self._end(grants)
                awaited = {it.grant for it in ending if self._is_waited_for(it)}
        except StuckError:
            ending, awaited = [], set()
        idle = tuple(it for it in grants if it not in awaited)
        if not idle or not awaited:
            return self._hand_over(grants, ending, call)
        at_once = self._hand_over(idle, [it for it in ending if it.grant not in awaited], call)
        finished({it.queue: at_once.get(it.queue) for it in idle})
        busy = tuple(it for it in grants if it in awaited)
        late = self._hand_over(busy, [it for it in ending if it.grant in awaited], call)
        return {**at_once, **late}

    def _hand_over(
        self, grants: tuple[Grant, ...], ending: list[Reading], call: _Call
    ) -> Positions:
        try:
            return self._finish(grants, ending, call)
        except StuckError:
            if self.fenced:
                self.fenced.let_go(grants)
            return {}

    def _finish(self, grants: tuple[Grant, ...], ending: list[Reading], call: _Call) -> Positions:
        try:
            self._wait(ending, self.intake.is_in_hand)
        finally:
            self._told.revoked(grants)
        if self.intake.manual:
            late = now_s() + call.time_s * _FLUSH_SHARE
            latest = call.begun + call.time_s * _FLUSHED_SHARE
            self._wait(ending, self.intake.is_uncommitted, min(late, latest))
        with self.intake.turn:
            good = [it for it in ending if not it.is_astray]
            positions = self.intake.positions(good)
            positions |= self.intake.decided_of(grants)
            self._forget(ending)
        if not call.is_silent:
            call.is_silent = not self._commit(good, positions)
        if self.fenced:
            self.fenced.let_go(grants)
            return {}
        return {it.queue: positions[it] for it in self.intake.owned(positions).grants}

    def _commit(self, good: list[Reading], positions: dict[Grant, int]) -> bool:
        """Commit what is handed over; tell whether Kafka has answered."""
        asked = now_s()
        try:
            refused = self.learn([it for it in good if it.committed is None])
            news = {it.grant: at for it in good if it.is_news(at := positions[it.grant])}
            if self.commits.write(lambda: news):
                for it in good:  # `commit` may be waiting for its turn to write the same
                    it.hear(positions[it.grant])
            if refused is not None:
                raise refused
        except RefusedError as error:
            # A repetition at most: the position travels with the release.
            _LOGGER.warning("could not commit a queue that is handed over: %s", error)
            return now_s() - asked < _SILENT_S
        return True

    def on_lost(self, grants: tuple[Grant, ...]) -> None:
        """Stop. Others may be at work already, so nothing is committed."""
        self.commits.withdraw(grants)
        if self.fenced:
            self.fenced.let_go(grants)
        with suppress(StuckError), self.intake.turn:
            ending = self._end(grants)
            ours = [it.grant for it in self.intake.readings.values()]
            ending += [self.intake.readings[it.queue] for it in grants if it in ours]
            self._forget(ending)
        self.intake.came_back.set()
        self._told.lost(grants)

    def withhold(self, grants: Collection[Grant]) -> None:
        """Hand out nothing more: somebody younger has committed, and the member will hear it."""
        if self.fenced and grants:
            self.fenced.let_go(grants)
            self._end(grants)

    def begin(self, places: dict[Grant, int], committed: dict[Grant, int] | None) -> None:
        """Read these as well; what is committed is not known of what was handed over."""
        intake = self.intake
        begun: dict[QueueRef, int] = {}
        known = {it.topic for it in intake.readings}
        for grant, at in places.items():
            queue = grant.queue
            begun[queue] = intake.sought.pop(queue, at)
            reading = Reading(grant, begun[queue], (committed or {}).get(grant))
            reading.done = at if intake.manual else 0
            intake.readings[queue] = reading
            self.unbegun.pop(queue, None)
        if begun:
            # Of a topic that is read the leaders are known; and on a line to a broker a question
            # waits behind the fetch before it, and the next fetch behind the question.
            intake.leaders.find([it for it in begun if it.topic not in known])
            intake.client.begin(begun)
            intake.client.pause(begun.keys() & intake.paused)

    def learn(self, readings: list[Reading]) -> RefusedError | None:
        """Ask what Kafka has of these; return why it does not say so of some."""
        with self.intake.turn:
            found = self.intake.offsets.committed([it.queue for it in readings])
            for reading in readings:
                if reading.queue in found.at:
                    reading.hear(max(-1, at := found.at[reading.queue]))
                    self.intake.heard({reading.grant: at} if at >= 0 else {})
        return found.refused

    def in_hand(self) -> frozenset[QueueRef]:
        """The queues of which the application has something in hand. It takes no turn."""
        return frozenset(self.intake.hand.in_hand())

    def is_awaited(self) -> bool:
        """Whether a hand-over waits for the application. It takes no turn, and so never waits."""
        return any(it.ending and self._is_waited_for(it) for it in [*self.intake.readings.values()])

    def _is_waited_for(self, reading: Reading) -> bool:
        intake = self.intake
        return intake.is_in_hand(reading) or (intake.manual and intake.is_uncommitted(reading))

    def _end(self, grants: Collection[Grant]) -> list[Reading]:
        """Hand out nothing more; those that had ended before are not named again."""
        intake = self.intake
        with intake.turn:
            intake.due = 0.0  # before anything is looked at
            for grant in grants:
                self.unbegun.pop(grant.queue, None)
                intake.sought.pop(grant.queue, None)
                intake.paused.discard(grant.queue)
            found = [(grant, intake.readings.get(grant.queue)) for grant in grants]
            ending = [it for grant, it in found if it and it.grant == grant and not it.ending]
            following = intake.not_handed_out(ending)
            for reading in ending:
                reading.next, reading.ending = following[reading.queue], True
                reading.is_astray = reading.queue in intake.client.astray
            intake.client.end([it.queue for it in ending])
            intake.hand.keep(intake.readings.keys() - following.keys())
        return ending

    def _wait(
        self,
        ending: list[Reading],
        is_awaited: Callable[[Reading], bool],
        late: float = math.inf,
    ) -> None:
        """Wait for the application, until the member has lost what is late."""
        intake = self.intake
        while not intake.gone and now_s() < late:
            intake.came_back.clear()
            with intake.turn:
                awaited = [it.grant for it in ending if is_awaited(it)]
            if not intake.owned(awaited).grants:
                return
            intake.came_back.wait(_LOOK_S)

    def _forget(self, ending: list[Reading]) -> None:
        """These belong to another member now."""
        for reading in ending:
            self.intake.hand.disown(reading.queue)
            if self.intake.readings.get(reading.queue) is reading:
                del self.intake.readings[reading.queue]
