"""Spark deals each record to a cell, also one in a partition that its topic was given later."""

import pytest

from streaming.wire.rows import Row
from tests.integration.controller.rows_in_spark import rows_found

pytestmark = [pytest.mark.spark]

BEAT = b'{"v":1,"kind":"beat","sequence":7,"epoch":1}'
ROWS = [
    Row("t.heartbeats", 3, 0, 9, b"g", BEAT, len(BEAT)),
    Row("t.heartbeats", 9, 1, 9, b"g", BEAT, len(BEAT)),
    Row("t.heartbeats", 9, 2, 9, b"\0", b"", 0),
    Row("t.members", 9, 3, 9, b"g", b"{}", 2),
    Row("t.rocketmq", 9, 4, 9, b"c", b"{}", 2),
]


def test_what_stands_in_a_later_partition_is_dealt_once() -> None:
    """To the first cell, and to no other; nor is it counted as a beat, which is never decoded."""
    wanted = 'dealt(fingerprinted(frame, options), options).select("offset", "cell", "number")'
    found = rows_found(ROWS, wanted, partitions=4)

    assert [(0, 3, 7), *((it, 0, -1) for it in (1, 2, 3, 4))] == sorted(found)
