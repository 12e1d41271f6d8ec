"""Tells the story: as a live table on a terminal, as plain lines anywhere else.

Both say the same. Lines go to stderr, as progress does; the live table takes stdout, where only a
terminal is. ``play`` talks to a ``Narrator`` and does not know which.
"""

import sys
from collections.abc import Iterable
from typing import Protocol

from rich.console import Console
from rich.live import Live
from rich.text import Text

from console.demo.journal import now
from console.demo.screen import render
from console.demo.summary import NANOSECONDS_PER_S, Outcome
from console.demo.view import APART_NS, HandoverRow, View, ranges

_SETTLED = 5 * APART_NS
"""A hand-over row that has not grown for this long is told."""
_UNKNOWN = 30 * NANOSECONDS_PER_S
"""Without a cause only after this long. A standing heir begins at once, and why its holder gave the
queue up is in the controller's next decision, which may be late on a busy machine."""


class Narrator(Protocol):
    """Where the story is told."""

    def begin(self, headline: str, shows: str) -> None:
        """A step begins."""
        ...

    def show(self, view: View) -> None:
        """This is how things are now."""
        ...

    def end(self, outcome: Outcome) -> None:
        """A step is over."""
        ...

    def say(self, lines: Iterable[str]) -> None:
        """Something besides the story."""
        ...

    def close(self) -> None:
        """Leave the terminal as it was found."""
        ...


class PlainNarrator:
    """One line an event, on stderr."""

    def __init__(self, *, quiet: bool) -> None:
        self._console = Console(file=sys.stderr, highlight=False, soft_wrap=True, quiet=quiet)
        self._begun = now()
        self._told: set[tuple[str, str, int, int]] = set()

    def begin(self, headline: str, shows: str) -> None:
        """Name the step and what it shows."""
        self._line(f"{headline}: {shows}")

    def show(self, view: View) -> None:
        """Tell the hand-overs that have not been told."""
        for row in reversed(view.handovers):
            key = (row.giver, row.heir, row.epoch, row.since)
            due = _UNKNOWN if row.cause is None else _SETTLED
            if key not in self._told and now() - row.at > due:
                self._told.add(key)
                self._line(f"  {handover_line(row)}")

    def end(self, outcome: Outcome) -> None:
        """Say how long it took, or why it failed."""
        self._line(f"  {outcome_line(outcome)}")

    def say(self, lines: Iterable[str]) -> None:
        """Print them."""
        for line in lines:
            self._console.print(line, markup=False)

    def close(self) -> None:
        """There is nothing to put back."""

    def _line(self, text: str) -> None:
        seconds = (now() - self._begun) / NANOSECONDS_PER_S
        self._console.print(f"{seconds:6.1f} s  {text}", markup=False)


class LiveNarrator:
    """The steps one under the other, and below them a table that is redrawn in place."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(
            console=console,
            auto_refresh=False,
            transient=False,
            vertical_overflow="crop",
        )
        self._live.start()

    def begin(self, headline: str, shows: str) -> None:
        """Nothing above the table: its headline names the step."""

    def show(self, view: View) -> None:
        """Redraw the table."""
        self._live.update(render(view, self._console.height - 1), refresh=True)

    def end(self, outcome: Outcome) -> None:
        """Leave a line above the table."""
        good = outcome.failure is None
        self._console.print(
            Text.assemble(
                ("ok   " if good else "FAIL ", "green" if good else "red"),
                f"{outcome.title}: {outcome_line(outcome)}",
            )
        )

    def say(self, lines: Iterable[str]) -> None:
        """Print above the table."""
        for line in lines:
            self._console.print(line, markup=False, highlight=False)

    def close(self) -> None:
        """Leave the last table standing."""
        self._live.stop()


def handover_line(row: HandoverRow) -> str:
    """A hand-over in one line."""
    noun = "queues" if len(row.queues) > 1 else "queue"
    cause = "" if row.cause is None else f" ({row.cause})"
    return (
        f"{noun} {ranges(row.queues)}: {row.giver} -> {row.heir},"
        f" at rest for {row.rest_ms:,.1f} ms{cause}"
    )


def outcome_line(outcome: Outcome) -> str:
    """How a step went in one line."""
    if outcome.failure is not None:
        return f"failed: {outcome.failure}"
    assert outcome.stable is not None, "a step that did not fail came to rest"
    return f"stable after {(outcome.stable - outcome.begun) / NANOSECONDS_PER_S:.1f} s"
