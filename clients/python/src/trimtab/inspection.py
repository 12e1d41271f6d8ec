"""Asking Kafka beside a member's work: in the background, at the start and then seldom.

An answer may take seconds, and beats must not wait for it. So each round of questions has a thread
of its own, which ends with it. Used by `watching`. Its one rule: one round at a time, and no
answer is better than a wrong one.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Final

from trimtab.transports.inspector import Inspector, LastTick, Subscriber

_LOGGER: Final = logging.getLogger("trimtab")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What was found; None: not known."""

    subscribers: tuple[Subscriber, ...] | None
    absent: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Controllers:
    """Whether a controller is there."""

    last_tick: LastTick | None


Found = Surroundings | Controllers


class Inspection:
    """One member's questions, and the answers that have come."""

    def __init__(self, inspector: Inspector) -> None:
        self.inspector = inspector
        self._found: SimpleQueue[Found] = SimpleQueue()
        self._thread: threading.Thread | None = None

    @property
    def is_asking(self) -> bool:
        """Whether a round is under way."""
        return self._thread is not None and self._thread.is_alive()

    def look_around(self, group: str, topics: Sequence[str], *, alone: bool) -> None:
        """Ask which of the topics are not there, and, if it is to be alone, who subscribes."""

        def ask() -> Surroundings:
            subscribers = self.inspector.subscribers(group) if alone else None
            absent = self.inspector.absent(topics) if topics else frozenset()
            return Surroundings(subscribers, absent)

        self._begin(ask)

    def look_for_controllers(self, group: str) -> None:
        """Ask when a controller last ticked."""
        self._begin(lambda: Controllers(self.inspector.last_tick(group)))

    def answers(self) -> list[Found]:
        """Those that have come since."""
        answers: list[Found] = []
        try:
            while True:
                answers.append(self._found.get_nowait())
        except Empty:
            return answers

    def _begin(self, ask: Callable[[], Found]) -> None:
        if self.is_asking:
            return

        def run() -> None:
            try:
                self._found.put(ask())
            except BaseException:  # an `oauth_cb` may be cancelled, or exit
                _LOGGER.exception("what surrounds the member is not known")

        self._thread = threading.Thread(target=run, name="trimtab-inspection", daemon=True)
        self._thread.start()
