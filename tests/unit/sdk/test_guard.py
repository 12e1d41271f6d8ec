"""The guard of a member: when it speaks, and when it is silent."""

import io
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
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
from trimtab.guard import Watch, stand
from trimtab.guarding import FAREWELL, Guard
from trimtab.holdings import Holdings, Post
from trimtab.options import read_profile
from trimtab.protocol import HolderRef, Leave, Release
from trimtab.session import Profile

HELD = Holdings(GROUP, "m", MINE, (HolderRef(*queue(), 3, 4),))


class Pipe:
    """A pipe to a guard in a thread of its own, and what the guard came to."""

    def __init__(self, post: Post, kafka: MemoryTransport) -> None:
        read, self.end = os.pipe()
        self.answers: list[bool] = []
        self._reader = os.fdopen(read, "rb")
        self._guard = threading.Thread(target=self._stand, args=(post, kafka))
        self._guard.start()

    def close(self, last: bytes = b"") -> bool:
        """Say this, and be gone; return what the guard has come to."""
        os.write(self.end, last)
        os.close(self.end)
        self._guard.join(WAIT_S)
        (answer,) = self.answers
        return answer

    def _stand(self, post: Post, kafka: MemoryTransport) -> None:
        with self._reader as reader:
            self.answers.append(stand(post, kafka, Watch(reader)))


def a_post(folder: Path, **other: Any) -> Post:  # noqa: ANN401 - fields of all types
    """A guard's place, with its file in a folder."""
    told: dict[str, Any] = {
        "servers": "nowhere:1",
        "prefix": "trimtab.",
        "client": None,
        "kafka": {},
        "group": GROUP,
        "patience_ms": 200,
        "path": str(folder / "holdings"),
    }
    return Post(**told | other)


def test_it_releases_what_the_file_names_when_the_pipe_closes(
    tmp_path: Path, kafka: MemoryTransport
) -> None:
    """The file as it is by then; the leave comes last."""
    pipe = Pipe(a_post(tmp_path), kafka)
    (tmp_path / "holdings").write_bytes(HELD.written())

    assert pipe.close()
    release, leave = kafka.sent
    assert isinstance(release, Release)
    assert isinstance(leave, Leave)
    assert ("guard", [(*queue(), 3, None, 4)]) == (release.by, [(*it,) for it in release.queues])
    assert kafka.closed


def test_it_says_nothing_after_a_farewell(tmp_path: Path, kafka: MemoryTransport) -> None:
    """The member has ended in good order, whatever the file still says."""
    (tmp_path / "holdings").write_bytes(HELD.written())

    assert Pipe(a_post(tmp_path), kafka).close(FAREWELL)
    assert [] == kafka.sent


def test_it_says_nothing_of_a_member_that_never_joined(
    tmp_path: Path, kafka: MemoryTransport
) -> None:
    """There is no file."""
    assert Pipe(a_post(tmp_path), kafka).close()
    assert [] == kafka.sent


def test_it_connects_later_if_it_cannot_at_first(tmp_path: Path, kafka: MemoryTransport) -> None:
    """Kafka is away, and the member dies meanwhile: there is still some time."""
    (tmp_path / "holdings").write_bytes(HELD.written())
    kafka.reachable = False
    pipe = Pipe(a_post(tmp_path, patience_ms=10_000), kafka)
    threading.Timer(0.2, setattr, (kafka, "reachable", True)).start()

    assert pipe.close()
    assert 2 == len(kafka.sent)


class Told(Guard):
    """The member's side of a guard, without the process."""

    def __init__(self) -> None:
        self.kept: list[Holdings] = []
        self.heard: list[tuple[str, tuple[Grant, ...]]] = []
        self.dismissed = False

    def start(self) -> None:
        """There is none."""

    def keep(self, holdings: Holdings) -> None:
        """Note what is held."""
        if self.kept[-1:] != [holdings]:
            self.kept.append(holdings)

    def dismiss(self) -> None:
        """Note the farewell."""
        self.dismissed = True

    def named(self) -> list[tuple[int, int, int | None]]:
        """What was kept last, in short."""
        return [(it.id, it.epoch, it.next) for it in self.kept[-1].rows] if self.kept else []


@pytest.fixture
def guard() -> Told:
    """A guard that is only told."""
    return Told()


@pytest.fixture
def engine(kafka: MemoryTransport, application: Application, guard: Told) -> Iterator[Engine]:
    """A member under that guard."""

    def begin(grants: tuple[Grant, ...]) -> None:
        assert {it.queue for it in grants} <= {it.queue for it in guard.kept[-1].rows}
        application.on_assigned(grants)

    profile: Profile = read_profile({"group": GROUP, "topics": ["orders"], "member_id": "m"})
    calls = Callbacks(begin, application.on_revoked, application.on_lost, application.on_error)
    engine = Engine(profile, kafka, calls, guard)
    engine.start()
    yield engine
    engine.stop(0)
    assert engine.join(WAIT_S)


def test_the_file_names_what_is_worked_on_before_the_application_hears(
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
    assert [(0, 1, 4)] in [[(it.id, it.epoch, it.next) for it in each.rows] for each in guard.kept]


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

    engine = Engine(
        read_profile({"group": GROUP, "topics": ["orders"]}), kafka, Callbacks(fail), guard
    )
    engine.start()
    kafka.assign(1, hold=[(0, 1, 2)])
    assert engine.join(WAIT_S)

    assert ([], False) == (guard.named(), guard.dismissed)


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


def test_it_is_dismissed_in_good_order_and_leaves_nothing(tmp_path: Path) -> None:
    """A real process, without a Kafka: it ends at once, and so does its file."""
    guard = Guard(a_post(tmp_path, servers="127.0.0.1:1"))
    guard.start()
    guard.keep(HELD)
    folder = Path(guard._post.path).parent  # noqa: SLF001 - nobody else needs to know where
    assert HELD == Holdings.read((folder / "holdings").read_bytes())
    guard.dismiss()

    assert (0, False) == (guard._process and guard._process.wait(0), folder.exists())  # noqa: SLF001 - as above


def test_a_guard_that_has_ended_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The member works on without it."""
    monkeypatch.setattr(guarding, "_COMMAND", (sys.executable, "-c", "raise SystemExit(3)"))
    guard = Guard(a_post(tmp_path))
    guard.start()
    assert guard._process is not None  # noqa: SLF001 - nobody else waits for it
    guard._process.wait(WAIT_S)  # noqa: SLF001 - as above

    with pytest.raises(GuardError, match="the guard has ended, with exit code 3"):
        guard.keep(HELD)
    guard.keep(HELD)  # said once
    guard.dismiss()


def test_a_file_that_cannot_be_written_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it still says is of the past: true of a dead process, but not all of it."""
    monkeypatch.setattr(guarding, "_COMMAND", (sys.executable, "-c", "input()"))
    guard = Guard(a_post(tmp_path))
    guard.start()
    shutil.rmtree(Path(guard._post.path).parent)  # noqa: SLF001 - nobody else needs to know where

    with pytest.raises(GuardError, match="the guard cannot be told what is held"):
        guard.keep(HELD)
    guard.dismiss()


def test_a_pipe_that_is_empty_is_over() -> None:
    """Nothing was said, so it is no good order."""
    watch = Watch(io.BytesIO())

    assert (True, False) == (watch.is_over(WAIT_S), watch.in_good_order)
