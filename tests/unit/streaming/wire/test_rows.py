"""The order in which a cell reads."""

from hypothesis import given
from hypothesis import strategies as st

from streaming.wire.rows import Row, in_log_order


def row(topic: str, partition: int, offset: int, at: int) -> Row:
    """A row of which only place and time matter."""
    return Row(topic, partition, offset, at, b"key", b"value", 5)


def test_rows_are_read_by_time_and_then_by_place() -> None:
    """The order is (append time, topic, partition, offset), whatever order the shuffle made."""
    expected = [row("b", 0, 7, 1), row("a", 0, 0, 2), row("a", 1, 0, 2), row("b", 0, 8, 2)]

    assert expected == in_log_order(reversed(expected))


def test_a_clock_that_jumps_back_does_not_break_the_order_of_offsets() -> None:
    """A record counts as appended no earlier than those before it in its partition."""
    before, after, other = row("a", 0, 0, 100), row("a", 0, 1, 60), row("b", 0, 0, 80)

    assert [other, before, after] == in_log_order([after, other, before])


def test_a_wrong_stamp_moves_no_other_record() -> None:
    """One is stamped far ahead, one far back: whatever follows or went before keeps its place."""
    stamps = [100, 110, 9_000, 120, 5, 130]
    rows = [row("a", 0, offset, at) for offset, at in enumerate(stamps)]
    other = row("b", 0, 0, 115)

    assert [*rows[:3], other, *rows[3:]] == in_log_order([other, *rows])


def test_rows_that_share_a_place_stay_as_they_came() -> None:
    """Only a recording has such rows; neither their bytes nor the lack of any is compared."""
    texts = [None, b"b", b"a", None]
    rows = [row("a", 0, 0, 1)._replace(key=key, value=key) for key in texts]

    assert rows == in_log_order(rows)
    assert rows[::-1] == in_log_order(rows[::-1])


ROWS = st.lists(
    st.builds(row, st.sampled_from("ab"), st.integers(0, 1), st.integers(0, 50), st.integers(0, 9)),
    unique_by=lambda each: each[:3],
)


@given(ROWS, st.randoms())
def test_the_order_depends_on_the_records_alone(rows: list[Row], chance: object) -> None:
    """However rows are shuffled, they are read in one order."""
    shuffled = list(rows)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]  # Hypothesis's Random is typed as object

    assert in_log_order(rows) == in_log_order(shuffled)
