"""What ends a query ends the controller, or does not; the query itself is Spark's."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

import pytest
import structlog
from confluent_kafka import KafkaError, KafkaException
from structlog.testing import capture_logs

from streaming.feeds import FeedFailed
from streaming.options import TopicOptions
from streaming.pipeline import MOST_WAITING
from streaming.process.ending import Ending
from streaming.process.trouble import Trouble
from streaming.query import QueryFailed, QueryLife
from streaming.startup.activation import Activation
from streaming.startup.delivery import Undelivered
from streaming.startup.losses import Contents, Ends, NotSurveyed
from streaming.startup.reminder import NotReminded

NOTHING: Any = None
LOST = Ending("a worker was lost", passes=True)
TURN = Activation("1-a", (), "", None)


@dataclass
class Life(QueryLife):
    """A life without Spark: it works as often as it is told to, and ends each time."""

    ending: Ending = LOST
    works: int = 0
    lived: int = 0

    def __post_init__(self) -> None:
        """No session, no checkpoint."""
        self._trouble = Trouble(structlog.get_logger(), "the query")

    def _live(self, turn: Activation) -> None:
        del turn
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


def life(
    *, look: Callable[[], None] = lambda: None, stop: Event | None = None, **more: object
) -> Life:
    """A life on nothing."""
    given = cast("dict[str, Any]", more)
    return Life(NOTHING, NOTHING, NOTHING, NOTHING, TURN, stop or NoWait(50), look, **given)


def test_what_passes_is_tried_until_it_is_told_to_stop() -> None:
    """It has worked once, so it is tried on; the log has one line."""
    one = life(works=1, stop=NoWait(20))
    with capture_logs() as lines:
        one.run()

    assert 20 == one.lived
    assert ["the query failed; retrying"] == [line["event"] for line in lines]


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
    lives = one._live  # noqa: SLF001 - a step of the template

    def told(turn: Activation) -> None:
        if one.lived == 1:
            raise failure
        lives(turn)

    one._live = told  # type: ignore[method-assign]  # noqa: SLF001 - a step of the template
    one.run()

    assert [1, *pauses] == stop.pauses


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

    def told(turn: Activation) -> None:
        if one.lived == 2:
            refused = KafkaException(KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED))
            raise NotSurveyed("could not read topic offsets") from refused
        lives(turn)

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
    """Told to, it is no failure, and feeds that have ended as well are none."""
    stop = Event()

    def look() -> None:
        raise AssertionError("nobody looks any more")

    one = life(look=look, stop=stop, ending=Ending("it did not stop in 20 s", passes=False))
    lives = one._live  # noqa: SLF001 - a step of the template

    def told(turn: Activation) -> None:
        stop.set()
        lives(turn)

    one._live = told  # type: ignore[method-assign]  # noqa: SLF001 - a step of the template
    one.run()


class OldCheckpoint:
    """A checkpoint that is in use, and what became of it."""

    def __init__(self) -> None:
        self.in_use = True
        self.done: list[str] = []
        self.hurt: list[str] = []
        self.elsewhere: str | None = None

    def damage(self) -> list[str]:
        """What is wrong with its files."""
        return self.hurt

    def moved_to(self) -> str | None:
        """Where a standby has put it."""
        return self.elsewhere

    def terms(self) -> None:
        """It was begun by nobody knows whom."""

    def positions(self) -> dict[tuple[str, int], int]:
        """It has read a little of one topic, as far as its files can be read."""
        assert not self.hurt
        return {("t.releases", 3): 5}

    def set_aside(self, label: str) -> str:
        """Note it."""
        self.done.append("set aside")
        self.in_use = False
        return label

    def begin(self, terms: object) -> None:
        """Note it."""
        del terms
        self.done.append("begun")


def on_a_checkpoint() -> tuple[Life, OldCheckpoint]:
    """A life that goes on from one."""
    one, old = life(), OldCheckpoint()
    one.options = cast("Any", SimpleNamespace(topics=TopicOptions(prefix="t.", partitions=8)))
    one._checkpoint, one._moves_over = cast("Any", old), False  # noqa: SLF001 - as its start does
    return one, old


@pytest.mark.parametrize(
    ("releases", "beats", "kept"),
    [
        (MOST_WAITING + 5, 10 * MOST_WAITING, True),
        (MOST_WAITING + 6, 0, False),
    ],
)
def test_a_checkpoint_that_is_too_old_is_set_aside(
    releases: int, beats: int, monkeypatch: pytest.MonkeyPatch, *, kept: bool
) -> None:
    """More that is urgent waits for it than its first batch may hold; beats may be as many as ever.

    What is told to it then might be read after something was decided.
    """
    held = {("t.releases", 3): Ends(0, releases), ("t.heartbeats", 0): Ends(0, beats)}
    monkeypatch.setattr("streaming.query.survey", lambda *_: Contents("c", {}, held))
    monkeypatch.setattr("streaming.query.present_terms", lambda *_: None)
    one, old = on_a_checkpoint()
    with capture_logs() as lines:
        one._provide("1-a")  # noqa: SLF001 - what each try begins with

    assert ([] if kept else ["set aside", "begun"]) == old.done
    assert ([] if kept else [MOST_WAITING + 1]) == [line["waiting"] for line in lines]


@pytest.mark.parametrize("in_use", [True, False])
def test_a_damaged_checkpoint_is_set_aside(
    monkeypatch: pytest.MonkeyPatch, *, in_use: bool
) -> None:
    """Also if all its plans are gone; nothing more is read of it, and the log has the files."""
    monkeypatch.setattr("streaming.query.survey", lambda *_: Contents("c", {}, {}))
    monkeypatch.setattr("streaming.query.present_terms", lambda *_: None)
    one, old = on_a_checkpoint()
    old.hurt, old.in_use = ["offsets/7 is empty"], in_use
    with capture_logs() as lines:
        one._provide("1-a")  # noqa: SLF001 - what each try begins with

    assert ["set aside", "begun"] == old.done
    assert [["offsets/7 is empty"]] == [line["damage"] for line in lines]


def test_a_new_checkpoint_is_begun_if_the_first_try_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever fails before it: the old one was made under other settings."""
    failures = [NotSurveyed("Kafka does not answer")]

    def look(_options: object, _trouble: object) -> Contents:
        for failure in failures:
            failures.clear()
            raise failure
        return Contents("c", {}, {})

    monkeypatch.setattr("streaming.query.survey", look)
    monkeypatch.setattr("streaming.query.present_terms", lambda *_: None)
    one, old = on_a_checkpoint()
    one._moves_over = True  # noqa: SLF001 - as its start does
    with pytest.raises(NotSurveyed):
        one._provide("1-a")  # noqa: SLF001 - what each try begins with
    assert [] == old.done

    one._provide("2-b")  # noqa: SLF001 - as above
    assert ["set aside", "begun"] == old.done

    old.in_use = True
    one._provide("3-c")  # noqa: SLF001 - as above
    assert ["set aside", "begun"] == old.done


def test_who_finds_that_a_standby_has_its_checkpoint_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was frozen begins no new checkpoint where the old one was."""
    monkeypatch.setattr("streaming.query.survey", lambda *_: Contents("c", {}, {}))
    one, old = on_a_checkpoint()
    old.elsewhere = "/c.at-1767312000000-0b5e55ed"
    with pytest.raises(QueryFailed, match="another controller has taken over") as ended:
        one._provide("2-b")  # noqa: SLF001 - what each try begins with

    assert (False, []) == (ended.value.passes, old.done)
