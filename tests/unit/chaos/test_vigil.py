"""A controller that ends by itself is noticed, whatever the round does to it afterwards."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from chaos.checks import deaths
from chaos.faults import Fault, Kind
from chaos.fleet import Fleet
from chaos.history import History, Recorder, read
from chaos.injector import Injector, Ways
from chaos.installation import Broker, Installation
from chaos.round import Round, play
from chaos.vigil import Vigil

KILLED = Fault(0, Kind.CONTROLLER_KILLED, 0, ())
FROZEN = Fault(0, Kind.CONTROLLER_FROZEN, 0, ())
NO_PID = 2**22 + 1
"""More than any process has."""


@dataclass
class Controller:
    """One that is said to run."""

    is_running: bool = True
    prefix: str = "t."
    pid: int = NO_PID

    def last_words(self) -> str:
        """How it ended."""
        return "exit code 7"

    def start(self) -> None:
        """It comes up at once."""
        self.is_running, self.pid = True, self.pid + 1

    def kill(self) -> None:
        """Nobody says so if it is dead already."""
        self.is_running = False


class Nobody(Fleet):
    """Members that come and go without a process."""

    def __init__(self) -> None:
        """There are none."""
        self.members = []

    def tell_to_leave(self, number: int) -> None:
        """Nobody hears this."""

    def wait_for_end(self, number: int) -> None:
        """Nobody is waited for."""

    def look(self) -> None:
        """Nobody has ended."""


@dataclass
class Work:
    """Work that rests, or does what a test says."""

    home: Path
    rests: Callable[[], bool] = lambda: True
    fleet: Fleet = field(default_factory=Nobody)
    further: dict[Kind, Ways] = field(default_factory=dict)
    lines: int = 4
    queues: int = 0

    def owned(self) -> int:
        """None are there, and all have an owner."""
        return 0

    def heal(self) -> None:
        """There is nothing to stop."""

    def conclude(self) -> History:
        """Read what was written."""
        return read(self.home)


def vigil(home: Path, controller: Controller) -> tuple[Injector, Vigil]:
    """What does faults to a controller, and who looks."""
    record = Recorder(home / "round.events", "round")
    looking = Vigil(controller, record)
    return Injector(Broker(None), looking, Nobody(), {}, record), looking  # type: ignore[arg-type]  # not asked


@pytest.mark.parametrize("fault", [KILLED, FROZEN])
def test_it_had_ended_before_something_was_done_to_it(fault: Fault, tmp_path: Path) -> None:
    """It is started after that, and all is as if it had never ended."""
    injector, _ = vigil(tmp_path, Controller(is_running=False))

    injector.inject((fault,))

    assert ["controller died by itself: exit code 7"] == list(deaths(read(tmp_path)))


def test_who_is_killed_has_not_ended_by_itself(tmp_path: Path) -> None:
    """Nor while it starts again; once it has, it may."""
    controller = Controller()
    _, looking = vigil(tmp_path, controller)

    looking.kill()
    looking.look()
    looking.start()
    assert () == read(tmp_path)

    controller.is_running = False
    looking.look()
    looking.look()
    assert 1 == len(list(deaths(read(tmp_path))))


def test_it_ends_when_the_faults_are_over(tmp_path: Path) -> None:
    """Members need none to keep their queues. The next round does, so it is started again."""
    controller = Controller()

    def rests() -> bool:
        controller.is_running = False
        return True

    @contextmanager
    def work_on(_: Round, _2: Installation, home: Path, _3: Recorder) -> Iterator[Work]:
        yield Work(home, rests)

    history = play(Round(1, 0, ()), (Broker(None), controller), work_on, tmp_path)  # type: ignore[arg-type]  # not asked

    assert ["controller died by itself: exit code 7"] == list(deaths(history))
    assert controller.is_running
