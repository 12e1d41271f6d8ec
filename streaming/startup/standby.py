"""The standby: a controller that is ready, follows another one, and takes over when that is gone.

It follows what is published, ticks, and what controllers say of themselves (``activity``). It
decides nothing, and opens no checkpoint. Its turn comes when the active controller says that it has
ended, when nobody ticks for two intervals although Kafka answers (``silence``), or when an operator
asks for it. Then it announces its start like any other controller (``takeover``). One that was only
frozen reads that when it wakes, and ends.

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
from streaming.startup.takeover import announce, give_time, say_if_stopped
from trimtab.protocol import HandOver, Tick

_NAME: Final = "standby"


class NameTaken(Exception):  # noqa: N818 - it names what happened
    """The active controller is called the same."""


class Standby:
    """Follows until its turn comes.

    Args:
        options: Which controller.
        is_fit: Looked at again and again; tells whether all is ready, and raises what it finds.
    """

    def __init__(self, options: Options, is_fit: Callable[[], bool]) -> None:
        self._options, self._is_fit = options, is_fit
        self._log = logger(_NAME)
        self._activity = Activity(options, _NAME)
        self._asked: str | None = None
        """Which operator wants it, and why."""

    def wait(self, stop: Event) -> Following | None:
        """Wait for its turn; return what it has read of what is published. None: it is to stop.

        Raises:
            NameTaken: It needs a name of its own.
        """
        self._log.info("standing by")
        following = Following(self._options)
        while not stop.is_set():
            following.go_on()
            self._listen()
            if self._is_fit() and self._activity.is_read:
                stand_by(self._options.home)
            if (cause := self._asked or self._activity.over()) is not None:
                self._log.info("taking over", cause=cause, active=self._activity.last)
                return following
        following.close()
        self._activity.close()
        return None

    def take_over(self, start: str, writer: StartWriter, stop: Event) -> tuple[int, ...]:
        """Say in every partition that this controller starts, and let the other one end.

        Returns:
            At which offsets it said so.

        Raises:
            Undelivered: Kafka did not take it.
        """
        starts = announce(self._options, start, writer)
        give_time(self._activity, stop)
        say_if_stopped(stop)
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
                self._asked = f"{record.principal} asked for it: {record.reason}"
