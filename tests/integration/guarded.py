"""A process that holds members, and the guard beside it, as the system shows them."""

import time
from contextlib import suppress
from pathlib import Path

from bench.departures.supervised import commands, offspring

PATIENCE_S = 30.0
TELL_S = 1.0
"""For a member to tell its guard what it holds: it does so at once when the guard is there."""
ESTABLISHED = "01"
"""Of a connection, in /proc/net/tcp."""


def guard_of(pid: int) -> int:
    """Its guard."""
    (guard,) = {*offspring(pid)} - {*commands(pid)}
    return guard


def await_guard(pid: int, members: int = 1) -> None:
    """Wait until its guard has gone to Kafka for each member, and knows what they hold.

    It is younger than they are, and on a busy machine by seconds.
    """
    deadline = time.monotonic() + PATIENCE_S
    while connections(guard_of(pid)) < members:
        assert time.monotonic() < deadline, "the guard does not connect"
        time.sleep(0.05)
    time.sleep(TELL_S)


def connections(pid: int) -> int:
    """How many TCP connections a process has."""
    rows = [it.split() for it in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    rows += [it.split() for it in Path("/proc/net/tcp6").read_text().splitlines()[1:]]
    sockets = {f"socket:[{it[9]}]" for it in rows if it[3] == ESTABLISHED}
    count = 0
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # it was closed in between
            count += str(file.readlink()) in sockets
    return count
