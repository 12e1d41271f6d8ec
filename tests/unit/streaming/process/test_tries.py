"""What has worked is tried for ever, ever more rarely; what never did is given up."""

from streaming.process.tries import Tries


def test_what_never_worked_is_given_up() -> None:
    """A wrong setting is as wrong the next time."""
    tries = Tries()

    assert [1.0, 2.0, None] == [tries.failed(0.1) for _ in range(3)]


def test_what_has_worked_is_tried_for_ever() -> None:
    """With pauses that grow to half a minute."""
    tries = Tries()
    tries.worked()

    assert [1, 2, 4, 8, 16, 30, 30, 30] == [tries.failed(0.1) for _ in range(8)]


def test_a_kafka_that_is_back_is_soon_noticed() -> None:
    """Pauses stay short while it does not answer, however often it has been asked."""
    tries = Tries()
    tries.worked()

    assert [1, 1] == [tries.failed(0.1, answered=False) for _ in range(2)]
    for _ in range(8):
        tries.failed(0.1)
    assert [3, 3] == [tries.failed(0.1, answered=False) for _ in range(2)]


def test_pauses_begin_anew_after_a_good_time() -> None:
    """What fails once an hour is back in a second."""
    tries = Tries()
    tries.worked()
    for _ in range(8):
        tries.failed(0.1)
    tries.worked()

    assert [1, 2] == [tries.failed(3_600), tries.failed(0.1)]


def test_pauses_grow_however_long_it_takes_to_fail() -> None:
    """Each try says everything again; a full disk does not make room for that by itself."""
    tries = Tries()
    tries.worked()

    assert [1, 2, 4, 8] == [tries.failed(31.0) for _ in range(4)]
