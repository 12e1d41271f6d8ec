"""Where the JVM and its Python workers meet: by sockets in a directory, not by TCP.

Over TCP each batch waits 40 ms for an acknowledgement that the kernel delays (Nagle's algorithm
meets delayed ACKs: Spark writes a batch's header and its rows apart). That is a fifth of what an
answer of an idle controller takes. But the name of a socket is short: 103 bytes will do everywhere
(`sun_path` is 104 bytes on macOS, 108 on Linux, and ends in a zero). So a home deep in the file
system may be out of reach, unless it is below where the controller was started.

Used by ``session``. Its one rule: where nobody can meet nobody is sent.
"""

import os
import socket
from pathlib import Path
from typing import Final
from uuid import uuid4

_LONGEST: Final = 103


def meeting_place(directory: Path) -> str | None:
    """Return the shortest name of a directory in which sockets can be made; None: they cannot.

    Only its owner may go in: Spark asks nobody for a password who comes by a socket.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = min(str(directory.absolute()), os.path.relpath(directory), key=len)
    example = os.path.join(name, f".{uuid4()}.sock")  # noqa: PTH118 - as Spark makes it
    if len(os.fsencode(example)) > _LONGEST:
        return None
    try:
        with socket.socket(socket.AF_UNIX) as host, socket.socket(socket.AF_UNIX) as guest:
            host.bind(example)
            host.listen()
            guest.connect(example)
    except (AttributeError, OSError):  # no such sockets on this system, or in this directory
        return None
    finally:
        Path(example).unlink(missing_ok=True)
    return name
