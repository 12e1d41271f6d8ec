"""The member's side of its guard: what that is told and when, and what if there is none."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.builders.application import ONE, WAIT_S, Application, releases, until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP, MINE, queue
from trimtab import ConfigurationError, Grant, Member, guarding
from trimtab.callbacks import Callbacks
from trimtab.engine import Engine
from trimtab.errors import GuardError
from trimtab.guard_lines import ADDRESS, Post
from trimtab.guarding import Guard
from trimtab.holdings import Holdings
from trimtab.options import Options, make_guard, read_profile
from trimtab.protocol import HolderRef
from trimtab.session import Profile

POST = Post(servers="127.0.0.1:1", group=GROUP)


def holding(queues: int = 1) -> Holdings:
    """So many queues."""
    rows = tuple(HolderRef(*queue(it), 3, 4) for it in range(queues))
    return Holdings(member="m", incarnation=MINE, queues=rows)


class Told(Guard):
    """The member's side of a guard, without the process."""

    def __init__(self, *, stands: bool = True) -> None:
        self.kept: list[Holdings] = []
        self.dismissed = False
        self._stands = stands

    def start(self, report: Callable[[GuardError], object]) -> bool:
        """There is none."""
        if not self._stands:
            report(GuardError("there is none"))
        return self._stands

    def has_spoken(self) -> bool:
        """It says nothing."""
        return False

    def keep(self, holdings: Holdings) -> None:
        """Note what is held."""
        if self.kept[-1:] != [holdings]:
            self.kept.append(holdings)

    def dismiss(self) -> None:
        """Note the farewell."""
        self.dismissed = True

    def named(self) -> list[tuple[int, int, int | None]]:
        """What was kept last, in short."""
        return named(self.kept[-1]) if self.kept else []


def named(holdings: Holdings) -> list[tuple[int, int, int | None]]:
    """Each queue, its epoch and the next."""
    return [(it.id, it.epoch, it.next) for it in holdings.queues]


@pytest.fixture
def guard() -> Told:
    """A guard that is only told."""
    return Told()


def engine_of(kafka: MemoryTransport, calls: Callbacks, guard: Guard) -> Engine:
    """A member under a guard."""
    profile: Profile = read_profile({"group": GROUP, "topics": ["orders"], "member_id": "m"})
    return Engine(profile, kafka, calls, guard)


@pytest.fixture
def engine(kafka: MemoryTransport, application: Application, guard: Told) -> Iterator[Engine]:
    """A member under that guard."""

    def begin(grants: tuple[Grant, ...]) -> None:
        assert {it.queue for it in grants} <= {it.queue for it in guard.kept[-1].queues}
        application.on_assigned(grants)

    calls = Callbacks(begin, application.on_revoked, application.on_lost, application.on_error)
    engine = engine_of(kafka, calls, guard)
    engine.start()
    yield engine
    engine.stop(0)
    assert engine.join(WAIT_S)


def test_the_guard_knows_what_is_worked_on_before_the_application_hears(
    engine: Engine, kafka: MemoryTransport, application: Application, guard: Told
) -> None:
    """And what comes next, also when only that has changed; until Kafka has the release."""
    kafka.assign(1, hold=[(0, 1, 2)])
    until(lambda: application.told("assigned") == [(ONE,)])
    assert [(0, 1, 2)] == guard.named()
    kafka.assign(2, hold=[(0, 1, 3)])
    until(lambda: guard.named() == [(0, 1, 3)])
    kafka.assign(3, give=[(0, 1, 4)])
    until(lambda: guard.named() == [])

    assert (1, None) == (len(releases(kafka)), engine.failure)
    assert [(0, 1, 4)] in list(map(named, guard.kept))


def test_a_member_that_leaves_in_good_order_says_farewell(
    engine: Engine, kafka: MemoryTransport, guard: Told
) -> None:
    """There is nothing to guard any more."""
    kafka.assign(1, hold=[(0, 1, 2)])
    until(engine.working)
    engine.stop(1_000)

    assert engine.join(WAIT_S)
    assert guard.dismissed


def test_a_member_that_fails_is_guarded_until_its_process_ends(
    kafka: MemoryTransport, guard: Told
) -> None:
    """Whether its application has stopped is not known before that."""

    def fail(_: tuple[Grant, ...]) -> None:
        raise ValueError

    engine = engine_of(kafka, Callbacks(fail), guard)
    engine.start()
    kafka.assign(1, hold=[(0, 1, 2)])
    assert engine.join(WAIT_S)

    assert ([], False) == (guard.named(), guard.dismissed)


@pytest.mark.parametrize("stands", [True, False])
def test_a_member_says_when_it_joins_whether_it_is_guarded(
    kafka: MemoryTransport, application: Application, *, stands: bool
) -> None:
    """Whoever looks at the group sees it; without one, the member works all the same."""
    calls = Callbacks(on_error=application.on_error)
    engine = engine_of(kafka, calls, Told(stands=stands))
    engine.start()
    join = kafka.joined()
    kafka.assign(1, hold=[(0, 1, 2)])
    until(engine.working)
    engine.stop(0)
    assert engine.join(WAIT_S)

    assert (stands or None, not stands) == (join.guarded, bool(application.told("error")))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"guard": "yes"}, "guard: 'yes' is neither"),
        ({"guard": True, "transport": MemoryTransport()}, "guard: it needs bootstrap_servers"),
        ({"guard": True, "kafka": {"client.id": object()}}, "kafka: a guard cannot be told"),
    ],
)
def test_a_guard_that_cannot_stand_is_refused(options: dict[str, Any], message: str) -> None:
    """At once, and not when it would be needed."""
    with pytest.raises(ConfigurationError) as refusal:
        Member("nowhere:1", group=GROUP, topics=["orders"], **options)

    assert str(refusal.value).startswith(message)


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
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        listener.listen()
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
    assert "kafka: a guard cannot be told this" in str(heard)


def test_a_guard_that_is_not_there_is_reported_and_cleared_up_after(tmp_path: Path) -> None:
    """It was killed, and its supervisor, too."""
    folder, heard = tmp_path / "folder", list[GuardError]()
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(folder / "socket"))

    assert not Guard(POST, str(folder / "socket")).start(heard.append)
    assert ("nobody stands in for this member" in str(heard), False) == (True, folder.exists())


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
    until(guard.has_spoken)
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

    assert ("nobody stands in" in str(heard), False) == (True, guard.has_spoken())


def test_a_guard_that_does_not_hear_what_is_held_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would name the wrong heirs."""
    monkeypatch.setattr(guarding, "_SAY_S", 0.1)
    heard: list[GuardError] = []
    guard = started(heard)
    os.kill(process_of(guard).pid, signal.SIGSTOP)
    guard.keep(holding(50_000))

    assert "the guard does not hear" in str(heard)
    assert -signal.SIGKILL == process_of(guard).wait(WAIT_S)


def test_nothing_is_told_before_the_guard_watches(tmp_path: Path) -> None:
    """It could not know of the death."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        listener.listen()
        guard = Guard(POST, str(tmp_path / "socket"))
        assert guard.start(print)
        guard.keep(holding())
        theirs, _ = listener.accept()
        with theirs:
            assert 1 == theirs.recv(65_536).count(b"\n")
            theirs.sendall(b'{"kind": "welcome", "pid": 1}\n')
            guard.keep(holding())
            assert b'"hold"' in theirs.recv(65_536)
            guard.dismiss()
