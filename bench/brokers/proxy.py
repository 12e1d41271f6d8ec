"""A proxy before a broker: it passes everything on, and delays, holds up or cuts as it is told.

A thread with a loop of its own. Only what clients see is hurt; brokers talk to each other by
another listener. What is passed keeps its order, and a delay does not make the line narrower: ten
answers that are late by a second are all late by one second.

Run by ``run`` here, and by chaos for each member. Its one rule: it looks at no byte.
"""

import asyncio
import socket
import threading
from contextlib import suppress
from typing import Final, Self

from console.embedded.broker_files import LOOPBACK

_CHUNK: Final = 64 * 1024
Chunks = asyncio.Queue[tuple[float, bytes]]
"""What has come, and when it is due; nothing is the end."""


class Proxy:
    """Passes on while the ``with`` block runs; ``port`` 0 is any one, taken from the start."""

    def __init__(self, port: int, target: int) -> None:
        self.delay_s = 0.0
        """Of each answer that comes from now on."""
        self.asking_delay_s = 0.0
        """Of each request."""
        self._target = target
        self._listening = socket.create_server((LOOPBACK, port))
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)
        self._ready = threading.Event()
        self._passing = asyncio.Event()
        self._passing.set()
        self._cut = False
        self._ends = set[asyncio.StreamWriter]()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._listening.getsockname()[1])

    def cut(self) -> None:
        """Break all connections, and each new one, until `mend`."""
        self._loop.call_soon_threadsafe(self._break)

    def stall(self) -> None:
        """Keep all connections, and pass nothing on until `mend`; then it arrives."""
        self._loop.call_soon_threadsafe(self._passing.clear)

    def mend(self) -> None:
        """Pass everything on again, at once."""
        self.delay_s = self.asking_delay_s = 0.0
        self._loop.call_soon_threadsafe(self._mend)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            asyncio.start_server(self._accept, sock=self._listening)
        )
        self._ready.set()
        self._loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    def _break(self) -> None:
        self._cut = True
        for end in self._ends:
            end.transport.abort()

    def _mend(self) -> None:
        self._cut = False
        self._passing.set()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._cut:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection(LOOPBACK, self._target)
        except OSError:
            writer.close()
            return
        ends = {writer, far_writer}
        self._ends |= ends
        questions, answers = Chunks(), Chunks()
        hearing = [
            asyncio.create_task(self._hear(reader, questions, asking=True)),
            asyncio.create_task(self._hear(far_reader, answers, asking=False)),
        ]
        telling = [
            asyncio.create_task(self._tell(questions, far_writer)),
            asyncio.create_task(self._tell(answers, writer)),
        ]
        with suppress(asyncio.CancelledError):  # the proxy closes
            await asyncio.wait(telling, return_when=asyncio.FIRST_COMPLETED)
        for way in (*hearing, *telling):
            way.cancel()
        self._ends -= ends
        for end in ends:
            end.close()

    async def _hear(self, reader: asyncio.StreamReader, chunks: Chunks, *, asking: bool) -> None:
        chunk = b"."
        while chunk:
            try:
                chunk = await reader.read(_CHUNK)
            except OSError:
                chunk = b""
            delay_s = self.asking_delay_s if asking else self.delay_s
            chunks.put_nowait((self._loop.time() + delay_s, chunk))

    async def _tell(self, chunks: Chunks, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while True:
                due, chunk = await chunks.get()
                await asyncio.sleep(max(0.0, due - self._loop.time()))
                await self._passing.wait()
                if not chunk:
                    return
                writer.write(chunk)
                await writer.drain()
