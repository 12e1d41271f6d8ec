"""What ends a query ends the controller, or does not; the query itself is Spark's."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

import pytest
import structlog
from confluent_kafka import KafkaError, KafkaException
from structlog.testing import capture_logs

from streaming.feeds import FeedFailed
from streaming.process.ending import Ending
from streaming.process.horizon import Horizon
from streaming.process.trouble import Trouble
from streaming.process.wall_clock import WallClock
from streaming.query import QueryFailed, QueryLife
from streaming.startup.activation import Activation
from streaming.startup.checkpoint import CheckpointUnusable
from streaming.startup.delivery import Undelivered
from streaming.startup.losses import NotSurveyed
from streaming.startup.reading import NotReminded

NOTHING: Any = None
LOST = Ending("a worker was lost", passes=True)
TURN = Activation("1-a", (), "", None)


def heard() -> Any:  # noqa: ANN401 - a part of a listener
    """A listener that has heard of no batch."""
    return SimpleNamespace(horizon=Horizon("t.heartbeats"), last_run=None, last_batch=-1)


@dataclass
class Life(QueryLife):
    """A life without Spark: it works as often as it is told to, and ends each time."""

    ending: Ending = LOST
    works: int = 0
    lived: int = 0

    def __post_init__(self) -> None:
        """No session, no checkpoint."""
        self._trouble = Trouble(structlog.get_logger(), "run the query")

    def _live(self, activation: Activation) -> None:
        del activation
        self.lived += 1
        if self.lived <= self.works:
            self._tries.worked()
            self._trouble.over()
        raise QueryFailed(self.ending)


class NoWait(Event):
    """It is never waited for, and is set after so many waits."""

    def __init__(self, waits: int) -> None:
        super().__init__()
        self._left = waits
        self.pauses: list[float | None] = []

    def wait(self, timeout: float | None = None) -> bool:
        """Count."""
        self.pauses.append(timeout)
        self._left -= 1
        if self._left <= 0:
            self.set()
        return self.is_set()


@pytest.fixture(autouse=True)
def _spark_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """A life without Spark is not asked whether Spark has ended."""
    monkeypatch.setattr("streaming.query.has_ended", lambda _: False)


def life(
    *, look: Callable[[], None] = lambda: None, stop: Event | None = None, **more: object
) -> Life:
    """A life on nothing."""
    given = cast("dict[str, Any]", more)
    return Life(NOTHING, NOTHING, NOTHING, heard(), TURN, stop or NoWait(50), look, **given)


def test_what_passes_is_tried_until_it_is_told_to_stop() -> None:
    """It has worked once, so it is tried on; the log has one line."""
    one = life(works=1, stop=NoWait(20))
    with capture_logs() as lines:
        one.run()

    assert (20, 20) == (one.lived, one.listener.horizon.failures)
    assert ["cannot run the query; retrying"] == [line["event"] for line in lines]


def run_on(one: Life, failure: Exception) -> None:
    """Run it; the try that begins fails, and the others go on as they do."""
    lives = one._live  # noqa: SLF001 - a step of the template

    def told(activation: Activation) -> None:
        if one.lived == 1:
            raise failure
        lives(activation)

    one._live = told  # type: ignore[method-assign]  # noqa: SLF001 - a step of the template
    one.run()


@pytest.mark.parametrize(
    ("failure", "pauses"),
    [
        (NotSurveyed("Kafka does not answer"), [2, 2, 2, 2, 2, 2]),
        (NotReminded("Kafka did not say what is published"), [2, 4, 8, 16, 30, 30]),
        (Undelivered("telling failed: Kafka does not answer"), [2, 4, 8, 16, 30, 30]),
    ],
    ids=lambda it: type(it).__name__,
)
def test_only_the_first_question_is_soon_asked_again(failure: Exception, pauses: list[int]) -> None:
    """Who comes further has read what is published, or published it again."""
    stop = NoWait(7)
    one = life(works=1, stop=stop)
    run_on(one, failure)

    assert [1, *pauses] == stop.pauses


@pytest.mark.parametrize(
    ("failure", "own"),
    [
        (QueryFailed(Ending("java.io.IOException: No space left on device", passes=True)), 20),
        (CheckpointUnusable("controller.checkpoint cannot be read"), 20),
        (KafkaException(KafkaError(KafkaError._INVALID_ARG)), 20),  # noqa: SLF001 - a file of this machine
        (QueryFailed(Ending("TimeoutException", passes=True, is_kafkas=True)), 0),
        (NotSurveyed("Kafka does not answer"), 0),
        (Undelivered("telling failed: Kafka does not answer"), 0),
    ],
    ids=str,
)
def test_only_failures_of_its_own_count_for_a_standby(failure: Exception, own: int) -> None:
    """Kafka's would meet it, too, and what failed before it, in the try that worked, is past."""
    one = life(works=1, stop=NoWait(20))
    run_on(one, failure)

    horizon = one.listener.horizon
    assert (own, True) == (horizon.in_a_row, horizon.fails)
    horizon.committed([])
    assert (0, False) == (horizon.in_a_row, horizon.fails)


