"""Silence: who may be removed for it, and who must be (I6, I5).

A member that is removed must have been silent for its whole session on the auditor's clock
(``reading``), when the record that is named as the cause was read; and where batches are known,
nobody may stay longer than that, or than that from the hour in which a controller took over that
had forgotten its past (A6, A7).

If most of a group falls silent at once, it is likelier that no member is heard than that all are
dead. Then silence must have lasted for another while (``Blast``), unless an operator has confirmed
it.

Called by ``checker``. Its one rule: nothing counts that was heard after the cause.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from audit.history import (
    BeatSeen,
    Commanded,
    DrainAsked,
    Held,
    Issued,
    Joined,
    Left,
    Life,
    Place,
    Removed,
    Summarised,
)
from audit.pulse import BEATS_REMEMBERED, CLOCK, Pulse
from audit.reading import BEGINNING, Reader, Reading
from audit.violations import Invariant, Violation

_JUDGED = {"expired", "overdue"}
"""Endings that the passing of time alone decided."""


@dataclass(frozen=True, slots=True)
class Blast:
    """When silence is doubted: at least so many members, and more than this share."""

    members: int = 3
    percent: int = 50
    hold_ms: int = 30_000


class Silence:
    """The members of one group, as far as they were heard."""

    def __init__(self, group: str, reader: Reader, blast: Blast, *, one_clock: bool) -> None:
        """Begin with no member heard; ``one_clock``: the times of all topics compare."""
        self._one_clock = one_clock
        self._group, self._reader = group, reader
        self._blast = self._general = blast
        self._batch = 0
        self._approved = BEGINNING
        """When an operator confirmed silence last: that of whoever was not heard since."""
        self._in_flux = False
        """An operator wants other rules; the next summary tells which hold."""
        self._paused = False
        self._partition = 0
        self._pulses: dict[Life, Pulse] = {}
        self._felled: list[tuple[Life, Pulse]] = []
        self._felled_by: Place | None = None
        """The record that removed somebody last, and all that it removed: doubted together."""
        self._began, self._forgot = False, BEGINNING
        self.unjudged = 0
        """Evictions of which it is not known how long the member was silent: it was not seen to
        join, or the cause was not read, or so long ago that it is not remembered."""

    @property
    def _since(self) -> Reading:
        """When a controller took over that had forgotten its past: all sessions begin anew."""
        return max(self._forgot, self._reader.begun(self._partition), key=CLOCK)

    def started(self) -> None:
        """A controller starts."""
        self._began = True

    def joined(self, record: Joined, reading: Reading) -> None:
        """A life begins, or says again that it is there."""
        self._partition = record.at.partition
        pulse = self._pulses.get(record.life)
        if pulse is None:
            pulse = self._pulses[record.life] = Pulse(deque(maxlen=BEATS_REMEMBERED))
        if pulse.session_ms is None:
            pulse.since_join = -1
            if pulse.joined_in != self._batch:
                pulse.joined_in = self._batch  # it may be admitted only now
                pulse.sequence = pulse.wishes = -1
        if pulse.away and record.sequence > pulse.wishes:
            pulse.away, pulse.back_at = False, reading.number
        pulse.wishes, pulse.joined_at = max(pulse.wishes, record.sequence), reading.number
        pulse.said.clear()
        self._see(pulse, reading, record.at)

    def beat(self, record: BeatSeen, reading: Reading) -> None:
        """A life goes on."""
        pulse = self._pulses.get(record.life)
        if pulse is None:
            return
        if len(pulse.said) < BEATS_REMEMBERED:
            pulse.said.append((record.sequence, reading))
        if pulse.away:
            return
        if record.sequence > pulse.since_join:
            pulse.since_join, pulse.perhaps = record.sequence, reading
        if record.sequence > pulse.sequence:
            pulse.sequence = record.sequence
            self._see(pulse, reading)

    def drained(self, record: DrainAsked, reading: Reading) -> None:
        """A member that wants to go is still there."""
        pulse = self._pulses.get(record.life)
        if pulse is not None:
            pulse.wishes = max(pulse.wishes, record.sequence)  # drains and joins are one series
            self._see(pulse, reading, record.at)

    def left(self, record: Left, reading: Reading) -> bool:
        """Once a life has left, only its return counts; if it means to be back, a session begins.

        Tell whether it has left: not if it has joined again since it said so.
        """
        pulse = self._pulses.get(record.life)
        if pulse is None or pulse.away:
            return True
        if record.sequence < pulse.wishes:
            return False
        self._see(pulse, reading, record.at)
        pulse.wishes, pulse.away = record.sequence, True
        return True

    def _see(self, pulse: Pulse, reading: Reading, at: Place | None = None) -> None:
        if at is not None:
            pulse.log = self._reader.compared(at, reading)
            pulse.spoken, pulse.answered_ms = reading.number, None
        pulse.heard.append(reading)
        pulse.held_at = None

    def commanded(self, record: Commanded, reading: Reading) -> None:
        """An operator may confirm that the silent are dead, or hold all evictions."""
        self._approved = reading if record.verb == "approve" else self._approved
        self._in_flux = self._in_flux or record.verb == "policy"
        self._paused = record.verb == "pause" or (self._paused and record.verb != "resume")

    def summarised(self, record: Summarised) -> None:
        """Note when this group doubts silence."""
        general, (members, percent, hold_ms) = self._general, record.own_blast
        self._in_flux = False
        self._blast = Blast(
            general.members if members is None else members,
            general.percent if percent is None else percent,
            general.hold_ms if hold_ms is None else hold_ms,
        )

    def held(self, record: Held) -> None:
        """Those were not removed, and it was said."""
        for life, pulse in self._pulses.items():
            if life.member in record.members:
                pulse.held_at = self._reader.now(self._partition)

    def issued(self, record: Issued) -> None:
        """Note the session that a life was granted."""
        if self._began:
            self._began = False
            self._forgot = self._reader.furthest(self._partition)
            for each in self._pulses.values():
                each.since_join = -1  # nor need it know how far its predecessor had counted
        pulse = self._pulses.get(record.life)
        if pulse is not None:
            pulse.session_ms = record.session_timeout_ms
            if pulse.answered_ms is None:
                pulse.answered_ms = record.at.appended_ms

    def removed(self, record: Removed) -> Iterator[Violation]:
        """Judge whether it was silent for long enough when it was removed.

        For a queue that it kept it may be removed at any time, but while many are silent: then
        one that is silent too may have let go, and not been heard.
        """
        pulse, cause = self._pulses.get(record.life), self._reader.find(record.cause)
        self.ended(record.life, before=None if cause is None else cause.number)
        if record.how not in _JUDGED or pulse is None or pulse.session_ms is None or cause is None:
            self.unjudged += record.how in _JUDGED
            return
        if record.cause != self._felled_by:
            self._felled, self._felled_by = [], record.cause
        self._felled.append((record.life, pulse))
        silence_ms = self._silence_ms(pulse, cause, record.at)
        if silence_ms is None:
            self.unjudged += 1
            return
        patience_ms = pulse.session_ms if record.how == "expired" else 0
        detail = f"{record.how} after {silence_ms} ms of silence, its session is {pulse.session_ms}"
        sure = self._is_confirmed(pulse, cause) or self._in_flux or self._began
        if silence_ms >= (patience_ms or pulse.session_ms // 2 + 1) and not sure:
            silent, everybody = self._doubtful(cause)
            if silent >= self._blast.members and 100 * silent > self._blast.percent * everybody:
                patience_ms = pulse.session_ms + self._blast.hold_ms
                detail += f", and {silent} of {everybody} were silent"
        if patience_ms and silence_ms < patience_ms:  # its last word may be ahead of the cause
            places = (record.cause, record.at)
            yield Violation(Invariant.PATIENT, self._group, record.life.member, detail, places)

    def _is_confirmed(self, pulse: Pulse, cause: Reading) -> bool:
        """Tell whether an operator confirmed a life's silence; where clocks differ, or lately."""
        approved = self._approved
        ago_ms = cause.clock_ms - approved.clock_ms
        lately = approved != BEGINNING and ago_ms <= self._blast.hold_ms and not self._one_clock
        heard = (it.number for it in pulse.heard if it.number < cause.number)
        return lately or approved.number > max(heard, default=0)

    def _silence_ms(self, pulse: Pulse, cause: Reading, told: Place) -> int | None:
        """How long a life had been silent when the cause was read; None: it was never heard.

        Where clocks differ, a word that is no beat may stand too late among the beats. But when it
        was answered, and when its end was told, is said by whoever took what was published.
        """
        heard = [it for it in pulse.heard if it.number < cause.number]  # a beat may be the cause
        if not heard:
            return None
        # The last word counts: an earlier one may have been refused, and read further ahead.
        silence_ms = cause.clock_ms - heard[-1].clock_ms
        if not self._one_clock and heard[-1].number == pulse.spoken:
            answered_ms = told.appended_ms if pulse.answered_ms is None else pulse.answered_ms
            silence_ms = max(silence_ms, told.appended_ms - answered_ms)
        read_again = self._since.clock_ms > heard[-1].clock_ms  # by another clock than before
        went_back = self._reader.clocks[self._partition].went_back
        if not self._one_clock or went_back:
            if not read_again:
                return silence_ms
            # Of beats one broker tells the time, as of the cause.
            alike = heard[-1].number != pulse.spoken and not went_back
            return cause.appended_ms - heard[-1].appended_ms if alike else None
        # The log's clock may leave time out, and never adds any.
        written_ms = cause.appended_ms - max(it.appended_ms for it in heard)
        return written_ms if read_again else min(silence_ms, written_ms)

    def _doubtful(self, cause: Reading) -> tuple[int, int]:
        """Count who was silent for half a session at a record, and who was there.

        A member that said it would be silent is not doubted for it.
        By member: a life that is being replaced by a younger one is not one more that is silent.
        """
        heard: dict[str, bool] = {}
        for each, pulse in [*self._felled, *self._pulses.items()]:
            last = pulse.last(cause.number)
            if last is not None:
                last = max(last, self._since, pulse.perhaps, key=CLOCK)
                silence_ms = self._reader.elapsed_ms(self._partition, last, cause)
                lately = pulse.session_ms is None or 2 * silence_ms <= pulse.session_ms
                lately |= pulse.away or pulse.back_at > cause.number
                lately |= self._reader.is_behind(pulse.log)
                heard[each.member] = lately or heard.get(each.member, False)
        return sum(not lately for lately in heard.values()), len(heard)

    def _waits(self, pulse: Pulse, over_ms: int) -> bool:
        """Whether a member whose session is over for so long is held: perhaps since before that."""
        if pulse.held_at is None:
            return False
        over_ms = min(over_ms, self._reader.elapsed_ms(self._partition, pulse.held_at))
        return over_ms < self._blast.hold_ms

    def ended(self, life: Life, before: int | None = None) -> None:
        """A life is over; if it joined after the record that ended it, it may be in again."""
        pulse = self._pulses.pop(life, None)
        if pulse is not None and before is not None and pulse.joined_at > before:
            join = next((it for it in pulse.heard if it.number == pulse.joined_at), None)
            back = Pulse(deque([] if join is None else [join], BEATS_REMEMBERED))
            back.wishes, back.log, back.perhaps = pulse.wishes, pulse.log, pulse.perhaps
            back.spoken = pulse.spoken
            for sequence, reading in pulse.said:  # counted from its joining again
                if sequence > back.sequence:
                    back.sequence = sequence
                    back.heard.append(reading)
            self._pulses[life] = back

    def overdue(self) -> Iterator[Violation]:
        """Name the members that should have been evicted by the end of a batch."""
        self._batch += 1
        judged = self._partition in self._reader.clocks and not self._paused
        for life, pulse in self._pulses.items():
            if self._reader.is_behind(pulse.log):
                pulse.perhaps = self._reader.now(self._partition)
            pulse.log = None
            if pulse.session_ms is None or not judged:
                continue
            heard = max((self._since, pulse.perhaps, *pulse.heard), key=CLOCK)
            over_ms = self._reader.elapsed_ms(self._partition, heard) - pulse.session_ms
            if over_ms >= 0 and not self._waits(pulse, over_ms):
                detail = f"in, {over_ms} ms after its session of {pulse.session_ms} ms was over"
                yield Violation(Invariant.LIVELY, self._group, life.member, detail)
