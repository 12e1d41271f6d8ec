"""The incumbent: a controller that is at work is replaced on purpose, never by mistake.

Of two controllers the one that starts later goes on (``takeover``). So a plain start ends if
another controller still ticks: else a trial run would take all groups of the wrong Kafka, and two
supervisors would take them from each other for ever. ``trimtab run --take-over`` goes on, and a
standby waits.

It listens from before Spark starts, which takes longer than the longest pause between two ticks:
so a start waits only where one has ticked meanwhile, until that one ticks again, or does not.

Opened by ``application``, asked by ``start``. Its one rule: it writes nothing.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from typing import Final

from streaming.options import Options
from streaming.startup.activity import NOT_TOLD, PATIENCE_S, Activity, NotTold, grace_of
from streaming.startup.takeover import give_time
from trimtab.protocol import Record, Tick

_NAME: Final = "incumbent"
AT_WORK: Final = "another controller is at work"
"""What whoever has started this one reads."""


class Incumbent:
    """Listens for another controller.

    Args:
        options: Which topics.
        stop: Set when nobody should wait any more.

    Raises:
        NotTold: Kafka does not say where its topics end.
    """

    def __init__(self, options: Options, stop: Event) -> None:
        self._activity = Activity(options, _NAME, stop)
        grace_s = grace_of(options) / 1000
        self._sure_at = time.monotonic() + grace_s
        self._patience_s = PATIENCE_S + 2 * grace_s  # a silence may begin anew when Kafka answers

    def name(self, stop: Event) -> str | None:
        """Return who is at work; None: nobody, or it was told to stop.

        Raises:
            NotTold: Kafka does not say.
        """
        activity, has_read = self._activity, False
        for heard in self._heard(stop):
            if activity.over() is not None:
                return None
            if has_read and any(isinstance(it, Tick) for it in heard):
                return activity.last
            has_read = has_read or activity.is_read
            if has_read and not activity.is_seen and time.monotonic() > self._sure_at:
                return None
        return None

    def let_end(self, stop: Event) -> None:
        """Let it end, now that this one has said that it starts.

        Raises:
            NotTold: Kafka does not say whether there is one.
        """
        for _ in self._heard(stop):
            if self._activity.is_read:
                break
        if self._activity.is_seen:
            give_time(self._activity, stop)

    def close(self) -> None:
        """Listen no more."""
        self._activity.close()

    def _heard(self, stop: Event) -> Iterator[Sequence[Record]]:
        deadline = time.monotonic() + self._patience_s
        while not stop.is_set():
            if time.monotonic() > deadline:
                raise NotTold(f"{NOT_TOLD}: it does not answer")
            yield self._activity.listen()


@contextmanager
def looked_for(options: Options, stop: Event) -> Iterator[Incumbent | None]:
    """Listen meanwhile; None: a standby listens by itself."""
    if options.query.standby:
        yield None
        return
    incumbent = Incumbent(options, stop)
    try:
        yield incumbent
    finally:
        incumbent.close()
