"""Queues that nobody gives back to Kafka's side."""

from tests.builders.sessions import queue
from trimtab.moving.sides import LastCommit, Side
from trimtab.moving.silence import Silence

ONE, OTHER = queue(0), queue(1)
TRIMTABS = LastCommit("trimtab", 3, 7)


def test_what_stays_the_same_for_too_long_has_no_owner() -> None:
    """One that works on commits; what is on Kafka's side needs none there."""
    silence = Silence(60.0)
    found = [
        silence.gone(at, "kafka", {ONE: TRIMTABS, OTHER: LastCommit("trimtab", 3, offset)})
        for at, offset in ((0.0, 7), (50.0, 8), (60.0, 8), (61.0, 8), (111.0, 8))
    ]

    assert [set(), set(), set(), {ONE}, {ONE, OTHER}] == [set(it) for it in found]
    assert not silence.gone(200.0, "kafka", {ONE: LastCommit("kafka", 3, 7)})


def test_the_time_counts_from_when_it_is_wanted_and_seen() -> None:
    """Before that nobody was to give it back."""
    silence = Silence(60.0)
    wishes: list[Side | None] = ["trimtab", None]
    for at, wanted in enumerate(wishes):
        assert not silence.gone(100.0 * at, wanted, {ONE: TRIMTABS})
    assert not silence.gone(300.0, "kafka", {ONE: TRIMTABS})
    assert not silence.gone(360.0, "kafka", {ONE: TRIMTABS})
    assert not silence.gone(361.0, "kafka", {})  # Kafka has assigned it to another process
    assert not silence.gone(362.0, "kafka", {ONE: TRIMTABS})
