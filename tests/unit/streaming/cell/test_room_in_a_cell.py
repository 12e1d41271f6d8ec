"""What a group takes in is told, and what it has no room for is published."""

import pytest

from rebalance.ids import GroupName
from sinks import Record
from streaming.cell.codec import Cell
from streaming.cell.fold import Folded, fold
from streaming.cell.packed import unpack
from tests.builders.log import Log, join, route, rules
from trimtab.protocol import (
    ASSIGNMENTS,
    GROUPS,
    HISTORY,
    MEMBERS,
    ROUTES,
    LeftOut,
    LeftOutCounts,
    decode,
)

RULES = rules()


def on(folded: Folded, topic: str) -> list[Record]:
    """The records for one topic."""
    return [record for record in folded.records if record.topic == f"t.{topic}"]


@pytest.mark.slow
@pytest.mark.parametrize("length", [92, 249])
def test_one_member_is_told_of_ten_thousand_queues(length: int) -> None:
    """However long the name of their topic is: what the books hold, it is told."""
    log, topic = Log(), "t" * length
    log.append(MEMBERS, "billing", join("a", topic), at=1_000)
    log.append(ROUTES, "billing", route(topic, queues=10_000), at=1_001)
    folded = fold(Cell(), log.read(), RULES)
    [told] = on(folded, "assignments")

    assert 10_000 == len(unpack(folded.cell.groups.by_name()[GroupName("billing")]).handover.books)
    assert 10_000 == len(decode(ASSIGNMENTS, told.value).hold)
    assert len(told.value or b"") < 200_000


def test_what_a_group_has_no_room_for_is_published() -> None:
    """In its summary, counted and named, and in the history; and the route is a dead letter."""
    log = Log()
    log.append(MEMBERS, "billing", join("a", "orders", "payments"), at=1_000)
    log.append(ROUTES, "billing", route("orders", queues=9_999), at=1_001)
    log.append(ROUTES, "billing", route("payments", queues=2), at=1_001)
    folded = fold(Cell(), log.read(), RULES)
    [written] = on(folded, "groups")
    summary = decode(GROUPS, written.value)
    history = [decode(HISTORY, record.value) for record in on(folded, "history")]

    assert "starved" == summary.state
    assert LeftOutCounts(topics=1, queues=2, first=("payments",)) == summary.left_out
    assert (9_999, 2) == (summary.queues.assigned, summary.queues.unassigned)
    assert 2 == summary.topics["payments"].left_out
    assert [2] == [entry.queues for entry in history if isinstance(entry, LeftOut)]
    assert 1 == len(on(folded, "deadletters"))
