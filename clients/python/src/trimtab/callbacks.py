"""The application's callbacks, and the one thread that runs them.

They run one at a time, in the order of the session's actions, and never on the thread that beats:
an `on_revoked` that takes a minute delays no heartbeat. A callback that is still running cannot be
interrupted; `Member.assignment` says what the member may work on meanwhile.
"""

import inspect
import logging
import sys
import sysconfig
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Final, NamedTuple

from trimtab.clock import now_ms
from trimtab.errors import CallbackError, ConfigurationError, SlowCallbackError
from trimtab.protocol import QueueRef
from trimtab.session import Assigned, Grant, Lost, Revoked

Positions = Mapping[QueueRef, int | None]
Change = Assigned | Revoked | Lost


class Ownership(NamedTuple):
    """Which grants are valid at this moment: worked on, or not yet released."""

    grants: frozenset[Grant]
    until: float
    """When to ask again at the latest, by `trimtab.clock.now_s`."""
    life: str
    """The incarnation of the member that has them."""
    promised: tuple[QueueRef, ...] = ()
    """Queues that it may begin at any moment, as an heir."""
    finish_by: float | None = None
    """When the first of them that is revoked must be finished, or all is lost; None: none is."""


Owned = Callable[[Collection[Grant]], Ownership]
"""Answers for some grants."""

_LOGGER: Final = logging.getLogger("trimtab")
_NAMES: Final = {Assigned: "on_assigned", Revoked: "on_revoked", Lost: "on_lost"}
_OURS: Final = str(Path(__file__).parent)
_PYTHONS: Final = sysconfig.get_paths()["stdlib"]


def mistaken(error: BaseException) -> CallbackError:
    """Log what a callback has raised, and return the end of its member."""
    _LOGGER.error("a callback failed", exc_info=error)
    failure = CallbackError(f"a callback failed: {error!r}")
    failure.__cause__ = error
    return failure


@dataclass(frozen=True, slots=True)
class Callbacks:
    """What an application wants to be told. All are optional."""

    on_assigned: Callable[[tuple[Grant, ...]], object] | None = None
    on_revoked: Callable[[tuple[Grant, ...]], Positions | None] | None = None
    on_lost: Callable[[tuple[Grant, ...]], object] | None = None
    on_error: Callable[[Exception], object] | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be called, or would only be awaited."""
        for name in self.__slots__:
            callback = getattr(self, name)
            if callback is not None and not callable(callback):
                raise ConfigurationError(f"{name}: {callback!r} cannot be called")
            if inspect.iscoroutinefunction(callback):
                raise ConfigurationError(f"{name}: a coroutine needs `trimtab.aio.Member`")


@dataclass(frozen=True, slots=True)
class Running:
    """A callback at work."""

    name: str
    since: int
    """On the clock of `trimtab.clock`."""
    thread: int

    def place(self) -> str:
        """Where it is: the innermost line that is neither ours nor Python's own."""
        frame = sys._current_frames().get(self.thread)  # noqa: SLF001 - as faulthandler does
        while frame is not None:
            file = frame.f_code.co_filename
            is_pythons = file.startswith(_PYTHONS) and "-packages" not in file
            if not is_pythons and not file.startswith(_OURS):
                return f" ({frame.f_code.co_name}, {file}:{frame.f_lineno})"
            frame = frame.f_back
        return ""


class CallbackThread:
    """Runs callbacks in order; tells its owner what was finished and what failed."""

    def __init__(
        self,
        callbacks: Callbacks,
        owned: Owned,
        finished: Callable[[Mapping[Grant, int | None]], None],
        failed: Callable[[CallbackError], None],
    ) -> None:
        self._callbacks = callbacks
        self._owned = owned
        self._finished = finished
        self._failed = failed
        self._queue: SimpleQueue[Change | Exception | None] = SimpleQueue()
        self._running: Running | None = None
        self._untold: set[Grant] = set()
        """Those that were lost before they were told: that is not told either."""
        self._thread = threading.Thread(target=self._run, name="trimtab-callbacks", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def tell(self, news: Change | Exception) -> None:
        """Have a callback run as soon as the earlier ones are done."""
        if isinstance(news, SlowCallbackError):  # they are not done: whoever waits reads the log
            _LOGGER.warning("%s", news)
        self._queue.put(news)

    def running(self) -> Running | None:
        """The callback that runs at this moment."""
        return self._running

    def finish(self) -> None:
        """End once everything that was told has been heard."""
        self._queue.put(None)

    def is_current(self) -> bool:
        """Whether it is a callback that asks."""
        return threading.current_thread() is self._thread

    def join(self, timeout: float) -> bool:
        """Wait for the end; tell whether it has come."""
        if self._thread.ident is not None:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (news := self._queue.get()) is not None:
            self._running = Running(
                _NAMES.get(type(news), "on_error"), now_ms(), threading.get_ident()
            )
            try:
                self._call(news)
            except BaseException as error:  # noqa: BLE001 - whatever ends this thread, ends the member
                self._failed(mistaken(error))
            finally:
                self._running = None

    def _call(self, news: Change | Exception) -> None:
        calls = self._callbacks
        match news:
            case Assigned(grants):
                owned = self._owned(grants).grants
                self._untold.update(it for it in grants if it not in owned)
                mine = tuple(it for it in grants if it in owned)
                if mine and calls.on_assigned is not None:
                    calls.on_assigned(mine)
            case Revoked(grants):
                self._revoke(grants)
            case Lost(grants, reason):
                lost = "1 queue" if len(grants) == 1 else f"{len(grants)} queues"
                _LOGGER.warning("lost %s: %s", lost, reason)
                known = tuple(it for it in grants if it not in self._untold)
                self._untold.difference_update(grants)
                if known and calls.on_lost is not None:
                    calls.on_lost(known)
            case Exception():
                self._report(news)

    def _revoke(self, grants: Collection[Grant]) -> None:
        """Tell of those that are owned still: what was lost before it had its turn is told so."""
        owned = self._owned(grants).grants
        if mine := tuple(it for it in grants if it in owned):
            calls = self._callbacks
            positions = calls.on_revoked(mine) if calls.on_revoked is not None else None
            known = positions or {}
            self._finished({grant: known.get(grant.queue) for grant in mine})

    def _report(self, error: Exception) -> None:
        if self._callbacks.on_error is not None:
            self._callbacks.on_error(error)
        elif not isinstance(error, SlowCallbackError):  # logged when there was need
            _LOGGER.warning("%s", error)
