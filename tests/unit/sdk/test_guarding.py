"""The member's side of its guard: which one it takes, and what becomes of it without."""

import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.builders.application import WAIT_S, until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP, MINE, queue
from trimtab import ConfigurationError, Member, guarding
from trimtab.errors import GuardError
from trimtab.guard_lines import ADDRESS, Post, Refused, Welcome, line_of
from trimtab.guarding import Guard
from trimtab.holdings import Holdings
from trimtab.options import Options, make_guard, read_profile
from trimtab.protocol import HolderRef

POST = Post(servers="127.0.0.1:1", group=GROUP)


@contextmanager
def listening(home: Path) -> Iterator[socket.socket]:
    """A guard's end, at the address that members are told."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home / "socket"))
        listener.listen()
        yield listener


def holding(queues: int = 1) -> Holdings:
    """So many queues."""
    rows = tuple(HolderRef(*queue(it), 3, 4) for it in range(queues))
    return Holdings(member="m", incarnation=MINE, queues=rows)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"guard": "yes"}, "guard: 'yes' is neither"),
        ({"guard": True, "transport": MemoryTransport()}, "guard: it needs bootstrap_servers"),
        (
            {"guard": True, "kafka": {"client.id": object()}},
            "kafka: this option cannot be passed to a guard",
        ),
    ],
)
def test_a_guard_that_cannot_stand_is_refused(options: dict[str, Any], message: str) -> None:
    """At once, and not when it would be needed."""
    with pytest.raises(ConfigurationError) as refusal:
        Member("nowhere:1", group=GROUP, topics=["orders"], **options)

    assert str(refusal.value).startswith(message)


@pytest.mark.slow
def test_nobody_stands_guard_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second process is a choice."""
    monkeypatch.setattr(subprocess, "Popen", None)
    with Member(group=GROUP, topics=["orders"], transport=MemoryTransport()) as member:
        assert member.stop("0s")


@pytest.mark.parametrize(
    ("options", "guarded"),
    [
        (Options(group=GROUP, topics=["orders"]), True),
        (Options(group=GROUP, topics=["orders"], guard=True), True),
        (Options(group=GROUP, topics=["orders"], guard=False), False),
    ],
)
def test_a_member_takes_the_guard_that_it_runs_under(
    options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, guarded: bool
) -> None:
    """By itself, unless it is told not to; it starts no other."""
    monkeypatch.setattr(subprocess, "Popen", None)
    monkeypatch.setenv(ADDRESS, str(tmp_path / "socket"))
    profile = read_profile(options)
    with listening(tmp_path):
        guard = make_guard("nowhere:1", options, profile)
        assert guarded == (guard is not None and guard.start(print))
        if guard is not None:
            guard.dismiss()


def test_what_a_guard_cannot_be_told_is_reported_by_who_has_not_asked_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A program that runs well does not fail because it was put under a guard."""
    monkeypatch.setenv(ADDRESS, "nowhere")
    heard: list[GuardError] = []
    options = Options(group=GROUP, topics=["orders"], kafka={"client.id": object()})
    guard = make_guard("nowhere:1", options, read_profile(options))

    assert guard is not None
    assert not guard.start(heard.append)
    assert "kafka: this option cannot be passed to a guard" in str(heard)


def test_a_guard_that_is_not_there_is_reported_and_cleared_up_after(tmp_path: Path) -> None:
    """It was killed, and its supervisor, too."""
    folder, heard = tmp_path / "folder", list[GuardError]()
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(folder / "socket"))

    assert not Guard(POST, str(folder / "socket")).start(heard.append)
    assert ("This member has no guard" in str(heard), False) == (True, folder.exists())


def test_a_guard_of_another_user_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It guards others; what to do is said."""

    def refuse(_: socket.socket, address: str) -> None:
        raise PermissionError(13, "Permission denied", address)

    monkeypatch.setattr(socket.socket, "connect", refuse)
    (tmp_path / "socket").touch()
    heard: list[GuardError] = []

    assert not Guard(POST, str(tmp_path / "socket")).start(heard.append)
    assert "start trimtab-guard as the user of its command" in str(heard)
    assert (tmp_path / "socket").exists()


def started(heard: list[GuardError]) -> Guard:
    """A real guard, that stands."""
    guard = Guard(POST, None)
    assert guard.start(heard.append)
    until(guard.has_spoken)
    guard.keep(holding())
    return guard


def process_of(guard: Guard) -> "subprocess.Popen[bytes]":
    """Nobody else needs to know it."""
    assert guard._process is not None  # noqa: SLF001 - as it says
    return guard._process  # noqa: SLF001 - as above


def test_it_is_dismissed_in_good_order() -> None:
    """A real process, without a Kafka: it ends at once."""
    heard: list[GuardError] = []
    guard = started(heard)
    guard.dismiss()

    assert ([], 0) == (heard, process_of(guard).wait(0))


