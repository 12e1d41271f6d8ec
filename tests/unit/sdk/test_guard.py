"""The guard's process: who is guarded, who is dead, and when it may end."""

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.builders import stranger
from tests.builders.application import WAIT_S, until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP, MINE
from trimtab import ConfigurationError, guard
from trimtab.guard_lines import ADDRESS, Ended, Farewell, Listen, line_of
from trimtab.protocol import Leave, Release

Process = subprocess.Popen[str]


class Guarded:
    """A guard in a thread of its own, the supervisor's end of it, and a Kafka for each member."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self._kafkas: dict[str, MemoryTransport] = {}
        self.supervisor, theirs = socket.socketpair()
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(folder / "socket"))
        listener.listen()
        self._processes: list[Process] = []
        self._thread = threading.Thread(target=guard.Guard(theirs).serve)
        self._thread.start()
        self.tell(Listen(file=listener.detach(), folder=str(folder)))

    def choose(self, _client: object, servers: str, *_: object) -> MemoryTransport:
        """Make a Kafka for one member, as `transports.choose`."""
        if servers == "refused":
            raise ConfigurationError("no Kafka client is installed")
        if servers == "broken":
            raise KeyError(servers)
        return self.kafka(servers)

    def kafka(self, name: str) -> MemoryTransport:
        """Return a member's Kafka."""
        return self._kafkas.setdefault(name, MemoryTransport())

    def tell(self, what: Listen | Ended) -> None:
        """Say something, as the supervisor."""
        self.supervisor.sendall(line_of(what))

    def member(self, how: str, *names: str) -> Process:
        """Start a process with these members, and wait until they are guarded."""
        command = [sys.executable, "-IS", stranger.__file__]
        environment = os.environ | {ADDRESS: str(self.folder / "socket")}
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self._processes.append(process)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([said_by(name) for name in names]) + f"\n{how}\n")
        process.stdin.flush()
        assert process.stdout.readline() == "held\n"
        return process

    def said_of(self, name: str) -> list[tuple[str, str | None]]:
        """Wait until it has left; return who has said what of a member."""
        kafka = self.kafka(name)
        until(lambda: any(isinstance(it, Leave) for it in kafka.sent))
        return [(it.kind, it.by if isinstance(it, Release) else None) for it in kafka.sent]

    def ends(self) -> bool:
        """Tell whether it ends by itself."""
        self._thread.join(WAIT_S)
        return not self._thread.is_alive()

    def close(self) -> None:
        """End all that is left."""
        self.supervisor.close()
        for process in self._processes:
            process.kill()
            process.communicate()
        assert self.ends()


def said_by(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A member's post, and what it holds."""
    held = [{"topic": "orders", "queues": [[0, 3, 4]]}]
    post = {"servers": name, "group": GROUP, "patience_ms": 10_000}
    return post, {"member": name, "incarnation": MINE, "queues": {"queues": held}}


SPOKEN = [("release", "guard"), ("leave", None)]


@pytest.fixture
def guarded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Guarded]:
    """A guard for any number of processes."""
    it = Guarded(tmp_path / "folder")
    monkeypatch.setattr(guard, "choose", it.choose)
    yield it
    it.close()


