"""Two faults never meet at one member, however long one takes."""

from pathlib import Path
from types import SimpleNamespace

from chaos.faults import Fault, Kind
from chaos.history import Recorder
from chaos.injector import Injector

ALL = (3, 1, 0, 2)


class Fleet:
    """Notes what is done to members."""

    def __init__(self) -> None:
        self.said: list[tuple[str, int]] = []

    def look(self) -> None:
        """Nobody ends by himself."""

    def kill(self, number: int) -> None:
        """One ends."""
        self.said.append(("kill", number))

    def leave(self, number: int) -> None:
        """It does so in good order."""
        self.said.append(("leave", number))

    def start(self, number: int) -> None:
        """One begins."""
        self.said.append(("start", number))


def test_a_member_is_started_once_for_each_time_that_it_ends(tmp_path: Path) -> None:
    """Else there were two of one name, and nobody would know of the second."""
    fleet, record = Fleet(), Recorder(tmp_path / "round.events", "round")
    broker, controller = SimpleNamespace(), SimpleNamespace(look=lambda: None)
    injector = Injector(broker, controller, fleet, {}, record)  # type: ignore[arg-type]  # as much as is asked
    kill, roll = Fault(0, Kind.KILL, 0.1, (0,)), Fault(0, Kind.ROLLING, 0.02, ALL)

    injector.inject((kill, roll, kill, roll))

    ends, starts = fleet.said[::2], fleet.said[1::2]
    assert {"start"} == {what for what, _ in starts}
    assert [who for _, who in ends] == [who for _, who in starts]
    assert 10 == len(starts)
