"""At work: whether a controller is, by when controllers have said something last.

What a view shows is the last word of a controller, and looks the same however old it is. So each
time that a view is drawn, its watcher asks here. The first answer goes by the clock, as for those
who look once; the clock may be wrong, so later ones go by whether a controller says something new.

Called by every command that takes `--watch`, and by `controllers`. Its rules: what is not known is
said, too; and a word is compared with an earlier one of the same controller alone, since brokers'
clocks may differ.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from console.errors import Failure
from console.output import Remark
from console.published import Published
from console.views.controllers import SILENT_S, Aged, silence
from trimtab.protocol import Controller

HEARD_S: Final = 6.0
"""In this time each controller speaks."""
_SECONDS = re.compile(r"\d+ s\b")
_AHEAD_S: Final = 1.0
"""So much do clocks differ that are kept in step."""
_GONE_S: Final = 60.0
"""Whose last word looks as old is gone, if another one looks alive: standbys do not say so."""

Words = list[tuple[int, Controller]]
"""When each controller has said something last, by the clock of its broker, and what."""


@dataclass(frozen=True, slots=True)
class _Word:
    """What is known here of the last word of a controller."""

    at_ms: int
    since: float
    age_s: float
    """How old it was then."""

    def old_s(self, now: float) -> float:
        """Return how old it is now."""
        return self.age_s + now - self.since


class Ages:
    """Tells how long ago controllers have spoken: at first by the clock here, then by ear."""

    def __init__(self) -> None:
        self._words: dict[str, _Word] | None = None
        self.heard: set[str] = set()
        """Who has spoken meanwhile."""

    @property
    def is_new(self) -> bool:
        """Whether it was told of no words yet."""
        return self._words is None

    def by_ear(self, said: Words) -> Aged:
        """Tell it as ``of``, of who has had the time to speak: who has not, is silent."""
        return [
            (age_s, it)
            if it.controller in self.heard or it.role == "ended"
            else (max(age_s, SILENT_S + _AHEAD_S), it)
            for age_s, it in self.of(said)
        ]

    def of(self, said: Words) -> Aged:
        """Tell it of words that were read just now."""
        known, now = self._words, time.monotonic()
        words = self._words = dict(known or {})
        for at_ms, it in said:
            if it.controller in words and words[it.controller].at_ms == at_ms:
                continue
            age_s = max(0.0, _by_clock_s(at_ms)) if known is None else 0.0
            words[it.controller] = _Word(at_ms, now, age_s)
            if known is not None:
                self.heard.add(it.controller)
        return [(words[it.controller].old_s(now), it) for _, it in said]


class AtWork:
    """Looks at one installation.

    Args:
        published: Where it publishes.
    """

    def __init__(self, published: Published) -> None:
        self._published, self._ages = published, Ages()

    def remark(self) -> Remark | None:
        """Say that no controller is at work, or that it is not known; None: one is."""
        try:
            text = silence(self._ages.of(self._published.controllers()))
        except Failure as error:  # what was asked for has been read, and is shown all the same
            text = f"whether a controller is at work is not known: {error}"
        return None if text is None else Remark(text, _SECONDS.sub("", text))


def heard(read: Callable[[], Words], ages: Ages, *, sure: bool = False) -> Aged:
    """Read what controllers have said last, for who looks first, and how long ago.

    Where nobody looks alive, or one looks silent for a while or of the future, a clock may be
    wrong: then it goes by who speaks within a moment. So it does for who wants to be ``sure``: by a
    clock that is behind, one that died as long ago looks alive.
    """
    said = read()
    aged = ages.of(said)
    looks = [_by_clock_s(at_ms) for at_ms, it in said if it.role != "ended"]
    lately = [it for it in looks if it < _GONE_S]
    seems_right = all(-_AHEAD_S <= it <= HEARD_S for it in lately) and bool(lately or not looks)
    if seems_right and not sure:
        return aged
    time.sleep(HEARD_S)
    return ages.by_ear(read())


def _by_clock_s(at_ms: int) -> float:
    """Return how long ago that is by the clock here."""
    return time.time_ns() / 1_000_000_000 - at_ms / 1_000
