"""A test of many lines fails for each of them by name."""

import pytest

from tests.builders.lines import Line, of_each

LINES: list[Line] = [{"id": "one", "it": 1}, {"id": "two", "it": 2}, {"id": "three", "it": 3}]


def test_whatever_is_wrong_is_named() -> None:
    """And nothing else is."""

    @of_each(LINES)
    def odd(line: Line) -> None:
        """It is odd."""
        assert line["it"] % 2 == 1

    with pytest.raises(AssertionError, match="two") as failure:
        odd()
    assert "three" not in str(failure.value)
    assert ("odd", "It is odd.") == (odd.__name__, odd.__doc__)


def test_an_error_is_of_its_line() -> None:
    """What is no answer at all stops the test, and says where."""

    @of_each(LINES)
    def divided(line: Line) -> None:
        assert 1 / (line["it"] - 2)

    with pytest.raises(ZeroDivisionError) as error:
        divided()
    assert ["line two"] == error.value.__notes__


def test_no_lines_are_no_test() -> None:
    """A file that was cut is noticed."""
    with pytest.raises(AssertionError, match="cut"):
        of_each([])
