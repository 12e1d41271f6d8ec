"""The standby: a controller that is ready, follows another one, and takes over when that is gone.

It follows what is published, ticks, and what controllers say of themselves (``activity``). It
decides nothing, and opens no checkpoint. Its turn comes when the active controller says that it has
ended, when nobody ticks for two intervals although Kafka answers (``silence``), or when an operator
asks for it and all is ready. It also comes when the active one has said for a minute that its query
fails, while the same works here. Then it announces its start like any other controller
(``takeover``). One that was only frozen reads that when it wakes, and ends.

Nobody else ends one that ticks: what is slow, or waits for Kafka, would be no quicker here.

Run by ``standing_by``. Its one rule: it writes nothing but its status before its turn.
"""

from collections.abc import Callable
from threading import Event
from typing import Final

from streaming.feeds.feed import logger
from streaming.options import Options
from streaming.process.readiness import stand_by
from streaming.startup.activity import Activity
from streaming.startup.delivery import StartWriter
from streaming.startup.reading import Following
from streaming.startup.takeover import announce, announcing, give_time
from trimtab.protocol import Controller, HandOver, Tick

_NAME: Final = "standby"


class NameTaken(Exception):  # noqa: N818 - it names what happened
    """The active controller is called the same."""


class Standby:
    """Follows until its turn comes.

    Args:
        options: Which controller.
        stop: Set when it should end.
        is_fit: Looked at again and again; tells whether all is ready, and raises what it finds.
        would_do: Tells whether it would do better than one that fails.
    """

    def __init__(
        self,
        options: Options,
        stop: Event,
        is_fit: Callable[[], bool],
        would_do: Callable[[], bool],
    ) -> None:
        self._options, self._stop, self._is_fit, self._would_do = options, stop, is_fit, would_do
        self._log = logger(_NAME)
        self._activity = Activity(options, _NAME, stop)
        self.asked: str | None = None
        """Which operator wants it, and why; or what the active one says of itself."""
        self.has_relieved = False
        """Whether its turn came because the active one fails."""

    def wait(self) -> Following | None:
        """Wait for its turn; return what it has read of what is published. None: it is to stop.

        Raises:
            NameTaken: It needs a name of its own.
        """
        self._log.info("standing by")
        following = Following(self._options)
        while not self._stop.is_set():
            following.go_on()
            self._listen()
            if (is_fit := self._is_fit()) and self._activity.is_read:
                stand_by(self._options.home)
            if (cause := (self.asked if is_fit else None) or self._activity.over()) is not None:
                self._log.info("taking over", cause=cause, active=self._activity.last)
                return following
        following.close()
        self._activity.close()
        return None

    def take_over(self, start: str, writer: StartWriter) -> tuple[int, ...]:
        """Say in every partition that this controller starts, and let the other one end.

        Returns:
            At which offsets it said so.

        Raises:
            Undelivered: Kafka did not take it.
        """
        with announcing(self._stop):
            starts = announce(self._options, start, writer)
            give_time(self._activity, self._stop)
        self._activity.close()
        return starts

    def _listen(self) -> None:
        name = self._options.name
        for record in self._activity.listen():
            if isinstance(record, Tick) and record.controller == name:
                raise NameTaken(
                    f"controller.name is {name}, and so is the active controller's: give the "
                    "standby another name"
                )
            if isinstance(record, HandOver) and record.controller == name:
                self.asked = f"{record.principal} asked for it: {record.reason}"
            if isinstance(record, Controller) and record.failures:
                self._relieve()

    def _relieve(self) -> None:
        """Take over from an active controller that fails, if this one would do better."""
        cause = self._activity.failing()
        if cause is not None and self._is_fit() and self._would_do():
            self.asked, self.has_relieved = cause, True
