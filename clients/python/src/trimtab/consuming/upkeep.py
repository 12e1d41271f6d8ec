"""The upkeep: a thread that commits, and finds where queues begin.

So the application's thread does nothing but take messages, and idle queues are looked after while a
handler works. Used by `Consumer`. Its one rule: nothing is committed of which it is not known what
Kafka has, so that no offset goes back.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from trimtab.callbacks import Running, mistaken
from trimtab.clock import now_s
from trimtab.consuming.beginning import Beginning
from trimtab.consuming.choice import Times, Told
from trimtab.consuming.commits import Places
from trimtab.consuming.contract import RefusedError
from trimtab.consuming.handover import Handover
from trimtab.consuming.loop_watch import LoopWatch
from trimtab.consuming.offsets import Asked
from trimtab.consuming.reading import Reading
from trimtab.consuming.refusals import Refusals, may_pass
from trimtab.errors import CommitError, ConfigurationError, MemberFailedError, StuckError
from trimtab.protocol import QueueRef

_LOGGER: Final = logging.getLogger("trimtab")
_ROUND_S: Final = 0.25
"""Between two looks: how late a question is asked again."""
_REPEAT_S: Final = 60.0
"""The same trouble is told again only if it was over for so long."""
_BRIEF_S: Final = 5.0
"""So long what may pass is not told."""
_FAREWELL_S: Final = 10.0
"""For the last look, in which Kafka may be asked several things; a callback may hang for ever."""


class Upkeep:
    """Looks after one consumer, from `start` to `finish`."""

    def __init__(self, handover: Handover, times: Times, told: Told, refusals: Refusals) -> None:
        self._handover = handover
        self._intake, self._commits = handover.intake, handover.commits
        self._beginning = Beginning(handover)
        self._times, self._told_to, self._refusals = times, told, refusals
        self._asked = Asked()
        self._later = dict[Reading, int]()
        """Of these the rest of what was fetched is handed out first; then Kafka has a gap there."""
        self._told: dict[str, float] = {}
        self._brief: dict[str, tuple[float, float]] = {}
        """What may pass by itself: when it was met first and last."""
        self.loop = LoopWatch(handover, times.max_poll_s, told.stuck)
        now = now_s()
        self._commit_at, self._recommit_at = now + times.commit_s, now + times.recommit_s
        self._wake = threading.Event()
        self._over = self._is_telling = False
        self._thread = threading.Thread(target=self._run, name="trimtab-consumer", daemon=True)
        handover.hurry = self._wake.set

    def start(self) -> None:
        """Begin."""
        self.loop.start()
        self._thread.start()

    def finish(self) -> None:
        """End."""
        self._over, late = True, now_s() + _FAREWELL_S
        self._wake.set()
        self.loop.finish(_FAREWELL_S)
        if (ident := self._thread.ident) is not None:
            self._thread.join(max(0.0, late - now_s()))
            if self._thread.is_alive():
                place = Running("on_error", 0, ident).place() if self._is_telling else None
                hanging = "Kafka does not answer" if place is None else f"on_error hangs{place}"
                _LOGGER.warning("left while %s", hanging)

    def _run(self) -> None:
        while not self._over:
            hurried = self._wake.wait(min(_ROUND_S, self._times.commit_s))
            self._wake.clear()
            try:
                self.look(hurried=hurried)
            except StuckError:  # in the client; the watch has told it
                continue
            except ConfigurationError as error:
                self._told_to.error(MemberFailedError.by(error))
            except BaseException as error:  # noqa: BLE001 - said, and the next look may do better
                self._report_once(error)

    def want(self, topics: Sequence[str]) -> None:
        """These are read from now on, as far as their names are known."""
        self._refusals = replace(self._refusals, topics=topics)

    def look(self, *, hurried: bool = False) -> None:
        """Do what is due; in a hurry, only what a queue that has come needs."""
        try:
            self._commits.hear()
        except RefusedError as error:
            self._report_once(error)
        if not hurried:  # first: what follows may ask the very client that stands still
            with self._intake.turn:
                self._intake.client.look()
        now, open_ones = now_s(), self._open_ones()
        resting = self._asked.resting(open_ones, now)
        if now >= self._asked.again_at or open_ones - resting:
            with self._asked.answered(self._open_ones, self._report_once):
                self._intake.client.open()
                self._ask(resting, hurried=hurried)
        self._tell_troubles()
        if now >= min(self._commit_at, self._recommit_at):
            self._commit(now)

    def _open_ones(self) -> frozenset[QueueRef]:
        """The queues about which there is something to ask. It takes no turn: a newcomer waits."""
        astray, readings = list(self._intake.client.astray), list(self._intake.readings.values())
        unknown = [it.queue for it in readings if it.committed is None and not it.ending]
        return frozenset([*self._handover.unbegun.copy(), *astray, *unknown])

    def _ask(self, resting: frozenset[QueueRef], *, hurried: bool) -> None:
        """Ask all that there is to ask, but of those that rest, whatever of it has no answer."""
        asking: list[Callable[[], None]] = [lambda: self._beginning.look(resting)]
        if not hurried:  # its questions wait behind a fetch, and the next queue for them
            asking.append(self._stand_by)
        asking += [lambda: self._go_on(resting), lambda: self._learn(resting)]
        refused: RefusedError | None = None
        for ask in asking:
            if self._over:  # the clients are closed soon
                break
            try:
                ask()
            except RefusedError as error:
                refused = refused or error
        if refused is not None:
            raise refused

    def commit(self, readings: list[Reading] | None = None) -> bool:
        """Commit what is done, and wait until Kafka has it; tell whether all of it was ours still.

        Raises:
            CommitError: Kafka does not take it, or does not say so in time.
        """
        try:
            refused = self._handover.learn(
                self._unknown()
                if readings is None
                else [it for it in readings if it.committed is None]
            )
            is_all = self._commits.write(lambda: self._due(everything=False, only=readings))
            if refused is not None:
                raise refused
        except RefusedError as error:
            text = f"not committed: {self._refusals.explained(error)}"
            raise CommitError(text) from error.said
        return is_all

    def _commit(self, now: float) -> None:
        everything = now >= self._recommit_at
        self._commit_at = now + self._times.commit_s
        if everything:
            self._recommit_at = now + self._times.recommit_s
        self._commits.write_soon(lambda: self._due(everything=everything))

    def _due(self, *, everything: bool, only: list[Reading] | None = None) -> Places:
        with self._intake.turn:
            every = self._intake.readings.values() if only is None else only
            readings = [it for it in every if it.committed is not None and not it.is_astray]
            positions = self._intake.positions(readings)
            return {
                it.grant: at
                for it in readings
                if it.is_news(at := positions[it.grant]) or (everything and at == it.committed)
                if only is not None or it.queue not in self._intake.client.astray
            }

    def _stand_by(self) -> None:
        """Be ready to read what may come next."""
        promised = self._intake.owned(()).promised
        with self._intake.turn:
            readings = self._intake.readings
            self._intake.leaders.find([it for it in promised if it not in readings])

    def _go_on(self, resting: frozenset[QueueRef]) -> None:
        """Go on where Kafka does not have the next one: where its log was cut, or at the earliest.

        Before where it was cut a log is what it was: of that only what waits is handed out again.
        """
        intake = self._intake
        if not intake.client.astray and not self._later:
            return
        with intake.turn:
            intake.due = 0.0  # before anything is looked at
            self._come_to_gaps()
            readings, client = intake.readings, intake.client
            client.astray = {it: cut for it, cut in client.astray.items() if it in readings}
            astray = [it for it in client.astray if it not in resting]
            found = intake.offsets.earliest(astray)
            cuts = {it: cut for it in found.at if (cut := client.astray[it]) is not None}
            before = intake.not_handed_out([readings[it] for it in astray])
            places = {it: max(found.at[it], min(cut, before[it])) for it, cut in cuts.items()}
            places = found.at | places
            passed = {it for it, at in found.at.items() if it not in cuts and at < before[it]}
            # Kafka has deleted what was fetched and waits: that is handed out first.
            later = found.at.keys() & intake.hand.waiting().keys() - passed - cuts.keys()
            self._later |= {readings[it]: at for it, at in client.positions(later).items()}
            before |= client.positions(passed | cuts.keys())  # what waits is of the old log
            ends = intake.offsets.latest([*passed])
            # What Kafka has not answered stays: who else would ask again?
            answered = found.at.keys() - (passed - ends.at.keys())
            client.astray = {it: cut for it, cut in client.astray.items() if it not in answered}
            for queue in answered - later:
                end = ends.at.get(queue)
                _tell(queue, before[queue], places[queue], end, cuts.get(queue))
            for queue, end in (ends.at | cuts).items():
                self._enter(readings[queue], places[queue], end, cuts.get(queue))
            intake.move({it: places[it] for it in answered - later})
        if (refused := found.refused or ends.refused) is not None:
            raise refused

    def _enter(self, reading: Reading, at: int, end: int, cut: int | None) -> None:
        """Begin there in a log that ends here; it is another one, but before where it was cut."""
        if cut is None:  # nothing that was handed out is of it
            self._intake.hand.disown(reading.queue)
        kept = at if cut is None else cut
        reading.enter(at, end, kept)
        if self._handover.fenced is not None:
            self._handover.fenced.enter(reading.grant, kept)

    def _come_to_gaps(self) -> None:
        """Look anew where all that was fetched before a gap has been handed out."""
        intake = self._intake
        going_on = {it for it in intake.readings.values() if not it.ending} & self._later.keys()
        waiting = intake.hand.waiting()
        passed = {it for it in going_on if it.queue not in waiting}
        following = intake.not_handed_out(passed)
        # What the application has sought since is not brought back.
        gaps = [it.queue for it in passed if following[it.queue] == self._later[it]]
        intake.client.astray = dict.fromkeys(gaps) | intake.client.astray
        self._later = {it: self._later[it] for it in going_on - passed}

    def _learn(self, resting: frozenset[QueueRef]) -> None:
        """Ask what Kafka has of what was handed over."""
        unknown = [it for it in self._unknown() if it.queue not in resting]
        if (refused := self._handover.learn(unknown)) is not None:
            raise refused

    def _unknown(self) -> list[Reading]:
        """What was handed over, as long as it is not known what Kafka has of it."""
        with self._intake.turn:
            every = self._intake.readings.values()
            return [it for it in every if it.committed is None and not it.ending]

    def _tell_troubles(self) -> None:
        """Tell what the client has met."""
        troubles, self._intake.client.troubles = self._intake.client.troubles, []
        for trouble in troubles:
            self._report_once(trouble)

    def _report_once(self, error: BaseException) -> None:
        is_brief, told = False, error
        if isinstance(error, Exception):  # or it is as `sys.exit()` of a client's callback
            is_brief, told = may_pass(error), self._refusals.explained(error)
        now, said = now_s(), str(told)
        if self._over or (is_brief and not self._lasts(said, now)):
            return
        self._told = {said: at for said, at in self._told.items() if now - at < _REPEAT_S}
        is_new = said not in self._told
        self._told[said] = now
        if is_new:
            self._is_telling = True
            self._told_to.error(told if isinstance(told, Exception) else mistaken(told))
            self._is_telling = False

    def _lasts(self, said: str, now: float) -> bool:
        """Say whether it was so all the time."""
        gap = 2 * max(_BRIEF_S, self._times.commit_s)  # what a commit meets comes as rarely as that
        self._brief = {it: at for it, at in self._brief.items() if now - at[1] < gap}
        first, _ = self._brief.get(said, (now, now))
        self._brief[said] = first, now
        return now - first >= _BRIEF_S


def _tell(queue: QueueRef, before: int, at: int, end: int | None, cut: int | None) -> None:
    """Say why it reads on elsewhere."""
    if cut is not None:
        why = f"the log was cut at offset {cut}, {before} is not there: reading goes on at {at}"
    elif end is None:
        why = f"Kafka has deleted offset {before}, reading goes on at {at}"
    else:
        said = f"is beyond the end, {end}" if before > end else "was not there"
        why = f"offset {before} {said}: reading goes on at {at}: "
        why += "was the log cut, or the topic made anew?"
    _LOGGER.warning("%s/%d: %s", queue.topic, queue.id, why)
