"""The watchdog ends what hangs, and nothing else."""

from threading import Event

import pytest
import structlog
from structlog.testing import capture_logs

from streaming.process.watchdog import Signs, Silence, SilenceTimer, Watchdog, watched

STUCK_S = 60
FRESH_S = 10


class Kennel:
    """A watchdog, and a second after another of what it sees."""

    def __init__(self, stuck_s: float = STUCK_S) -> None:
        self.ended: list[str] = []
        self.now, self.batches, self.ticks, self.failures = 0.0, 0, 0, 0
        log = structlog.get_logger()
        self.dog = Watchdog(
            self.signs, log, 5, FRESH_S, stuck_s, self.ended.append, lambda: self.now
        )
        self.timer = SilenceTimer(self.now, FRESH_S)

    def signs(self) -> Signs:
        """What there is to see."""
        return Signs(self.batches, self.ticks, self.failures)

    def passes(self, seconds: int, *, batches: bool = False, ticks: bool = False) -> list[str]:
        """Let time pass, with these; return what is said."""
        with capture_logs() as lines:
            for _ in range(seconds):
                self.now += 1
                self.batches += batches
                self.ticks += ticks
                self.dog.judge(self.signs(), self.timer.look(self.signs(), self.now))
        return [f"{it['event']}: {it.get('kafka')}" for it in lines]


def test_a_query_that_hangs_is_ended() -> None:
    """Once it has committed nothing for so long, though Kafka took ticks."""
    kennel = Kennel()
    assert [] == kennel.passes(100, batches=True, ticks=True)
    said = kennel.passes(STUCK_S, ticks=True)
    assert (["no batch committed: takes ticks"], []) == (said, kennel.ended)
    kennel.passes(2, ticks=True)
    assert kennel.ended


def test_one_that_has_never_worked_is_ended_too() -> None:
    """Five times as late, and without a line before: a start takes its time."""
    kennel = Kennel()
    assert [] == kennel.passes(5 * STUCK_S, ticks=True)
    assert [] == kennel.ended
    kennel.passes(2, ticks=True)
    assert kennel.ended


def test_a_query_that_fails_and_is_begun_again_is_not_ended() -> None:
    """However long that lasts; if one of its tries hangs it is."""
    kennel = Kennel()
    kennel.passes(10, batches=True, ticks=True)
    for _ in range(100):
        kennel.passes(30, ticks=True)
        kennel.failures += 1
    assert [] == kennel.ended
    kennel.passes(STUCK_S + 3, ticks=True)
    assert kennel.ended


def test_a_failure_says_nothing_of_kafka() -> None:
    """It is said once, and stays on the page: Kafka is there."""
    kennel = Kennel()
    kennel.passes(10, batches=True, ticks=True)
    kennel.passes(5, ticks=True)
    kennel.failures += 1

    assert ["no batch committed: takes ticks"] == kennel.passes(1, ticks=True)


def test_while_kafka_is_away_nothing_is_ended() -> None:
    """Another process would wait as well; when Kafka is back it has its time again."""
    kennel = Kennel()
    kennel.passes(10, batches=True, ticks=True)
    assert ["no batch committed: takes no ticks"] == kennel.passes(10 * STUCK_S)
    kennel.passes(STUCK_S - 5, ticks=True)
    assert [] == kennel.ended
    assert ["batches are committed again: None"] == kennel.passes(1, batches=True, ticks=True)


def test_kafka_that_goes_away_while_it_is_silent_proves_nothing() -> None:
    """Ticks that were taken long ago say nothing of now; when it is back, time begins anew."""
    kennel = Kennel()
    kennel.passes(10, batches=True, ticks=True)
    kennel.passes(5, ticks=True)
    kennel.passes(10 * STUCK_S)
    kennel.passes(STUCK_S, ticks=True)
    assert [] == kennel.ended
    kennel.passes(2, ticks=True)
    assert kennel.ended


def test_ticks_may_be_rare() -> None:
    """One in 20 s proves that Kafka is there, if they are told to be as rare."""
    timer = SilenceTimer(0.0, 60.0)
    proven = [timer.look(Signs(1, now // 20), now).proven_s for now in range(1_000)]
    assert proven[-1] > STUCK_S


def test_it_ends_also_if_nobody_reads_what_it_says() -> None:
    """A line that cannot be written holds it up, but what is stuck has been ended before."""
    ended = list[str]()

    class Unread:
        def warning(self, *_: object, **__: object) -> None:
            raise AssertionError("blocked for ever")

    dog = Watchdog(lambda: Signs(1, 1), Unread(), 5, FRESH_S, STUCK_S, ended.append, lambda: 0.0)  # type: ignore[arg-type]  # all it asks for
    with pytest.raises(AssertionError):
        dog.judge(Signs(1, 9), Silence(STUCK_S + 2, STUCK_S + 1, is_there=True))
    assert ended


def test_it_can_be_told_never_to() -> None:
    """It still says what it sees."""
    kennel = Kennel(stuck_s=0)
    kennel.passes(10, batches=True, ticks=True)
    assert kennel.passes(1_000, ticks=True)
    assert [] == kennel.ended


@pytest.mark.slow
def test_it_watches_meanwhile() -> None:
    """In a thread, which ends with the block."""
    looked = Event()

    def signs() -> Signs:
        looked.set()
        return Signs(0, 0)

    dog = Watchdog(signs, structlog.get_logger(), 5, FRESH_S, 0, print, lambda: 0.0)
    with watched(dog):
        assert looked.wait(60)
