"""A proxy before the bad broker: it passes everything on, and delays answers as it is told.

A thread with a loop of its own. Only what clients see is delayed; brokers talk to each other by
another listener. Answers keep their order, and a delay does not make the line narrower: ten answers
that are late by a second are all late by one second.

Run by ``play``. Its one rule: it looks at no byte.
"""

import asyncio
import threading
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

from console.embedded.broker_files import LOOPBACK

_CHUNK: Final = 64 * 1024


class Proxy:
    """Listens at ``port`` for as long as the ``with`` block runs."""

    def __init__(self, port: int, target: int) -> None:
        self.delay_s = 0.0
        """Of each answer that comes from now on."""
        self._port = port
        self._target = target
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)
        self._ready = threading.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            asyncio.start_server(self._accept, LOOPBACK, self._port)
        )
        self._ready.set()
        self._loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection(LOOPBACK, self._target)
        except OSError:
            writer.close()
            return
        answers: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        ways = [
            asyncio.create_task(self._ask(reader, far_writer)),
            asyncio.create_task(self._hear(far_reader, answers)),
            asyncio.create_task(self._answer(answers, writer)),
        ]
        with suppress(asyncio.CancelledError):  # the proxy closes
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        for end in (writer, far_writer):
            end.close()

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while chunk := await reader.read(_CHUNK):
                writer.write(chunk)
                await writer.drain()

    async def _hear(
        self, reader: asyncio.StreamReader, answers: asyncio.Queue[tuple[float, bytes]]
    ) -> None:
        with suppress(OSError):
            while chunk := await reader.read(_CHUNK):
                answers.put_nowait((self._loop.time() + self.delay_s, chunk))

    async def _answer(
        self, answers: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter
    ) -> None:
        with suppress(OSError):
            while True:
                due, chunk = await answers.get()
                await asyncio.sleep(max(0.0, due - self._loop.time()))
                writer.write(chunk)
                await writer.drain()
