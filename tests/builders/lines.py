"""One test of many golden lines, which names each line that it gets wrong.

One test for each line would take half of the time that `make check` may take. Used by all tests
that read `tests/fixtures/vectors`.
"""

from collections.abc import Callable, Sequence
from typing import Any

Line = dict[str, Any]  # JSON of many shapes


def of_each(lines: Sequence[Line]) -> Callable[[Callable[[Line], None]], Callable[[], None]]:
    """Turn a test of one line into a test of all of them."""
    assert lines, "a file that was cut must not turn into a test of nothing"

    def decorated(test: Callable[[Line], None]) -> Callable[[], None]:
        def tested() -> None:
            wrong = [told for told in (_difference(test, line) for line in lines) if told]
            assert not wrong, "\n".join([f"{len(wrong)} of {len(lines)} lines", *wrong])

        tested.__name__, tested.__doc__ = test.__name__, test.__doc__
        tested.__module__ = test.__module__
        return tested

    return decorated


def _difference(test: Callable[[Line], None], line: Line) -> str | None:
    try:
        test(line)
    except AssertionError as difference:
        return f"{line['id']}: {difference}"
    except BaseException as error:  # pytest's own failures are no ordinary ones
        error.add_note(f"line {line['id']}")
        raise
    return None
