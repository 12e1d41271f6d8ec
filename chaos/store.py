"""The store: where members have their effects, fenced by the token of a queue's owner.

As a database with a token beside each effect: an effect under a lower token than the highest so far
is refused. It is a server in the round's process, so a member that is frozen holds no lock.
"""

import socketserver
import threading
from collections import defaultdict
from pathlib import Path
from typing import Self

from chaos.history import Recorder
from console.embedded.broker_files import LOOPBACK


class Store:
    """Answers while the ``with`` block runs."""

    def __init__(self, home: Path) -> None:
        self.effects: set[int] = set()
        """The numbers of all messages that have had one."""
        self._highest = defaultdict[int, int](int)
        self._record = Recorder(home / "store.events", "store")
        self._lock = threading.Lock()
        self._server = _Server((LOOPBACK, 0), _Line)
        self._server.store = self
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    def take(self, who: str, queue: int, token: int, offset: int, number: int) -> bool:
        """Have an effect, or refuse it."""
        with self._lock:
            taken = token >= self._highest[queue]
            if taken:
                self._highest[queue] = token
                self.effects.add(number)
            event = {"queue": queue, "token": token, "offset": offset, "number": number}
            self._record.add("effect" if taken else "refused", who, **event)
            return taken

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._record.close()


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    store: Store


class _Line(socketserver.StreamRequestHandler):
    """One member's connection: a line for each effect."""

    def handle(self) -> None:
        assert isinstance(self.server, _Server)
        try:
            for line in self.rfile:
                who, *numbers = line.decode().split()
                queue, token, offset, number = map(int, numbers)
                taken = self.server.store.take(who, queue, token, offset, number)
                self.wfile.write(b"1\n" if taken else b"0\n")
        except ConnectionError:
            return  # the member was killed
