"""Progress on long work: one line on stderr while it runs, with its duration once it is done.

On a terminal the line is alive; elsewhere (CI, a pipe) it is two plain lines, start and end.
Libraries take a ``Progress`` and default to ``SILENT``, so that tests and other programs hear
nothing.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from console.encoding import visible


class Progress(Protocol):
    """Where progress of long work is shown."""

    def step(self, title: str) -> AbstractContextManager[None]:
        """Announce ``title`` while the block runs, and how long it took when it ends well."""
        ...

    def note(self, text: str) -> None:
        """Say something worth knowing."""
        ...


class Silent:
    """Says nothing."""

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Run the block."""
        del title
        yield

    def note(self, text: str) -> None:
        """Keep it."""
        del text


class Stderr:
    """Says it on stderr; animated only on a terminal."""

    def __init__(self) -> None:
        from rich.console import Console  # only who shows progress pays for it

        self._console = Console(file=sys.stderr, highlight=False)
        self._animated = (
            self._console.is_terminal
            and not self._console.is_dumb_terminal
            and not self._console.no_color
        )

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Show ``title`` and the time it takes."""
        started = time.monotonic()
        if self._animated:
            from rich.text import Text

            with self._console.status(Text(f"{visible(title)} ...")):
                yield
        else:
            self.note(f"{title} ...")
            yield
        self.note(f"{title}: done in {time.monotonic() - started:.1f} s")

    def note(self, text: str) -> None:
        """Print it as it is: names may look like markup, and paths are copied from here.

        But what would move the cursor is escaped, for anybody may have written what it is about.
        """
        self._console.print(visible(text), markup=False, emoji=False, soft_wrap=True)


class Logged:
    """Says it as lines of the log, where that is for programs."""

    def __init__(self) -> None:
        import structlog  # only who logs pays for it

        self._log = structlog.get_logger()

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Log ``title``, and the time it took."""
        started = time.monotonic()
        self._log.info(title)
        yield
        self._log.info(f"{title}: done", seconds=round(time.monotonic() - started, 1))

    def note(self, text: str) -> None:
        """Log it."""
        self._log.info(text)


SILENT: Progress = Silent()
