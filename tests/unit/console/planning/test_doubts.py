"""What a group doubts is no loss in a plan, unless an approval is what is asked about."""

import pytest

from rebalance.groups.model.commands import Approve, DrainMember
from rebalance.ids import MemberId
from tests.builders.command_line import Run
from tests.unit.console.planning.published_group import (
    NAME,
    Ask,
    PublishedGroup,
    moved,
    route,
    told,
)
from trimtab.protocol import Route, RunRef

FEW = route("orders", 2, version=2)
OTHERS = Route(topic="orders", version=2, exists=True, runs=(RunRef("", 2, 8),))
"""Two are missing, and two have come."""


@pytest.fixture
def group() -> PublishedGroup:
    """Three members and eight queues, at rest."""
    group = PublishedGroup()
    group.joins("a", "b", "c")
    group.hears(route("orders", 8))
    group.waits(2)
    return group


def note(queues: int) -> str:
    """What a plan says of a doubt."""
    return (
        f"orders: {queues} queues in doubt; they stay until it is sure that they are gone, or "
        "`groups approve`"
    )


@pytest.mark.parametrize(
    ("said", "lost", "whole"), [(FEW, 6, 8), (OTHERS, 2, 10)], ids=["few", "others"]
)
def test_queues_in_doubt_move_with_the_others(
    group: PublishedGroup, ask: Ask, run: Run, said: Route, lost: int, whole: int
) -> None:
    """They have owners until it is sure that they are gone, or somebody approves."""
    group.hears(said)
    group.waits(2)
    code, plan = ask("plan", NAME, "--drain", "a")
    _, approved, _ = run("groups", "approve", NAME, "--reason", "it is", "--dry-run")
    before = group.owners()
    group.obeys(DrainMember(MemberId("a")))

    assert (0, [note(lost)], []) == (code, plan["notes"], plan["unknown"])
    assert whole == plan["queues"] == len(before)
    assert moved(before, group.owners()) == told(plan)
    assert "note: approve: 0 held evictions, 1 topics in doubt" in approved
    assert lost == approved.count("it is gone")
    assert [("done", "0 held evictions, 1 topics in doubt")] == group.obeys(Approve())
    group.waits(1)
    assert whole - lost == len(group.owners())


def test_what_was_believed_is_no_doubt_any_more(group: PublishedGroup, ask: Ask) -> None:
    """Nor what was denied."""
    group.hears(FEW)
    group.obeys(Approve())
    group.waits(2)
    assert [] == ask("plan", NAME)[1]["notes"]
    assert 2 == ask("plan", NAME)[1]["queues"]
    group.hears(route("orders", 1, version=3))
    assert [note(1)] == ask("plan", NAME)[1]["notes"]
    group.hears(route("orders", 2, version=4))

    assert ([], 0) == (ask("plan", NAME)[1]["notes"], ask("plan", NAME)[1]["moves"])


def test_a_doubt_that_cannot_be_told_is_named(group: PublishedGroup, ask: Ask) -> None:
    """The route that the group believes is older than what Kafka keeps."""
    group.hears(FEW)
    del group.topics["trimtab.routes"][0]

    unknown = "what the group doubts of orders: its newest queues are taken for all"
    assert [unknown] == ask("plan", NAME)[1]["unknown"]


def test_of_a_topic_that_does_not_exist_nothing_is_doubted(group: PublishedGroup, ask: Ask) -> None:
    """Nor are there queues of it, though what the group was told is older than what Kafka keeps."""
    group.joins("d", topics=("orders", "none"))
    group.hears(Route(topic="none", version=1, exists=False, runs=()))
    del group.topics["trimtab.routes"][-1]

    assert [] == ask("plan", NAME)[1]["unknown"]
