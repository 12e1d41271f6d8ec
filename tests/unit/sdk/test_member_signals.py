"""`leave` in a signal handler: at whatever point of the member's own code the signal comes."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any, Final

import pytest

from tests.builders.application import ONE, records
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP
from trimtab import Member
from trimtab.protocol import Leave

PATIENCE_S: Final = 30.0
"""What hangs for so long hangs for ever."""

Action = Callable[[Member], object]


def a_member() -> tuple[Member, MemoryTransport]:
    """One that works on a queue."""
    kafka = MemoryTransport()
    member = Member(group=GROUP, topics=["orders"], member_id="m", transport=kafka)
    member.start()
    kafka.assign(1, hold=[(0, 1)])
    member.wait_until(lambda it: it.assignment)
    return member, kafka


class Interruption:
    """Raises a signal at one line of the member's code, or of what it locks with."""

    def __init__(self, line: int) -> None:
        self._left = line

    @property
    def has_come(self) -> bool:
        """Whether there were so many lines."""
        return self._left < 0

    def trace(self, frame: FrameType, event: str, arg: object) -> Any:  # noqa: ANN401 - as of sys
        """Count lines."""
        del arg
        name = frame.f_globals.get("__name__", "")
        if not name.startswith("trimtab") and name not in ("threading", "tests.builders.memory"):
            return None
        if event == "line":
            self._left -= 1
            if self._left == -1:
                signal.raise_signal(signal.SIGUSR1)
        return self.trace


@contextmanager
def handled(handler: Callable[[], object]) -> Iterator[None]:
    """Have the signal handled; what hangs is ended."""

    def hangs(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise TimeoutError("it hangs")

    before = (
        signal.signal(signal.SIGUSR1, lambda *_: handler()),
        signal.signal(signal.SIGALRM, hangs),
    )
    signal.setitimer(signal.ITIMER_REAL, PATIENCE_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGUSR1, before[0])
        signal.signal(signal.SIGALRM, before[1])


@contextmanager
def traced(trace: Callable[[FrameType, str, object], Any]) -> Iterator[None]:
    """Trace this thread."""
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


@pytest.mark.slow
@pytest.mark.parametrize(
    "action",
    [
        lambda member: member.assignment,
        lambda member: member.holds(ONE),
        lambda member: member.leave(),
        lambda member: member.stop("0s"),
        lambda member: member.wait_until(lambda it: it.assignment or it.state == "ended"),
    ],
    ids=["assignment", "holds", "leave", "stop", "wait"],
)
def test_it_may_come_at_any_line(action: Action) -> None:
    """Nothing hangs, nothing is raised, and the member leaves in good order."""
    line, over = 0, False
    while not over:
        member, kafka = a_member()
        interruption = Interruption(line)
        with handled(partial(member.leave, "0s")):
            with traced(interruption.trace):
                action(member)
            over = not interruption.has_come
            assert member.stop("0s"), f"line {line}"
        assert 1 == len(records(kafka, Leave)), f"line {line}"
        line += 1
    assert line > 1
