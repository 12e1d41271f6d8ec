"""A fingerprint is of all of a beat but its number, and only plain numbers are cut out."""

from pathlib import Path

import pytest

from streaming.wire.beats import MOST_BYTES, split, with_number
from streaming.wire.rows import Row
from tests.builders import smallest
from tests.builders.checkout import text
from tests.builders.log import beat
from trimtab.protocol import encode, limits

HEAD, REST = b'{"v":1,"sequence":', b',"epoch":1}'


def row(value: bytes | None, offset: int = 1, key: bytes = b"g") -> Row:
    """A record of the heartbeats."""
    return Row("t.heartbeats", 3, offset, 1_000 + offset, key, value, len(value or b""))


def fingerprints(*rows: Row) -> list[tuple[int, ...]]:
    """What is cut out of records."""
    _, beats = split(rows, "t.heartbeats")
    assert beats is not None
    columns = (beats.first, beats.second, beats.number)
    return list(zip(*(it.tolist() for it in columns), strict=True))


def test_the_next_beat_of_a_member_has_its_fingerprint() -> None:
    """Whatever the number; not that of another member, group or epoch."""
    one, next_, other, later = (
        row(encode(it), offset)
        for offset, it in enumerate([beat("a", 9), beat("a", 10), beat("b", 9), beat("a", 9, 2)])
    )
    (*print_, number), (*again, following), *others = fingerprints(one, next_, other, later)
    others += fingerprints(one._replace(key=b"h"))

    assert (9, 10) == (number, following)
    assert print_ == again
    assert all(print_ != [*it][:2] for it in others)


def test_beats_of_a_member_in_another_language_have_one() -> None:
    """The page says how to write them, and the smallest member does."""
    record = {"v": 1, "kind": "beat", "epoch": 3, "owned": [], "member": "w"}
    lines = [smallest.written({**record, "sequence": number}) for number in (7, 8)]

    first, second = fingerprints(*map(row, lines))
    assert (first[:2], 7, 8) == (second[:2], first[-1], second[-1])
    spaced = row(lines[0].replace(b":", b": "))
    assert ([spaced], None) == split([spaced], "t.heartbeats")
    assert f"at most {MOST_BYTES:,} bytes" in text(Path("docs/other-languages.md"))


def test_rows_come_back_as_they_were() -> None:
    """All of a row but its fingerprint, in the order of the offsets."""
    rows = [row(encode(beat("a", it)), offset=9 - it) for it in (1, 2, 3)]
    others, beats = split([*rows, row(b"{")], "t.heartbeats")

    assert beats is not None
    assert [row(b"{")] == others
    assert rows[::-1] == beats.rows(beats.number > 0)


@pytest.mark.parametrize(
    "number",
    [
        b"",
        b"01",
        b"+1",
        b"-1",
        b" 1",
        b"1 ",
        b"1.0",
        b"1e1",
        b"null",
        b"\xd9\xa7",
        b"9007199254740992",
    ],
)
def test_a_number_that_is_not_plain_is_no_number(number: bytes) -> None:
    """Such a record is decoded: parsers read some of these, and refuse others."""
    assert ([row(HEAD + number + REST)], None) == split([row(HEAD + number + REST)], "t.heartbeats")


@pytest.mark.parametrize(
    "value",
    [None, b"", HEAD + b'1,"sequence":1}', HEAD + b"1" + b" " * MOST_BYTES + REST, b'{"v":1}'],
)
def test_another_shape_has_no_fingerprint(value: bytes | None) -> None:
    """Without a number, with two, or too long to be a beat that says nothing new."""
    assert ([row(value)], None) == split([row(value)], "t.heartbeats")


def test_other_topics_have_none() -> None:
    """A leave has a number as well."""
    urgent = row(HEAD + b"1}")._replace(topic="t.members")

    assert ([urgent], None) == split([urgent], "t.heartbeats")


@pytest.mark.parametrize("number", [0, 10, limits.SAFE_INTEGER])
def test_a_value_can_be_given_another_number(number: int) -> None:
    """Its fingerprint stays."""
    value = HEAD + b"9" + REST
    (*was, _), (*now, written) = fingerprints(row(value, 1), row(with_number(value, number), 2))

    assert (was, number) == (now, written)
