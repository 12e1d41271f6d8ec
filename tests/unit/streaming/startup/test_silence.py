"""A standby takes nobody for dead of whom it only knows nothing."""

from streaming.startup.silence import Silence

STEP_S = 0.2


def asked_from(silence: Silence, begin: float, end: float) -> None:
    """Kafka is asked several times a second, and says that there is no tick."""
    now = begin
    while now <= end:
        silence.proven(now, now + STEP_S / 2)
        now += STEP_S


def test_it_lasts_as_long_as_kafka_proves_it() -> None:
    """From the last tick to the last answer."""
    silence = Silence(100.0)
    asked_from(silence, 100.0, 103.0)
    assert 2.5 < silence.s <= 3.0

    silence.broken(103.1)
    assert 0.0 == silence.s
    asked_from(silence, 103.2, 104.0)
    assert silence.s < 1.0


def test_while_kafka_is_away_nothing_is_proven() -> None:
    """Nor by its first answer after that: the ticks that come next are late as well."""
    silence = Silence(100.0)
    asked_from(silence, 100.0, 101.0)
    silence.proven(108.0, 108.1)
    assert 0.0 == silence.s

    asked_from(silence, 108.2, 109.0)
    assert 0.5 < silence.s < 1.5


def test_a_standby_that_was_held_up_itself_proves_nothing() -> None:
    """It has read all that was there, but long after it asked."""
    silence = Silence(100.0)
    asked_from(silence, 100.0, 101.0)
    silence.proven(101.2, 130.0)
    assert 0.0 == silence.s


def test_an_old_answer_takes_nothing_back() -> None:
    """A tick was heard since Kafka was asked."""
    silence = Silence(100.0)
    silence.broken(100.5)
    silence.proven(100.4, 100.6)
    assert 0.0 == silence.s
