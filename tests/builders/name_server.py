"""A name server of RocketMQ that answers whatever number it is asked by.

Used by the tests of ``name_server`` and of the route watcher. One caller at a time asks it, as one
controller asks.
"""

import json
import socket
import struct
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final

from streaming.feeds.name_server import GET_BROKER_CLUSTER_INFO, GET_ROUTEINFO_BY_TOPIC

KNOWN: Final = (
    b'{"brokerAddrTable":{"broker-b":{"brokerAddrs":{0:"127.0.0.1:1"},"brokerName":"broker-b",'
    b'"cluster":"c"}},"clusterAddrTable":{"c":["broker-b"]}}'
)
"""What it says of its brokers."""
NONE_KNOWN: Final = b'{"brokerAddrTable":{},"clusterAddrTable":{}}'
"""What it says before they have registered with it."""
NO_SUCH_TOPIC: Final = 17
_LENGTHS: Final = 8


@contextmanager
def answering(
    routes: Mapping[str, bytes], known: bytes = KNOWN, port: int = 0
) -> Iterator[tuple[str, int]]:
    """One that has these routes, and of all other topics says that they do not exist."""
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", port)) as listening:
        callers: list[socket.socket] = []

        def serve() -> None:
            while not ended.is_set():
                with suppress(OSError):
                    callers.append(listening.accept()[0])
                    _serve(callers[-1], routes, known)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listening.getsockname()
        finally:
            ended.set()
            for open_one in (listening, *callers):
                with suppress(OSError):  # the caller has gone
                    open_one.shutdown(socket.SHUT_RDWR)
            thread.join()
            for caller in callers:
                caller.close()


def _serve(caller: socket.socket, routes: Mapping[str, bytes], known: bytes) -> None:
    with caller.makefile("rb") as coming:
        while lengths := coming.read(_LENGTHS):
            asked = json.loads(coming.read(struct.unpack(">II", lengths)[1]))
            body: bytes | None = known
            if asked["code"] == GET_ROUTEINFO_BY_TOPIC:
                body = routes.get(asked["extFields"]["topic"])
            else:
                assert asked["code"] == GET_BROKER_CLUSTER_INFO
            code = NO_SUCH_TOPIC if body is None else 0
            caller.sendall(framed(body or b"", asked["opaque"], code))


def framed(body: bytes, opaque: int = 1, code: int = 0) -> bytes:
    """An answer."""
    header = json.dumps({"code": code, "opaque": opaque}).encode()
    return struct.pack(">II", 4 + len(header) + len(body), len(header)) + header + body
