"""Groups on one line each."""

from console.views import groups
from tests.unit.console.views.published_records import group
from trimtab.protocol import Overrides, QueueCounts, TopicSummary


def test_a_line_says_how_a_group_is_and_what_changed_it() -> None:
    """State, counts, epoch, when, and the cause with its place in the log."""
    row = groups.row(group("a", "b"))

    assert ("billing", "stable", 2, 2, 0, 4) == tuple(
        row[it] for it in ("group", "state", "members", "assigned", "unassigned", "epoch")
    )
    assert ("2026-01-01T00:00:00.000Z", "join of b", "trimtab.members/3@90") == (
        row["since"],
        row["cause"],
        row["place"],
    )


def test_columns_are_the_same_for_every_group() -> None:
    """Programs rely on them, and both tables are made of them."""
    plain, troubled = (
        group("a"),
        group(state="starved", paused=True, ailment="ValueError", shortage={"no room": 3}),
    )

    assert groups.row(plain).keys() == groups.row(troubled).keys()
    assert {*groups.NARROW, *groups.WIDE} == groups.row(plain).keys()
    assert ("starved, paused", "3: no room", "ValueError") == tuple(
        groups.row(troubled)[it] for it in ("state", "shortage", "ailment")
    )


def test_groups_are_chosen_by_state_and_by_a_part_of_their_name() -> None:
    """One state of several, and a text in the name."""
    known = [group(group="billing-1"), group(group="billing-2", state="starved"), group(group="x")]

    def named(*states: str, like: str = "") -> list[object]:
        return [row["group"] for row in groups.rows(known, states, like)]

    assert ["billing-1", "billing-2", "x"] == named()
    assert ["billing-2"] == named("starved", "empty")
    assert ["billing-1", "billing-2"] == named(like="bill")


def test_topics_and_rules_of_its_own_are_shown() -> None:
    """A topic that does not exist is awaited; what an operator has set is named."""
    topics = {
        "orders": TopicSummary(version=1, queues=4, awaited=False, left_out=2),
        "new": TopicSummary(version=0, queues=0, awaited=True),
    }
    told = group("a", topics=topics, overrides=Overrides(blast_percent=80), pace_ms=9_000)

    assert [("new", "awaited", 0), ("orders", "known", 2)] == [
        (row["topic"], row["state"], row["left_out"]) for row in groups.topics(told)
    ]
    assert {"blast_percent": 80} == groups.rules(told)
    assert {
        "own_strategy": None,
        "paused_until": None,
        "rules": {"blast_percent": 80},
        "pace_ms": 9_000,
    } == groups.commanded(told)
    assert {} == groups.rules(group(queues=QueueCounts(assigned=0, moving=0, unassigned=0)))