def test_a_guard_that_has_ended_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once; the member works on without it."""
    monkeypatch.setattr(guarding, "_COMMAND", (sys.executable, "-c", "raise SystemExit(3)"))
    heard: list[GuardError] = []
    guard = Guard(POST, None)
    guard.start(heard.append)
    until(lambda: heard or guard.has_spoken())  # it may end before it is told anything
    guard.keep(holding())
    guard.keep(holding(2))
    guard.dismiss()

    (error,) = heard
    assert str(error).startswith("the guard has ended, with exit code 3")


def test_a_guard_that_is_killed_is_noticed_without_any_change() -> None:
    """Its end of the connection closes."""
    heard: list[GuardError] = []
    guard = started(heard)
    process_of(guard).kill()
    until(guard.has_spoken)
    guard.keep(holding())  # as before

    assert ("this member has no guard" in str(heard), False) == (True, guard.has_spoken())


def test_a_guard_that_does_not_hear_what_is_held_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would name the wrong heirs."""
    monkeypatch.setattr(guarding, "_SAY_S", 0.1)
    heard: list[GuardError] = []
    guard = started(heard)
    os.kill(process_of(guard).pid, signal.SIGSTOP)
    guard.keep(holding(50_000))

    assert "the guard does not hear" in str(heard)
    assert -signal.SIGKILL == process_of(guard).wait(WAIT_S)


def test_what_is_no_guard_is_not_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the guard is in another container, its number is another process's here."""
    monkeypatch.setattr(guarding, "_SAY_S", 0.1)
    heard: list[GuardError] = []
    with (
        listening(tmp_path) as listener,
        subprocess.Popen([sys.executable, "-IS", "-c", "input()"], stdin=subprocess.PIPE) as other,
    ):
        guard = Guard(POST, str(tmp_path / "socket"))
        assert guard.start(heard.append)
        theirs, _ = listener.accept()
        with theirs:
            theirs.sendall(line_of(Welcome(pid=other.pid)))
            guard.keep(holding(50_000))

        assert ("does not hear" in str(heard), None) == (True, other.poll())
        other.communicate(b"over\n")


@pytest.mark.parametrize(
    ("before", "told"),
    [
        (b"", "the guard says what cannot be read"),
        (line_of(Refused(reason="played")), "the guard refuses: played: this member has no guard"),
    ],
)
def test_a_guard_that_cannot_be_understood_is_reported(
    tmp_path: Path, before: bytes, told: str
) -> None:
    """It may be of another version; the member works on without it. A refusal is its reason."""
    heard: list[GuardError] = []
    with listening(tmp_path) as listener:
        guard = Guard(POST, str(tmp_path / "socket"))
        assert guard.start(heard.append)
        theirs, _ = listener.accept()
        with theirs:
            theirs.sendall(before + b'{"kind": "greeting"}\n')
            guard.keep(holding())
            guard.keep(holding(2))

    assert [told] == [str(it).partition(" (")[0] for it in heard]


def test_nothing_is_told_before_the_guard_watches(tmp_path: Path) -> None:
    """It could not know of the death."""
    with listening(tmp_path) as listener:
        guard = Guard(POST, str(tmp_path / "socket"))
        assert guard.start(print)
        guard.keep(holding())
        theirs, _ = listener.accept()
        with theirs:
            assert 1 == theirs.recv(65_536).count(b"\n")
            theirs.sendall(line_of(Welcome(pid=1)))
            guard.keep(holding())
            assert b'"hold"' in theirs.recv(65_536)
            guard.dismiss()


def test_a_guard_that_does_not_answer_is_reported_and_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full one lets nobody in: the connection stands, and nobody watches. Later it may."""
    monkeypatch.setattr(guarding, "_WELCOME_S", 0.1)
    heard: list[GuardError] = []
    with listening(tmp_path) as listener:
        guard = Guard(POST, str(tmp_path / "socket"))
        assert guard.start(heard.append)
        assert not guard.has_spoken()
        until(guard.has_spoken)
        guard.keep(holding())
        guard.keep(holding(2))
        (told,) = heard
        assert "this member has no guard until it does" in str(told)
        assert not guard.has_spoken()

        theirs, _ = listener.accept()
        with theirs:
            theirs.sendall(line_of(Welcome(pid=1)))
            until(guard.has_spoken)
            guard.keep(holding())
            assert b'"hold"' in theirs.recv(65_536)
        guard.dismiss()


def test_a_guard_may_open_as_many_files_as_the_system_allows() -> None:
    """Whoever has set the lower limit has thought of one program, and not of all that it guards."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 512), hard))
    try:
        guard = started([])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert (hard, hard) == resource.prlimit(process_of(guard).pid, resource.RLIMIT_NOFILE)
    guard.dismiss()
