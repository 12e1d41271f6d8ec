"""Dead letters in a table."""

import pytest

from console.views import letters
from trimtab.protocol import DeadLetter, UndecodableRecord
from trimtab.protocol.deadletters import Place


@pytest.mark.parametrize(
    ("value", "shown"), [(b'{"v": 1}', '{"v": 1}'), (b"\xff\x00", "\\xff\x00"), (None, None)]
)
def test_a_letter_says_what_was_wrong_with_which_record(value: bytes | None, shown: str) -> None:
    """Where it stands, its key, the reason, and what of its bytes is text."""
    error = UndecodableRecord("invalid", "owned.3: no tuple")
    letter = DeadLetter.of(error, Place("trimtab.heartbeats", 3, 9, 1_767_225_600_000), b"k", value)
    row = letters.row("trimtab.deadletters/0@1", letter)

    assert ("trimtab.heartbeats/3@9", "k", "invalid", "owned.3: no tuple", shown) == tuple(
        row[it] for it in ("record", "key", "reason", "detail", "value")
    )
    assert {*letters.NARROW, *letters.WIDE} == row.keys()


def test_what_claims_to_be_base64_and_is_not_is_shown_as_it_is() -> None:
    """The contract allows a length that no base64 has."""
    letter = DeadLetter(
        reason="invalid",
        detail="x",
        topic="t",
        partition=0,
        offset=0,
        size=1,
        key_b64="A",
        truncated=False,
    )
    assert "A" == letters.row("here", letter)["key"]


def test_a_table_shows_the_beginning_of_what_is_long_and_says_so() -> None:
    """Programs get all that was kept, and whether that was all."""
    error, place = UndecodableRecord("garbage", "x"), Place("t", 0, 0)
    row = letters.row("here", DeadLetter.of(error, place, b"k" * 121, b"v" * 120))
    shown = letters.cut(row)

    assert ("k" * 121, "v" * 120, False) == (row["key"], row["value"], row["truncated"])
    assert ("k" * 120 + "...", "v" * 120) == (shown["key"], shown["value"])
    assert letters.row("here", DeadLetter.of(error, place, None, b"v" * 100_000))["truncated"]
    assert None is letters.cut(row | {"key": None})["key"]
