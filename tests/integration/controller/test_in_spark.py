"""What Spark itself does of the pipeline: it deals rows, gives fingerprints, and warms a worker."""

from itertools import product

import pytest

from streaming.wire.beats import MOST_BYTES, split
from streaming.wire.rows import Row
from tests.integration.controller.rows_in_spark import Asked, Found, with_spark
from trimtab.protocol import limits

pytestmark = [pytest.mark.spark]

BEAT = b'{"v":1,"kind":"beat","sequence":7,"epoch":1}'
DEALT = [
    Row("t.heartbeats", 3, 0, 9, b"g", BEAT, len(BEAT)),
    Row("t.heartbeats", 9, 1, 9, b"g", BEAT, len(BEAT)),
    Row("t.heartbeats", 9, 2, 9, b"\0", b"", 0),
    Row("t.members", 9, 3, 9, b"g", b"{}", 2),
    Row("t.rocketmq", 9, 4, 9, b"c", b"{}", 2),
]
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
CELLS = 'dealt(fingerprinted(frame, options), options).select("offset", "cell", "number")'


@pytest.fixture(scope="module")
def found() -> Found:
    """All of it, in the time of one start."""
    return with_spark([Asked(DEALT, CELLS, 4), Asked(ROWS, "fingerprinted(frame, options)", 1)])


def test_what_stands_in_a_later_partition_is_dealt_once(found: Found) -> None:
    """A partition that its topic was given later: to the first cell, and to no other.

    Nor is it counted as a beat, which is never decoded.
    """
    assert [(0, 3, 7), *((it, 0, -1) for it in (1, 2, 3, 4))] == sorted(found.rows[0])


def test_spark_and_a_replay_agree_which_beats_have_one(found: Found) -> None:
    """A replay gives one to the very same records, and the same number.

    Two records have the same one in both, or in neither.
    """
    others, beats = split(ROWS, "t.heartbeats")
    assert beats is not None
    numbers = dict.fromkeys((row.offset for row in others), -1)
    numbers |= dict(zip(beats.offset.tolist(), beats.number.tolist(), strict=True))
    given = [it[-3:] for it in found.rows[1]]

    assert [numbers[row.offset] for row in ROWS] == [number for *_, number in given]
    places = beats.offset.tolist()
    for left, right in product(range(len(places)), repeat=2):
        same = given[places[left]][:2] == given[places[right]][:2]
        assert same == (
            beats.first[left] == beats.first[right] and beats.second[left] == beats.second[right]
        )


def test_the_first_batch_finds_a_worker_that_has_imported_the_operator(found: Found) -> None:
    """It takes whatever kind of task; and a Spark that has ended is no failure of its own."""
    assert (False, True) == found.workers
    assert found.has_ended
