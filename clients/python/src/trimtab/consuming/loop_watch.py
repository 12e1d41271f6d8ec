"""The watch over a loop: a thread that sees when the application does not come back for messages.

It may hang in what it does with a message; or in the client, where a deserializer or a callback of
its own runs. Then it keeps the turn, so here none is taken. It hangs at most after it has told
that. So it takes back commits of lost queues, too, which all others may do late: they ask Kafka, or
run what the application gave them. Used by `upkeep`. Its one rule: it waits for nothing but the
time.
"""

import logging
import threading
from collections.abc import Callable
from typing import Final

from trimtab.callbacks import Running
from trimtab.clock import now_s
from trimtab.consuming.handover import Handover

_LOGGER: Final = logging.getLogger("trimtab")
_ROUND_S: Final = 0.25
"""Between two looks: how late a stuck loop is noticed, or that a queue is lost."""
_FROZEN_S: Final = 5.0
"""A look that comes so late was kept from coming: the machine slept, or the process was frozen."""


class LoopWatch:
    """Watches the loop of one consumer, from `start` to `finish`."""

    def __init__(
        self, handover: Handover, max_poll_s: float, stuck: Callable[[float], object]
    ) -> None:
        self._intake, self._commits = handover.intake, handover.commits
        self._max_poll_s, self._stuck = max_poll_s, stuck
        self._progress: tuple[int, int] | None = None
        self._moved_at = now_s()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="trimtab-watch", daemon=True)

    @property
    def since_poll(self) -> float:
        """Seconds since the loop was seen to move."""
        return max(0.0, now_s() - self._moved_at)

    def start(self) -> None:
        """Begin."""
        self._moved_at = now_s()
        self._thread.start()

    def finish(self, patience_s: float) -> None:
        """End, and wait until the application has been told, but for no callback that hangs."""
        self._over.set()
        ident = self._thread.ident
        if ident is not None and ident != threading.get_ident():
            self._thread.join(patience_s)
            if self._thread.is_alive():
                _LOGGER.warning(
                    "left while on_error hangs%s", Running("on_error", 0, ident).place()
                )

    def forgive(self, rested_s: float) -> None:
        """After a rest: in the time in which nothing could run the loop could not come back."""
        if rested_s > _FROZEN_S:
            self._moved_at += rested_s

    def look(self) -> None:
        """See whether the loop moves, and whether a commit on its way is ours still."""
        self._commits.take_back()
        intake, now = self._intake, now_s()
        progress = (intake.steps, intake.hand.at)
        if progress != self._progress:
            self._progress, self._moved_at = progress, now
        elif now - self._moved_at > self._max_poll_s and not self._has_ended():
            self._over.set()  # the consumer ends by it, so it is told once
            intake.turn.limit()
            self._stuck(now - self._moved_at)

    def _has_ended(self) -> bool:
        """Whether the application has left its loop; its block may still have work to do."""
        intake = self._intake
        has_left = intake.gone or (intake.over and intake.hand.is_empty())
        return has_left and not intake.in_client

    def _run(self) -> None:
        rests = now_s()
        while not self._over.wait(_ROUND_S):
            self.forgive(now_s() - rests)
            self.look()
            rests = now_s()
