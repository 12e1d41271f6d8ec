"""Spark gives a fingerprint to the very records that a replay gives one."""

from itertools import product

import pytest

from streaming.wire.beats import MOST_BYTES, split
from streaming.wire.rows import Row
from tests.integration.controller.rows_in_spark import rows_found
from trimtab.protocol import limits

pytestmark = [pytest.mark.spark]

HEAD, REST = b'{"v":1,"kind":"beat","sequence":', b',"epoch":1}'
NUMBERS = ["7", "07", " 7", "7 ", "7.0", "7e1", "+7", "-7", "null", "", "x", "0", "9" * 20]
VALUES = [
    *(HEAD + it.encode() + REST for it in NUMBERS),
    *(HEAD + str(limits.SAFE_INTEGER + it).encode() + REST for it in (0, 1)),
    HEAD + b"\xd9\xa7" + REST,
    b"",
    b"{",
    b'{"sequence":5,"sequence":5}',
    b'{"a":"\xff\xfe","sequence":12}',
    '{"a":"Ä\U0001f600","sequence":12,"ü":1}'.encode(),
    b'{"a":1,"sequence":5,"b":2,"sequence":6,"c":3}',
    b'{"a":"\xe2"sequence":12}',
    b'{"sequence":1\xe2}',
    b'{"sequence":1\xe2,"a":1}',
    b'{"sequence":1,"a":"\xe2}',
    b'{"x":[1,{"sequence":3}]}',
    b'{"sequence":3,"a":"}"}',
    HEAD + b"3" + b" " * MOST_BYTES + REST,
    b'{"sequence":3',
]
ROWS = [Row("t.heartbeats", 0, it, 9, b"g", value, len(value)) for it, value in enumerate(VALUES)]


def test_spark_and_a_replay_agree_which_beats_have_one() -> None:
    """And on their numbers; two records have the same one in both, or in neither."""
    others, beats = split(ROWS, "t.heartbeats")
    assert beats is not None
    numbers = dict.fromkeys((row.offset for row in others), -1)
    numbers |= dict(zip(beats.offset.tolist(), beats.number.tolist(), strict=True))
    found = [it[-3:] for it in rows_found(ROWS, "fingerprinted(frame, options)", partitions=1)]

    assert [numbers[row.offset] for row in ROWS] == [number for *_, number in found]
    places = beats.offset.tolist()
    for left, right in product(range(len(places)), repeat=2):
        same = found[places[left]][:2] == found[places[right]][:2]
        assert same == (
            beats.first[left] == beats.first[right] and beats.second[left] == beats.second[right]
        )