def test_who_relieves_one_that_fails_tries_on_as_that_did() -> None:
    """Else both would end by turns, and their supervisors would start them more and more rarely."""
    turn = TURN._replace(persists=True)
    one = QueryLife(NOTHING, NOTHING, NOTHING, heard(), turn, NoWait(20), lambda: None)

    def begin(_: Activation) -> Any:  # noqa: ANN401 - never used
        raise QueryFailed(LOST)

    one.begin = begin
    one.run()

    assert 20 == one.listener.horizon.failures


def test_what_does_not_pass_ends_it_at_once() -> None:
    """With its cause, however well it has worked."""
    one = life(works=1, ending=Ending("state of version 9", passes=False))
    with pytest.raises(QueryFailed, match="state of version 9"):
        one.run()

    assert 1 == one.lived


def test_a_permanent_reason_behind_one_that_passes_ends_it() -> None:
    """The first has passed meanwhile; the cause is the last one."""
    one = life(works=1)
    lives = one._live  # noqa: SLF001 - a step of the template

    def told(activation: Activation) -> None:
        if one.lived == 2:
            refused = KafkaException(KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED))
            raise NotSurveyed("could not read topic offsets") from refused
        lives(activation)

    one._live = told  # type: ignore[method-assign]  # noqa: SLF001 - a step of the template
    with pytest.raises(NotSurveyed, match="could not read topic offsets"):
        one.run()

    assert 2 == one.lived


def test_what_never_worked_is_tried_three_times() -> None:
    """A wrong setting is the likelier cause."""
    one = life()
    with pytest.raises(QueryFailed, match="a worker was lost"):
        one.run()

    assert 3 == one.lived


def test_the_end_of_a_feed_is_no_trouble_that_passes() -> None:
    """Also when the query fails with it: nobody would start the feed again."""

    def look() -> None:
        raise FeedFailed("the feed of ticks ended")

    one = life(works=1, look=look)
    with pytest.raises(FeedFailed, match="ticks"):
        one.run()

    assert 1 == one.lived


def test_a_query_that_stops_badly_has_stopped() -> None:
    """Told to, it is no failure, feeds that have ended as well are none, and it retries nothing."""
    stop = Event()

    def look() -> None:
        raise AssertionError("nobody looks any more")

    one = life(look=look, stop=stop, ending=Ending("it did not stop in 20 s", passes=False))
    lives = one._live  # noqa: SLF001 - a step of the template

    def told(activation: Activation) -> None:
        stop.set()
        lives(activation)

    one._live = told  # type: ignore[method-assign]  # noqa: SLF001 - a step of the template
    with capture_logs() as lines:
        one.run()

    assert [("the query did not end well", "info")] == [
        (line["event"], line["log_level"]) for line in lines
    ]


def test_a_query_whose_clock_was_set_back_is_begun_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark would read no beat before it is as late again as it was."""
    begun: list[str] = []

    @contextmanager
    def begin(activation: Activation) -> Iterator[Any]:
        begun.append(activation.start)
        yield SimpleNamespace(isActive=True, runId="7")

    ahead_s = iter([100.0, 100.0, -3500.0, *[-3500.0] * 9])
    monkeypatch.setattr("streaming.query.WallClock", lambda: WallClock(lambda: next(ahead_s)))
    one = QueryLife(NOTHING, NOTHING, begin, heard(), TURN, NoWait(6), lambda: None)
    with capture_logs() as lines:
        one.run()

    assert 2 == len(begun)
    assert ["cannot run the query; retrying", "stopping, as told by a signal"] == [
        line["event"] for line in lines
    ]
    assert "clock was set back" in str(lines[0])
