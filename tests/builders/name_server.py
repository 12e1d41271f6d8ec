"""A name server of RocketMQ that answers whatever number it is asked by, and a broker in one.

Used by the tests of ``name_server``, of the route watcher and of ``consumer_lists``. One caller at
a time asks it, as one controller asks.
"""

import json
import socket
import struct
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final

from streaming.feeds.consumer_lists import GET_CONSUMER_LIST_BY_GROUP
from streaming.feeds.name_server import GET_BROKER_CLUSTER_INFO, GET_ROUTEINFO_BY_TOPIC

KNOWN: Final = (
    b'{"brokerAddrTable":{"broker-b":{"brokerAddrs":{0:"127.0.0.1:1"},"brokerName":"broker-b",'
    b'"cluster":"c"}},"clusterAddrTable":{"c":["broker-b"]}}'
)
"""What it says of its brokers."""
NONE_KNOWN: Final = b'{"brokerAddrTable":{},"clusterAddrTable":{}}'
"""What it says before they have registered with it."""
NO_SUCH_TOPIC: Final = 17
NO_SUCH_GROUP: Final = 1
NOTHING: Final[Mapping[str, bytes]] = {}
_LENGTHS: Final = 8


@contextmanager
def answering(
    routes: Mapping[str, bytes],
    known: bytes = KNOWN,
    port: int = 0,
    consumers: Mapping[str, bytes] = NOTHING,
    pause_s: float = 0.0,
) -> Iterator[tuple[str, int]]:
    """One that has these routes and consumers of groups, and says that all others do not exist.

    It takes so long for each answer.
    """
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", port)) as listening:
        callers: list[socket.socket] = []

        def serve() -> None:
            while not ended.is_set():
                with suppress(OSError):
                    callers.append(listening.accept()[0])
                    _serve(callers[-1], routes, known, consumers, pause_s)

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


def _serve(
    caller: socket.socket,
    routes: Mapping[str, bytes],
    known: bytes,
    consumers: Mapping[str, bytes],
    pause_s: float,
) -> None:
    with caller.makefile("rb") as coming:
        while lengths := coming.read(_LENGTHS):
            asked = json.loads(coming.read(struct.unpack(">II", lengths)[1]))
            code, fields = asked["code"], asked["extFields"]
            body: bytes | None = known
            missing = NO_SUCH_TOPIC
            if code == GET_ROUTEINFO_BY_TOPIC:
                body = routes.get(fields["topic"])
            elif code == GET_CONSUMER_LIST_BY_GROUP:
                body, missing = consumers.get(fields["consumerGroup"]), NO_SUCH_GROUP
            else:
                assert code == GET_BROKER_CLUSTER_INFO
            said = missing if body is None else 0
            time.sleep(pause_s)
            caller.sendall(framed(body or b"", asked["opaque"], said))


def framed(body: bytes, opaque: int = 1, code: int = 0) -> bytes:
    """An answer."""
    header = json.dumps({"code": code, "opaque": opaque}).encode()
    return struct.pack(">II", 4 + len(header) + len(body), len(header)) + header + body
