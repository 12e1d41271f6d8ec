"""Who watches is told that no controller is at work, whatever the clock here says."""

import json

import pytest

from console import at_work
from console.at_work import AtWork
from console.errors import Away, Failure
from console.published import Published
from console.settings import load
from trimtab.protocol import Controller
from trimtab.protocol.controllers import Role

START_MS = 1_767_225_600_000
SAID = Controller.model_validate_json(json.dumps(Controller.model_json_schema()["examples"][0]))
GONE = "no controller is at work here"


class Installation:
    """A controller that speaks each five seconds, until it stops; and two clocks."""

    def __init__(self) -> None:
        self.now_ms = START_MS
        self.off_ms = 0
        """How far the clock here is ahead of the brokers'."""
        self.stopped_ms: int | None = None
        self.role: Role = "active"
        self.failures: int | None = None
        self.failure: Failure | None = None
        self.others: list[tuple[int, Controller]] = []
        """What those have said last that say nothing any more."""

    def monotonic(self) -> float:
        """Tell what passes."""
        return self.now_ms / 1_000

    def time_ns(self) -> int:
        """Tell the time as it is thought to be here."""
        return (self.now_ms + self.off_ms) * 1_000_000

    def controllers(self) -> list[tuple[int, Controller]]:
        """Return the last word."""
        if self.failure is not None:
            raise self.failure
        last_ms = self.now_ms if self.stopped_ms is None else self.stopped_ms
        said = SAID.model_copy(update={"role": self.role, "failures": self.failures})
        return [(last_ms - last_ms % 5_000, said), *self.others]


@pytest.fixture
def installation(monkeypatch: pytest.MonkeyPatch) -> Installation:
    """One whose controller works."""
    it = Installation()
    monkeypatch.setattr(at_work, "time", it)
    monkeypatch.setattr(Published, "controllers", lambda _: it.controllers())
    return it


@pytest.fixture
def watcher(installation: Installation) -> AtWork:
    """Who looks at it."""
    del installation  # is looked at
    settings = load(key_values=["kafka.bootstrap_servers=nowhere:1"], environment={}).settings
    return AtWork(Published(settings))


def text_of(watcher: AtWork) -> str:
    """What is said to who watches."""
    remark = watcher.remark()
    return "" if remark is None else remark.text


def looks(watcher: AtWork, installation: Installation, seconds: int) -> list[bool]:
    """Look every two seconds; whether it was said each time that none is at work."""
    found = []
    for _ in range(seconds // 2):
        found.append(GONE in text_of(watcher))
        installation.now_ms += 2_000
    return found


@pytest.mark.parametrize("off_s", [-3_600, 0, 3_600])
def test_one_that_works_is_not_accused_for_long(
    watcher: AtWork, installation: Installation, off_s: int
) -> None:
    """A clock that is an hour ahead does it at first, until the next word."""
    installation.off_ms = off_s * 1_000

    accused = looks(watcher, installation, 60)

    assert not any(accused[4:])
    assert (off_s > 0) == any(accused)


@pytest.mark.parametrize("off_s", [-3_600, 0, 3_600])
def test_one_that_dies_is_missed(watcher: AtWork, installation: Installation, off_s: int) -> None:
    """After three words that did not come; and no more when it is back."""
    installation.off_ms = off_s * 1_000
    looks(watcher, installation, 20)
    installation.stopped_ms = installation.now_ms
    missed = looks(watcher, installation, 40)
    installation.stopped_ms = None

    assert (False, True) == (missed[4], missed[-1])
    assert sorted(missed) == missed
    assert [False] * 5 == looks(watcher, installation, 10)


def test_one_that_was_dead_before_is_missed_at_once(
    watcher: AtWork, installation: Installation
) -> None:
    """By the clock; where that is behind, after a while."""
    installation.stopped_ms = START_MS - 60_000

    assert "none has said so for 60 s" in text_of(watcher)


def test_it_is_another_remark_if_more_than_the_time_is_another(
    watcher: AtWork, installation: Installation
) -> None:
    """Who is told once must hear that one that fails is gone, but not again each second."""
    about = []
    installation.failures = 3
    for _ in range(30):
        remark = watcher.remark()
        assert remark is not None
        about.append(remark.about)
        installation.stopped_ms = START_MS
        installation.now_ms += 2_000

    assert 2 == len({*about})
    assert sorted(about, key=about.index) == about


def test_where_the_clock_is_behind_it_is_missed_after_a_while(
    watcher: AtWork, installation: Installation
) -> None:
    """Its last word is of the future then, and stays the last one."""
    installation.stopped_ms, installation.off_ms = START_MS - 60_000, -3_600_000

    missed = looks(watcher, installation, 20)

    assert (False, True) == (missed[0], missed[-1])


def test_one_that_has_ended_is_missed(watcher: AtWork, installation: Installation) -> None:
    """It says so itself."""
    installation.role = "ended"

    assert all(looks(watcher, installation, 10))


@pytest.mark.parametrize("role", ["active", "ended"])
def test_who_works_is_not_accused_for_a_dead_word_of_the_future(
    watcher: AtWork, installation: Installation, role: Role
) -> None:
    """A broker's clock was an hour ahead for a while: its times tell nothing of another one's."""
    dead = SAID.model_copy(update={"controller": "old", "role": role})
    installation.others = [(START_MS + 3_600_000, dead)]
    accused = looks(watcher, installation, 60)
    installation.stopped_ms = installation.now_ms
    missed = looks(watcher, installation, 40)

    assert not any(accused)
    assert (False, True) == (missed[4], missed[-1])


def test_one_that_fails_is_not_passed_off_as_at_work(
    watcher: AtWork, installation: Installation
) -> None:
    """It says so each five seconds, and decides nothing."""
    installation.failures = 3
    assert "its query fails" in text_of(watcher)

    installation.failures = None
    assert watcher.remark() is None


def test_what_is_not_known_is_said(watcher: AtWork, installation: Installation) -> None:
    """Without the right to look, or while Kafka does not answer: the view was read all the same."""
    installation.failure = Failure("no right to Read topic controllers")
    assert "is not known: no right" in text_of(watcher)

    installation.failure = Away("Kafka is away")
    assert "is not known: Kafka is away" in text_of(watcher)
