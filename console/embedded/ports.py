"""Find a loopback port for the broker.

A port found free may be taken by somebody else before the broker binds it; whoever starts a broker
on a port of our choice tries again then.
"""

import socket
from contextlib import suppress

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


def _bound(port: int) -> int:
    """Bind ``port`` for a moment and return its number."""
    with socket.socket() as probe:
        # As Java does: a port is not taken because old connections to it linger.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((LOOPBACK, port))
        number: int = probe.getsockname()[1]
        return number
