"""Who is at the other end of a guard's connection: of our container, or not.

What the system says is made up here: not every machine lets a test make a container.
"""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from trimtab.other_end import OtherEnd


def says(of_it: str, of_us: str) -> Callable[[str], object]:
    """Stand in for /proc: what it says of both processes."""

    def status(path: str) -> object:
        said = of_us if path == "/proc/self/status" else of_it
        return SimpleNamespace(read_bytes=f"Name:\tpython\n{said}Threads:\t1\n".encode)

    return status


@pytest.mark.parametrize(
    ("name", "fake", "is_foreign"),
    [
        ("Path", Path, False),
        ("Path", says("NSpid:\t90\t7\n", "NSpid:\t80\t2\n"), False),
        ("Path", says("", ""), False),  # an old kernel
        ("_pid_of", lambda _: 0, True),  # we are within its container, or beside it
        ("Path", says("NSpid:\t90\t7\n", "NSpid:\t80\n"), True),
        ("Path", lambda _: Path("/nowhere"), True),
    ],
    ids=["as it is", "both within", "unsaid", "unseen", "within ours", "unknown"],
)
def test_who_counts_processes_by_itself_is_foreign(
    monkeypatch: pytest.MonkeyPatch, name: str, fake: object, *, is_foreign: bool
) -> None:
    """In a container within ours our number is another process's: it could not end us by that."""
    ours, theirs = socket.socketpair()
    with monkeypatch.context() as system, ours, theirs:
        end = OtherEnd(ours)
        assert os.getpid() == end.pid
        system.setattr(f"trimtab.other_end.{name}", fake)

        assert is_foreign == OtherEnd(ours).is_foreign
