"""When a client looks for the brokers of queues that may come."""

import pytest

from tests.builders.sessions import queue
from trimtab.consuming.contract import Ends, RefusedError
from trimtab.consuming.leaders import Leaders
from trimtab.consuming.offsets import GroupOffsets
from trimtab.protocol import QueueRef


class Offsets(GroupOffsets):
    """Answers, or does not, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[list[QueueRef]] = []
        self.answers = True

    def touch(self, queues: list[QueueRef], timeout_s: float) -> Ends:
        """Answer."""
        assert 0 < timeout_s < 1, "nothing is read meanwhile"
        self.asked.append(queues)
        if not self.answers:
            return Ends({}, RefusedError(TimeoutError("no leader")))
        return Ends(dict.fromkeys(queues, 0))


@pytest.fixture
def offsets() -> Offsets:
    """What it asks."""
    return Offsets()


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What time it is."""
    time = [0.0]
    monkeypatch.setattr("trimtab.consuming.leaders.now_s", lambda: time[0])
    return time


@pytest.mark.parametrize(("answers", "lasts_s"), [(True, 240.0), (False, 10.0)])
def test_a_queue_is_asked_for_once_and_again_after_a_while(
    offsets: Offsets, now: list[float], *, answers: bool, lasts_s: float
) -> None:
    """Before brokers close what is idle; and a failure is no reason to ask all the time."""
    offsets.answers = answers
    leaders = Leaders(offsets)
    for at in (0.0, 1.0, lasts_s - 1, lasts_s):
        now[0] = at
        leaders.find([queue(0)])

    assert 2 * [[queue(0)]] == offsets.asked


def test_only_what_is_not_known_is_asked_for(offsets: Offsets, now: list[float]) -> None:
    """A promise more is one question for one queue."""
    leaders = Leaders(offsets)
    leaders.find([queue(0)])
    now[0] = 1.0
    leaders.find([queue(0), queue(1)])
    leaders.find([])

    assert [[queue(0)], [queue(1)]] == offsets.asked
