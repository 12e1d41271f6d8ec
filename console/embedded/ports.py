"""Find loopback ports for the broker.

A port is let go before the broker binds it, and whatever has been given to a connection meanwhile
is taken. So these are ports that no system gives away by itself; each process looks in a part of
them of its own, and gives none away twice. If another program has one all the same, the caller
tries again with another one.
"""

import os
import socket
from contextlib import suppress
from itertools import chain
from typing import Final

from console.embedded.broker_files import LOOPBACK
from console.errors import ExitCode, Failure

PREFERRED_PORT = 19092
"""Where people find the default broker; not 9092, where one of their own may be."""

_FIRST: Final = 20_000
_END: Final = 32_768
"""Linux gives these and higher ones to connections, other systems from 49,152 on."""
_PART: Final = 96
_PARTS: Final = (_END - _FIRST) // _PART
_GIVEN: Final = set[int]()


def choose_port(wanted: int | None) -> int:
    """The port ``wanted``; any free one for 0; for None the preferred one, else any.

    Raises:
        Failure: The port asked for is taken.
    """
    if wanted is None:
        with suppress(OSError):
            return _bound(PREFERRED_PORT)
    if not wanted:
        return _free()
    try:
        return _bound(wanted)
    except OSError as error:
        raise Failure(
            f"port {wanted} is taken: give another one, or 0 for any", ExitCode.USAGE
        ) from error


def choose_ports(count: int) -> list[int]:
    """So many free ports."""
    return [_free() for _ in range(count)]


def _free() -> int:
    own = _FIRST + os.getpid() % _PARTS * _PART
    for port in chain(range(own, _END), range(_FIRST, own)):
        if port not in _GIVEN:
            with suppress(OSError):
                _GIVEN.add(_bound(port))
                return port
    raise Failure(f"no port from {_FIRST} to {_END - 1} is free")


def _bound(port: int) -> int:
    """Bind a port for a moment."""
    with socket.socket() as probe:
        # As Java does: a port is not taken because old connections to it linger.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((LOOPBACK, port))
    return port
