"""Who has each queue."""

from console.views import queues
from tests.unit.console.views.published_records import assignment, group, hold, inherit
from trimtab.protocol import Assignment, GrantRef, HolderRef, TopicSummary


def rows(count: int, *told: Assignment) -> dict[object, tuple[object, ...]]:
    """Owner, state and next of each queue of a topic with so many."""
    topics = {"orders": TopicSummary(version=1, queues=count, awaited=False)}
    found = queues.rows(group("a", "b", topics=topics), told)
    return {row["queue"]: (row["owner"], row["state"], row["next"]) for row in found}


def test_a_queue_is_held_and_its_heir_is_named() -> None:
    """By the life that stands in the holder's record, or by whom the same epoch was promised."""
    told = rows(
        2,
        assignment("a", hold=(hold(0, 2, to="b"), HolderRef("orders", "", 1, 2, 5, None))),
        assignment("b", inherit=(inherit(1, 5, "a"),)),
    )

    assert {"orders-0": ("a", "held", "b"), "orders-1": ("a", "held", "b")} == told


def test_a_queue_that_is_to_be_given_moves() -> None:
    """Until its release is read the giver is its owner."""
    told = rows(
        1,
        assignment("a", give=(hold(0, 2, to="b"),)),
        assignment("b", inherit=(inherit(0, 3, "a"),)),
    )

    assert {"orders-0": ("a", "moving", "b")} == told


def test_what_nobody_holds_is_named_too() -> None:
    """Promised to somebody, or to nobody at all: an orphan is not hidden."""
    told = rows(
        3, assignment("a", hold=(hold(0, 2),)), assignment("b", inherit=(inherit(1, 5, "x"),))
    )

    assert {
        "orders-0": ("a", "held", None),
        "orders-1": (None, "waiting", None),
        "orders-2": (None, "unassigned", None),
    } == told


def test_those_who_share_have_a_row_each() -> None:
    """And brokers that have names have them in the queue's."""
    both = (HolderRef("orders", "broker-a", 7, 3, None, None),)
    told = queues.rows(
        group("a", "b", topics={}),
        [assignment(it, hold=both, mode="shared") for it in ("a", "b")],
    )

    assert [("orders-broker-a-7", "a", "shared"), ("orders-broker-a-7", "b", "shared")] == [
        (row["queue"], row["owner"], row["state"]) for row in told
    ]
    assert GrantRef("orders", "broker-a", 7, 3).queue == both[0].queue


def test_what_is_shared_by_command_stands_beside_what_is_owned() -> None:
    """And is no orphan."""
    told = rows(2, *(assignment(it, shared=(hold(0, 2), hold(1, 2))) for it in "ab"))

    assert {"orders-0": ("b", "shared", None), "orders-1": ("b", "shared", None)} == told


def test_columns_are_the_same_for_every_queue() -> None:
    """Programs rely on them."""
    told = queues.rows(
        group("a"),
        [assignment("a", hold=(hold(5, 2),)), assignment("b", inherit=(inherit(6, 5, "x"),))],
    )

    assert {"held", "waiting", "unassigned"} == {row["state"] for row in told}
    assert all({*queues.NARROW, *queues.WIDE, *queues.LAG} == row.keys() for row in told)
