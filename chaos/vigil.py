"""The vigil: whether the controller ends by itself, which it must not, whatever is done to it.

One that the round kills is expected to be away until it is started again; so both are done here.
Used by the round, which looks all the time, and by `injector`.
"""

import os
import signal
import threading

from chaos.history import Recorder
from chaos.installation import Killable


class Vigil:
    """Over one controller, for a round."""

    def __init__(self, controller: Killable, record: Recorder) -> None:
        self._controller, self._record = controller, record
        self._lock = threading.Lock()
        self._is_killed = False
        self._noted = -1
        """The process whose end was written down."""

    def look(self) -> None:
        """Write down that it has ended."""
        with self._lock:
            if not self._is_killed:
                self._note()

    def kill(self) -> None:
        """Kill it, unless it has ended by itself."""
        with self._lock:
            self._note()
            self._is_killed = True
            self._controller.kill()

    def start(self) -> None:
        """Start it again."""
        self._controller.start()
        with self._lock:
            self._is_killed = False

    def signal(self, number: signal.Signals) -> None:
        """Freeze it, or thaw it, unless it has ended."""
        try:
            os.killpg(self._controller.pid, number)
        except ProcessLookupError:
            self.look()

    def revive(self) -> None:
        """Start it if it has ended by itself: what comes after this needs one."""
        self.look()
        if not self._controller.is_running:
            self._controller.start()

    def _note(self) -> None:
        if not self._controller.is_running and self._noted != self._controller.pid:
            self._noted = self._controller.pid
            self._record.add("died", "controller", said=self._controller.last_words())
