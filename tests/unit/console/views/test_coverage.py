"""Queues that nobody was told to take, and queues that two members have."""

import pytest

from console.views.coverage import gaps, overlaps
from tests.unit.console.views.published_records import assignment, group, hold, inherit
from trimtab.protocol import Group, HolderRef, QueueCounts, TopicSummary

OF_A = assignment("a", hold=(hold(0, 2),))
FREE = QueueCounts(assigned=1, moving=0, unassigned=1)


def stable(queues: int = 2, **said: object) -> Group:
    """A group of two members, whose topic has so many queues."""
    topics = {"orders": TopicSummary(version=1, queues=queues, awaited=False)}
    return group("a", "b", **{"topics": topics, **said})


def test_a_queue_that_nobody_has_is_found() -> None:
    """Though the summary says that the group is stable and no queue is free."""
    (found,) = gaps(stable(), [OF_A, assignment("b")])

    assert ("billing", "1 queues are in no assignment: orders-1") == found[1:3]
    assert "groups rebalance billing" in found.remedy


@pytest.mark.parametrize(
    ("summary", "other"),
    [
        (stable(), {"hold": (hold(1, 2),)}),
        (stable(), {"give": (hold(1, 2, "a"),)}),
        (stable(), {"inherit": (inherit(1, 3, "gone"),)}),
        (stable(), {"shared": (hold(0, 2), hold(1, 2))}),
        (stable(), {"shared": (HolderRef("orders", "broker-a", -1, 2, None, None),)}),
        (stable(), {"unnamed": 1}),
        (group("a", "b", queues=FREE, topics=stable().topics), {}),
        (stable(state="assigning"), {}),
        (stable(state="empty"), {}),
        (stable(), {"mode": "broadcasting"}),
    ],
    ids=[
        "held",
        "moving",
        "promised",
        "shared",
        "any",
        "unnamed",
        "free",
        "assigning",
        "empty",
        "broadcasting",
    ],
)
def test_a_queue_that_is_told_or_known_to_be_free_is_no_gap(
    summary: Group, other: dict[str, object]
) -> None:
    """Whatever a member is to do with it; free ones are a finding of the summary's own."""
    assert [] == list(gaps(summary, [OF_A, assignment("b", **other)]))


def test_queues_of_a_broker_are_counted() -> None:
    """Their numbers are not known, only how many there are."""
    told = assignment("a", hold=(HolderRef("orders", "broker-a", 0, 2, None, None),))

    (found,) = gaps(stable(queues=4), [told])
    assert "3 queues are in no assignment: orders" == found.finding


def test_a_queue_with_two_holders_is_found() -> None:
    """Only what is owned: those who share work on the same queues by rights."""
    two = [assignment(it, hold=(hold(0, 2),)) for it in ("a", "b")]
    shared = [assignment(it, hold=(hold(0, 2),), mode="shared") for it in ("a", "b")]

    assert ["orders-0 is held by a, b"] == [it.finding for it in overlaps("billing", two)]
    assert [] == list(overlaps("billing", shared))
