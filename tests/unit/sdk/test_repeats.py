"""What lasts is told once in a while.

Its users have tests of their own: here is what all of them rely on.
"""

from trimtab.repeats import MOST, Repeats


def test_a_text_is_new_again_after_the_span() -> None:
    """Counted from when it was told, not from the last time it came."""
    repeats = Repeats(10)
    told = [at for at in range(0, 30, 4) if repeats.is_new("Kafka is away", at)]

    assert [0, 12, 24] == told


def test_each_text_counts_for_itself() -> None:
    """One that comes all the time hides no other."""
    repeats = Repeats(10)
    assert [True, True, False, False] == [repeats.is_new(it, 1) for it in ("a", "b", "a", "b")]


def test_texts_of_strangers_fill_no_memory() -> None:
    """Of very many the oldest is forgotten first."""
    repeats = Repeats(10)
    assert all(repeats.is_new(str(number), 1) for number in range(MOST + 1))

    assert [False, True] == [repeats.is_new(it, 1) for it in (str(MOST), "0")]
