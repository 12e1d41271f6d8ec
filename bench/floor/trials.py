"""What a side is asked: one trial after another, each a few questions that lead back to the start.

For groups: a newcomer joins, is let in and leaves. For brokers: a bad broker is judged, restored
and forgotten. The first reports about it are not timed, because they decide nothing until the
sweep is over.

Made by ``race``, run by ``runner``. Both sides are asked the same; that trimtab answers what it
must is checked on the way.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol, assert_never

from bench.floor.line import Answer, Line, has_queues, is_anything, is_gone
from bench.floor.plan import About, Side
from bench.floor.writer import Writer
from bench.populations import HOLDER, MEASURED, ORDERS, QUEUES, BadBroker, Newcomer, Question
from console.errors import Failure
from trimtab.protocol import ASSIGNMENTS, BROKERS, ReleaseRef, decode, member_key

_PAUSE_S: Final = (0.05, 0.15)
"""From less than the rest of a batch takes after its answer is out to well beyond it."""

SWEEP_S: Final = 0.1
"""How long the jury counts votes, and how long the judgement of a bad broker is put off. The pause
before each question makes it longer than that."""

_ATTEMPTS: Final = 100
"""One report in five comes after a tick."""

Fits = Callable[[bytes | None], bool]


class Trial(Protocol):
    """Who asks, and is answered."""

    def __call__(self, number: int) -> Iterator[tuple[str, Answer]]:
        """Run the trial of this number; yields each question with its answer."""
        ...


class _Trials:
    def __init__(self, side: Side, line: Line, writer: Writer, seed: int) -> None:
        self._side, self._line, self._writer = side, line, writer
        self._pauses = random.Random(seed)

    def _ask(self, *said: Question, fits: Fits, again: Sequence[Question] = ()) -> Answer:
        """Ask after a pause of random length, so as not to fall into step with the batches."""
        self._pause()
        return self._line.ask(*said, fits=fits, again=again)

    def _says(self, answer: Fits) -> Fits:
        """What is no answer yet is passed by; the floor has only echoes.

        A member is told first that it joined, and that its mark is awaited. A jury may repeat its
        last word first, with other testers.
        """
        return answer if self._side is Side.TRIMTAB else is_anything

    def _pause(self) -> None:
        time.sleep(self._pauses.uniform(*_PAUSE_S))


class ToGroups(_Trials):
    """A newcomer comes and goes."""

    def __call__(self, number: int) -> Iterator[tuple[str, Answer]]:
        """Run a trial."""
        newcomer = Newcomer(MEASURED[number % len(MEASURED)], number)
        join, mark = newcomer.joins()  # a first answer has the SDK mark again, with its first beat
        yield "join", self._ask(join, mark, fits=self._says(has_queues), again=[mark])
        told = self._line.latest(member_key(newcomer.group, HOLDER))  # written before the answer
        given = newcomer.is_let_in(_given(self._side, told))
        yield "release", self._ask(given, fits=self._says(_holds))
        own = self._line.latest(member_key(newcomer.group, newcomer.name))
        yield "leave", self._ask(*newcomer.leaves(_held(self._side, own)), fits=self._says(is_gone))


class ToBrokers(_Trials):
    """A bad broker is judged."""

    def __call__(self, number: int) -> Iterator[tuple[str, Answer]]:
        """Run a trial."""
        bad, judged = self._judged(number)
        yield "report", judged
        yield "restore", self._ask(bad.is_restored(), fits=self._says(_is_in))
        yield "forget", self._ask(bad.is_forgotten(), fits=self._says(is_gone))

    def _judged(self, number: int) -> tuple[BadBroker, Answer]:
        """Let bad brokers be reported until one is out by the report that is timed.

        A tick that comes between ends the sweep before it: then the verdict dates from the tick,
        and was on its way when the report was sent. Only who is known is judged by the votes of
        two sweeps, if the reporters' reports fall into two.
        """
        for attempt in range(_ATTEMPTS):
            bad = BadBroker(_ATTEMPTS * number + attempt)
            self._line.ask(bad.is_restored(), fits=self._says(_is_in))
            self._writer.say(bad.is_reported_bad())
            time.sleep(SWEEP_S)
            self._pause()
            asked_ms = time.time_ns() // 1_000_000  # Kafka is on this host and shares its clock
            answer = self._line.ask(bad.is_judged(), fits=self._says(_is_out))
            if self._side is Side.FLOOR or _since_ms(answer) >= asked_ms:
                return bad, answer
            self._line.ask(bad.is_forgotten(), fits=self._says(is_gone))
        raise Failure("ticks end all sweeps")


def trial_of(about: About, side: Side, line: Line, writer: Writer, seed: int) -> Trial:
    """Return the trial of a kind."""
    match about:
        case About.GROUPS:
            return ToGroups(side, line, writer, seed)
        case About.BROKERS:
            return ToBrokers(side, line, writer, seed)
        case _:
            assert_never(about)


def _given(side: Side, told: bytes | None) -> Sequence[ReleaseRef]:
    """What the holder lets go: what it was told to give, or as much of nothing."""
    match side:
        case Side.FLOOR:
            return [
                ReleaseRef(ORDERS, "", number, 1, None) for number in range(QUEUES // 2, QUEUES)
            ]
        case Side.TRIMTAB:
            give = decode(ASSIGNMENTS, told).give
            if len(give) != QUEUES // 2:
                raise Failure(f"the holder was to give {len(give)} queues of {QUEUES}")
            return [it.let_go for it in give]
        case _:
            assert_never(side)


def _held(side: Side, told: bytes | None) -> Sequence[ReleaseRef]:
    """What the newcomer lets go when it leaves: all that it has, or as much of nothing."""
    if side is Side.FLOOR:
        return _given(side, told)
    return [it.let_go for it in decode(ASSIGNMENTS, told).hold]


def _since_ms(answer: Answer) -> int:
    assert answer.value is not None, "a verdict that is gone"
    return decode(BROKERS, answer.value).since_ms


def _is_out(value: bytes | None) -> bool:
    return value is not None and not decode(BROKERS, value).available


def _is_in(value: bytes | None) -> bool:
    return value is not None and decode(BROKERS, value).available


def _holds(value: bytes | None) -> bool:
    return value is not None and len(decode(ASSIGNMENTS, value).hold) == QUEUES // 2