@pytest.mark.parametrize("death", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_all_members_of_a_dead_process_are_spoken_for(guarded: Guarded, death: int) -> None:
    """Each has said what it holds, and is written for by itself; the others live on."""
    process = guarded.member("", "a", "b")
    guarded.member("", "c")
    process.send_signal(death)

    assert (SPOKEN, SPOKEN) == (guarded.said_of("a"), guarded.said_of("b"))
    assert [] == guarded.kafka("c").sent


def test_who_has_inherited_the_connection_does_not_matter(guarded: Guarded) -> None:
    """A child made by `fork` lives on, and holds it open."""
    process = guarded.member("fork", "a")
    process.kill()

    assert SPOKEN == guarded.said_of("a")


def test_a_closed_connection_is_no_death(guarded: Guarded) -> None:
    """Whether its process has stopped its work is known when that is dead."""
    process = guarded.member("close", "a")
    guarded.member("", "b").kill()
    assert SPOKEN == guarded.said_of("b")  # by now the guard has seen the other one close

    assert [] == guarded.kafka("a").sent
    process.kill()
    assert SPOKEN == guarded.said_of("a")


def test_where_no_process_can_be_watched_the_connection_tells(
    guarded: Guarded, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On other systems than Linux."""
    monkeypatch.delattr(os, "pidfd_open")
    guarded.member("", "a").kill()

    assert SPOKEN == guarded.said_of("a")


def test_who_is_in_another_container_is_not_guarded(
    guarded: Guarded, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may close its connection and work on, or not be able to end the guard."""
    with monkeypatch.context() as other, socket.socket(socket.AF_UNIX) as connection:
        other.setattr("trimtab.other_end._pid_of", lambda _: 0)
        connection.connect(str(guarded.folder / "socket"))
        for kind, it in zip(("post", "hold"), said_by("a"), strict=True):
            connection.sendall(json.dumps({"kind": kind, **it}).encode() + b"\n")
        assert "refused" == json.loads(connection.recv(4_096))["kind"]
    guarded.member("", "b").kill()
    assert SPOKEN == guarded.said_of("b")  # by now the guard has seen the other one close

    assert [] == guarded.kafka("a").sent


def test_the_supervisor_knows_the_death_of_its_command(
    guarded: Guarded, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where no process can be watched, and a child holds the connection."""
    monkeypatch.delattr(os, "pidfd_open")
    process = guarded.member("fork", "a")
    process.kill()
    process.wait()
    assert [] == guarded.kafka("a").sent
    guarded.tell(Ended(pid=process.pid, last=False))

    assert SPOKEN == guarded.said_of("a")


@pytest.mark.parametrize("how", ["farewell", "garbage"])
def test_nothing_is_said_of_who_does_not_want_it_or_cannot_be_understood(
    guarded: Guarded, how: str
) -> None:
    """After a farewell, or a line that cannot be read: half of it might name the wrong heir."""
    guarded.member(how, "a").kill()
    guarded.member("", "b").kill()

    assert SPOKEN == guarded.said_of("b")
    assert [] == guarded.kafka("a").sent


def test_who_cannot_be_guarded_is_told_and_harms_nobody(guarded: Guarded) -> None:
    """Its Kafka client is not installed here, for example."""
    guarded.member("", "refused").kill()
    guarded.member("", "b").kill()

    assert SPOKEN == guarded.said_of("b")


def test_who_is_not_guarded_for_whatever_reason_is_told(guarded: Guarded) -> None:
    """Also if it is a mistake of a client's: the member would believe that it is guarded."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(guarded.folder / "socket"))
    post, _ = said_by("broken")
    connection.sendall(json.dumps({"kind": "post", **post}).encode() + b"\n")
    connection.settimeout(WAIT_S)
    with connection, connection.makefile() as lines:
        try:
            said = [json.loads(lines.readline()) for _ in range(2)]
        finally:
            connection.sendall(line_of(Farewell()))

    assert ["welcome", "refused"] == [it["kind"] for it in said]
    assert "KeyError('broken')" == said[1]["reason"]


def test_a_member_is_no_supervisor(guarded: Guarded) -> None:
    """Nobody else can end the guard of others."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(guarded.folder / "socket"))
        connection.sendall(line_of(Ended(pid=1, last=True)))

        assert "only the supervisor" in json.loads(connection.recv(4_096))["reason"]
    guarded.member("", "a")


def test_the_supervisor_is_let_go_when_all_is_said_of_the_dead(guarded: Guarded) -> None:
    """Those that live are guarded for as long as they do; then the folder goes."""
    command, daemon = guarded.member("", "a"), guarded.member("", "b")
    command.kill()
    command.wait()
    guarded.tell(Ended(pid=command.pid, last=False))
    assert guarded.supervisor.recv(1) == b""

    assert SPOKEN == guarded.said_of("a")
    assert [] == guarded.kafka("b").sent
    daemon.kill()
    assert SPOKEN == guarded.said_of("b")
    assert guarded.ends()
    assert not guarded.folder.exists()


def test_who_would_die_with_a_container_dies_while_it_is_guarded(guarded: Guarded) -> None:
    """Its first process ends: the system would kill the others, and the guard beside them."""
    command, other = guarded.member("", "a"), guarded.member("", "b")
    command.kill()
    command.wait()
    guarded.tell(Ended(pid=command.pid, last=True))

    assert guarded.ends()
    assert (SPOKEN, SPOKEN) == (guarded.said_of("a"), guarded.said_of("b"))
    assert -signal.SIGKILL == other.wait(WAIT_S)


def test_it_outlives_its_supervisor(guarded: Guarded) -> None:
    """Members that live are guarded; nobody new is."""
    process = guarded.member("", "a")
    guarded.supervisor.close()
    until(lambda: not is_listening(guarded.folder / "socket"))
    process.kill()

    assert SPOKEN == guarded.said_of("a")
    assert guarded.ends()
    assert not guarded.folder.exists()


def test_one_that_is_full_lets_in_who_waits_when_there_is_room(
    guarded: Guarded, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says so once, and does not try without a rest."""
    accept, tries, is_full = socket.socket.accept, list[float](), [True]

    def try_to(listener: socket.socket) -> tuple[socket.socket, object]:
        tries.append(time.monotonic())
        if is_full:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return accept(listener)

    monkeypatch.setattr(guard, "_REST_S", 0.2)
    monkeypatch.setattr(socket.socket, "accept", try_to)
    with socket.socket(socket.AF_UNIX) as newcomer:
        newcomer.connect(str(guarded.folder / "socket"))
        until(lambda: len(tries) > 2)
        assert tries[2] - tries[0] > 0.3
    is_full.clear()
    guarded.member("", "a").kill()

    assert SPOKEN == guarded.said_of("a")
    assert 1 == capsys.readouterr().err.count("trimtab-guard: it is full (Too many open files)")


def is_listening(address: Path) -> bool:
    """Whether somebody takes connections."""
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(str(address)) == 0
