"""Find loopback ports for the broker.

Another process may take a free port before the broker binds it; then the caller tries again with
another one. Ports that must differ are drawn together: the system gives a port that was let go to
the next process that asks.
"""

import socket
from collections.abc import Collection
from contextlib import ExitStack, suppress

from console.embedded.broker_files import LOOPBACK
from console.errors import ExitCode, Failure

PREFERRED_PORT = 19092
"""Where people find the default broker; not 9092, where one of their own may be."""


def choose_port(wanted: int | None) -> int:
    """The port ``wanted``; any free one for 0; for None the preferred one, else any.

    Raises:
        Failure: The port asked for is taken.
    """
    if wanted is None:
        with suppress(OSError):
            return _bound(PREFERRED_PORT)
        return _bound(0)
    try:
        return _bound(wanted)
    except OSError as error:
        raise Failure(
            f"port {wanted} is taken: give another one, or 0 for any", ExitCode.USAGE
        ) from error


def choose_ports(count: int, besides: Collection[int] = ()) -> list[int]:
    """So many free ports, all different from each other and from those in ``besides``."""
    with ExitStack() as held:
        found = [_bind(held.enter_context(socket.socket()), 0) for _ in range(count + len(besides))]
    return [port for port in found if port not in besides][:count]


def _bound(port: int) -> int:
    """Bind ``port`` for a moment and return its number."""
    with socket.socket() as probe:
        return _bind(probe, port)


def _bind(probe: socket.socket, port: int) -> int:
    # As Java does: a port is not taken because old connections to it linger.
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    probe.bind((LOOPBACK, port))
    number: int = probe.getsockname()[1]
    return number
