"""Who is at the other end of a guard's connection: of our container, or not.

What the system says is made up here: not every machine lets a test make a container.
"""

import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from trimtab.other_end import OtherEnd


def says(of_it: str, of_us: str, us: int = 0) -> Callable[[str], object]:
    """Stand in for /proc: what it says of both processes, and which one it takes us for."""

    def status(path: str) -> object:
        said = of_us if path == "/proc/self/status" else of_it
        return SimpleNamespace(
            read_bytes=f"Name:\tpython\n{said}Threads:\t1\n".encode,
            readlink=lambda: Path(str(us or os.getpid())),
        )

    return status


def fails(_: object) -> object:
    """Stand in for a guard that can open no file more."""
    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


@pytest.mark.parametrize(
    ("name", "fake", "reason"),
    [
        ("Path", Path, None),
        ("Path", says("NSpid:\t90\t7\n", "NSpid:\t80\t2\n"), None),
        ("Path", says("", ""), None),  # an old kernel
        ("_pid_of", lambda _: 0, "another container,"),  # we are within its, or beside it
        ("Path", says("NSpid:\t90\t7\n", "NSpid:\t80\n"), "another container,"),
        ("Path", lambda _: Path("/nowhere"), "No such file"),
        ("Path", fails, "Too many open files"),
        ("Path", says("NSpid:\t90\n", "NSpid:\t80\t2\n", us=80), "--mount-proc"),
    ],
    ids=[
        "as it is",
        "both within",
        "unsaid",
        "unseen",
        "within ours",
        "unknown",
        "full",
        "another's /proc",
    ],
)
def test_who_counts_processes_by_itself_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, fake: object, reason: str | None
) -> None:
    """In a container within ours our number is another process's: it could not end us by that.

    It is told so only if it is so: other causes want something else done.
    """
    ours, theirs = socket.socketpair()
    with monkeypatch.context() as system, ours, theirs:
        end = OtherEnd(ours)
        assert os.getpid() == end.pid
        system.setattr(f"trimtab.other_end.{name}", fake)

        refusal = OtherEnd(ours).refusal()

    if reason is None:
        assert refusal is None
    else:
        assert refusal is not None
        assert reason in refusal
