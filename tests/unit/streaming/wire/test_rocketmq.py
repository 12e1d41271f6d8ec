"""Who takes what out of a record that goes to every cell."""

from itertools import product

from streaming.wire.rocketmq import CellPlace, taken
from streaming.wire.rows import Row
from tests.builders.log import PARTITIONS, Log
from tests.builders.rocketmq import consumer, heartbeat
from trimtab.protocol import ROCKETMQ, Registration, UndecodableRecord, limits

SLOTS = 3
CELLS = [CellPlace(*place, SLOTS) for place in product(range(PARTITIONS), range(SLOTS))]
GROUPS = [f"group-{number}" for number in range(50)]


def row(value: bytes, key: bytes | None = b"client") -> Row:
    """A record of a client."""
    return Log().append(ROCKETMQ, key, value, at=5)


def everybody(found: Row) -> list[list[object]]:
    """What each cell takes."""
    return [list(taken(found, cell, PARTITIONS)) for cell in CELLS]


def test_each_statement_is_taken_once() -> None:
    """Wherever a group lives, one cell has it, and only that one."""
    cells = everybody(row(heartbeat(*map(consumer, GROUPS))))
    groups = [said.group for cell in cells for said in cell if isinstance(said, Registration)]

    assert sorted(GROUPS) == sorted(groups)
    assert len([cell for cell in cells if cell]) > PARTITIONS


def test_a_fault_is_returned_once() -> None:
    """Whatever the key is, and also if it is a group of another cell."""
    bad = heartbeat(consumer("g"), None, consumer("h"), consumer("a\nb"))
    for key in (b"client", b"g", b"h", b"", None):
        faults = [
            said
            for cell in everybody(row(bad, key))
            for said in cell
            if isinstance(said, UndecodableRecord)
        ]
        assert [
            "consumerDataSet.1: Input should be a valid dictionary or instance of Registration"
        ] == [fault.detail for fault in faults]


def test_of_a_group_that_is_named_twice_the_last_counts() -> None:
    """As the last of two heartbeats would."""
    (said,) = taken(row(heartbeat(consumer("g", "T"), consumer("g", "U"))), None, PARTITIONS)

    assert isinstance(said, Registration)
    assert frozenset({"U"}) == said.topics


def test_an_oversize_record_is_judged_by_its_true_size() -> None:
    """And by nothing that is in it."""
    huge = row(heartbeat(consumer()))._replace(size=limits.HEARTBEAT_DATA_BYTES + 1)
    (fault,) = taken(huge, None, PARTITIONS)

    assert isinstance(fault, UndecodableRecord)
    assert "oversize" == fault.reason
