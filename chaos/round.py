"""A round: members at work, faults, and the rest after them; then the checks.

Each round has a group and a topic of its own, and is drawn from one seed. What members work on is
given (`on_kafka`, `on_rocketmq`). Used by the command and by tests in `tests/integration`. Whatever
comes, the history has what it did.
"""

import time
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from chaos.checks import REST_S
from chaos.faults import KAFKA, Kind, drawn
from chaos.fleet import MEMBERS, Fleet
from chaos.history import History, Recorder
from chaos.injector import Injector, Ways
from chaos.installation import Installation
from chaos.vigil import Vigil
from console.errors import Failure

QUEUES: Final = 8
RATE: Final = 100
"""Messages in a second: two cores are enough for that, and a moment without an owner shows."""
SESSION_S: Final = 10
_READY_S: Final = 60.0
_LONGEST_REST_S: Final = REST_S + 30.0
"""After which it is of no use to wait: the check fails anyway."""
_LOOK_S: Final = 0.5


@dataclass(frozen=True)
class Round:
    """What is to happen."""

    seed: int
    seconds: float
    kinds: Collection[Kind] = KAFKA

    @property
    def name(self) -> str:
        """Of its group, its topic and its folder."""
        return f"chaos-{self.seed}"


class Work(Protocol):
    """What members work on in a round."""

    @property
    def fleet(self) -> Fleet:
        """Who works on it."""
        ...

    @property
    def further(self) -> Mapping[Kind, Ways]:
        """How the faults are done that are its own."""
        ...

    @property
    def lines(self) -> int:
        """How many lines there are that faults of members' lines may hit."""
        ...

    @property
    def queues(self) -> int:
        """How many there are by now."""
        ...

    def owned(self) -> int:
        """How many have an owner."""
        ...

    def heal(self) -> None:
        """The faults are over; this is called before the round says so."""
        ...

    def rests(self) -> bool:
        """Whether all that was acknowledged has had its effect, and all own all queues."""
        ...

    def conclude(self) -> History:
        """All members have left: return what has happened."""
        ...


WorkOn = Callable[[Round, Installation, Path, Recorder], AbstractContextManager[Work]]
"""Has members at work while the ``with`` block lasts; the path is where the history is."""


def play(it: Round, installation: Installation, work_on: WorkOn, home: Path) -> History:
    """Play a round, and return what happened; it is in the folder as well."""
    home.mkdir(parents=True, exist_ok=True)
    broker, controller = installation
    with ExitStack() as stack:
        record = stack.enter_context(closing(Recorder(home / "round.events", "round")))
        work = stack.enter_context(work_on(it, installation, home, record))
        fleet, vigil = work.fleet, Vigil(controller, record)
        looks = (fleet.look, vigil.look)
        if not _wait(lambda: work.owned() == work.queues, _READY_S, looks):
            raise Failure(f"of {work.queues} queues {work.owned()} have an owner after a minute")
        injector = Injector(broker, vigil, fleet, work.further, record)
        injector.inject(drawn(it.seed, it.seconds, MEMBERS, it.kinds, work.lines))
        vigil.revive()
        fleet.complete()
        work.heal()
        record.add("healed")
        rests = _wait(work.rests, _LONGEST_REST_S, looks)
        record.add("rested" if rests else "restless", number=work.queues)
        for number in range(MEMBERS):
            fleet.tell_to_leave(number)
        for number in range(MEMBERS):
            fleet.wait_for_end(number)
        vigil.revive()
        return work.conclude()


def _wait(
    condition: Callable[[], bool], seconds: float, looks: Collection[Callable[[], None]]
) -> bool:
    """Wait until something is true, and say whether it came true."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        for look in looks:
            look()
        time.sleep(_LOOK_S)
    return True
