"""Watching: a view that is shown again and again, and outlives a Kafka that is away for a moment.

On a terminal each is drawn over the last one, as much of it as there is room for; programs get a
line of JSON, or a document of YAML, for each. Called by `trimtab top` and by every command that
takes `--watch`.

Its one rule: what has been shown once stays until there is something newer, and is never passed off
as new: that it is old, and why, is said above it. So it is if no controller is at work.
"""

import shutil
import sys
import time
from collections.abc import Callable, Sequence
from typing import Final

from console.encoding import visible
from console.errors import Away
from console.output import Format, Remark, Shown, beginning, height, is_drawable, write

_EVERY_S: Final = 2.0
"""How often a view is drawn again: people read no faster, and a cluster hardly notices it."""
PATIENCE_S: Final = 3.0
"""A view takes a tenth of a second, one of very many queues seconds; its readers wait 15 s for a
Kafka that does not answer."""
_CLEAR = "\x1b[H\x1b[2J"

Remarks = Sequence[Remark | None]
"""What is to be said of a view; None: there is nothing of that kind."""


def watched(
    draw: Callable[[], Shown],
    output: Format,
    *,
    watch: bool,
    remarks: Callable[[], Remarks] = tuple,
) -> None:
    """Show what is drawn, once or until Ctrl-C.

    Args:
        draw: Makes the view.
        output: How it is shown.
        watch: Whether it is shown again and again.
        remarks: Asked for what is said above each of these.

    Raises:
        Failure: It cannot be drawn; of a Kafka that is away only the first time.
    """
    if not watch:
        write(draw().text(output))
        return
    from console.published import at_once

    screen = _Screen(output)
    while True:
        try:
            shown = at_once(draw, PATIENCE_S, screen.wait)
        except Away as error:
            if not screen.has_shown:
                raise
            screen.lose(str(error))
        else:
            screen.show(shown, at_once(remarks, PATIENCE_S, screen.wait))
        time.sleep(_EVERY_S)


class _Screen:
    """Where a view is drawn, and what stands there."""

    def __init__(self, output: Format) -> None:
        self._output = output
        self._is_drawn_over = output in {Format.TABLE, Format.WIDE} and is_drawable()
        self._last: Shown | None = None
        self._above: list[str] = []
        """What is said of it, where it is drawn over."""
        self._is_lost = False
        self._said: set[str] = set()
        """What the remarks were about, where each is said once."""

    @property
    def has_shown(self) -> bool:
        """Whether Kafka has answered once."""
        return self._last is not None

    def show(self, shown: Shown, remarks: Remarks) -> None:
        """Draw the newest below what is to be said of it: once, where nothing is drawn over."""
        self._last, self._is_lost = shown, False
        texts = {it.about: visible(it.text) for it in remarks if it is not None}
        if self._is_drawn_over:
            self._above = [*texts.values()]
            self._draw(shown, self._above)
        else:
            new = [f"trimtab: {texts[it]}\n" for it in texts if it not in self._said]
            sys.stderr.write("".join(new))
            write(shown.text(self._output, in_line=True))
            sys.stdout.flush()
        self._said = set(texts)

    def wait(self) -> None:
        """Say that there is no answer yet; before the first one nothing is late."""
        if self.has_shown:
            self.lose(f"Kafka has not answered everything within {PATIENCE_S:.0f} s")

    def lose(self, reason: str) -> None:
        """Say that what stands there is old, and why; once, where it is not drawn over."""
        text = visible(f"{reason}; it is asked again until it answers")
        if self._is_drawn_over and self._last is not None:
            self._draw(self._last, [text, *self._above])
        elif not self._is_lost:
            sys.stderr.write(f"trimtab: {text}\n")
        self._is_lost = True

    def _draw(self, shown: Shown, above: Sequence[str]) -> None:
        """Draw it over the last; below is the prompt's line, or the first one would be gone."""
        lines = shutil.get_terminal_size().lines - 1
        head = "".join(f"{it}\n" for it in above)
        write(f"{_CLEAR}{beginning(head + shown.fitted(lines - height(head)), lines)}")
        sys.stdout.flush()
