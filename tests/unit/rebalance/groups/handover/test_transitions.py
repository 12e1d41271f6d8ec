"""How a member moves: every edge between the conditions that a member can be in.

The edges are those of Kafka's table (``kafkas_cases``), walked by the whole ``step``. A member's
condition is read off the books: *stable* holds and nothing else, *giving* was told to let go,
*waiting* is an heir. Unlike Kafka's, which revokes strictly before it is assigned anything, a
member may give and wait at once; and there is no edge that an acknowledgement of the assignment
would take, because none is needed.

Pages stand side by side, orders-0 first; ``-`` is an empty one. The group is at epoch 5, so what is
decided now is decided under 6.
"""

from typing import NamedTuple

import pytest

from rebalance.allocation import AllocationPlan, AllocationRequest
from rebalance.groups.model.commands import ChooseMode
from rebalance.groups.model.decisions import AssignmentIssued
from rebalance.groups.model.events import Event
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.portions import portions
from rebalance.groups.model.state import GroupState
from rebalance.groups.step import step
from rebalance.ids import Epoch, Life, MemberId, TopicName
from tests.builders.group import a_group
from tests.builders.notation import life, page_text, queue
from tests.builders.records import Record, at, beat_of, commanded, joined, left, released, wild
from tests.builders.story import only
from tests.unit.rebalance.groups.kafkas_cases import CURRENT_ASSIGNMENT, WITHOUT_COUNTERPART

CHANGE = commanded(ChooseMode(TopicName("visits"), pops=True))
"""The group gets a new target."""


class Case(NamedTuple):
    """One edge."""

    kafka: str
    """The case of Kafka's that it answers; empty: Kafka has none."""
    before: str
    wanted: str
    """For whom the target means each queue, in order; ``-``: for nobody."""
    reads: tuple[Record, ...]
    after: str
    a: str
    """What it does to member a."""


CASES = {
    "nothing changes but the epoch": Case(
        "testStableToStable", "a@1 | b@1", "a b", (CHANGE,), "a@1 | b@1", "stable -> stable"
    ),
    "a free queue comes at once": Case(
        "testStableToStableWithNewPartitions",
        *("a@1 | b@1 | -", "a b a", (CHANGE,)),
        *("a@1 | b@1 | a@6", "stable -> stable"),
    ),
    "a queue is to go, and a free one comes in the same breath": Case(
        "testStableToUnrevokedPartitions",
        *("a@1 | a@1 | -", "b a a", (CHANGE,)),
        *("a@1!6 > b@6 | a@1 | a@6", "stable -> giving"),
    ),
    "a queue of another's is promised": Case(
        "testStableToUnreleasedPartitions",
        *("a@1 | b@1", "a a", (CHANGE,)),
        *("a@1 | b@1!6 > a@6", "stable -> waiting"),
    ),
    "what was let go unasked need not be asked for": Case(
        "testStableToUnreleasedPartitionsWithOwnedPartitionsNotHavingRevokedPartitions",
        *("a@1 | a@1 | b@1", "a b a", (released("a", "orders-1@1"), CHANGE)),
        *("a@1 | b@6 | b@1!6 > a@6", "stable -> waiting"),
    ),
    "the release that was asked for": Case(
        "testUnrevokedPartitionsToStable",
        *("a@1 | a@1!3 > b@3", "a b", (released("a", "orders-1@1>3"),)),
        *("a@1 | b@3", "giving -> stable"),
    ),
    "a beat proves the release": Case(
        "testUnrevokedPartitionsToStable",
        *("a@1 | a@1!3 > b@3", "a b", (beat_of("a", epoch=3, owned="orders-0@1"),)),
        *("a@1 | a@1!3x > b@3", "giving -> stable"),
    ),
    "a beat says nothing of what it owns": Case(
        "testRemainsInUnrevokedPartitions",
        *("a@1 | a@1!3 > b@3", "a b", (beat_of("a", epoch=3),)),
        *("a@1 | a@1!3 > b@3", "giving -> giving"),
    ),
    "a beat still lists the queue": Case(
        "testRemainsInUnrevokedPartitions",
        *("a@1 | a@1!3 > b@3", "a b", (beat_of("a", epoch=3, owned="orders-0@1 orders-1@1"),)),
        *("a@1 | a@1!3 > b@3", "giving -> giving"),
    ),
    "of two queues one is let go": Case(
        "testRemainsInUnrevokedPartitions",
        *("a@1!3 > b@3 | a@1!3 > b@3", "b b", (beat_of("a", epoch=3, owned="orders-1@1"),)),
        *("a@1!3x > b@3 | a@1!3 > b@3", "giving -> giving"),
    ),
    "one queue is let go, and the next is to go": Case(
        "testUnrevokedPartitionsToUnrevokedPartitions",
        *("a@1 | a@1!3 > b@3", "b b", (released("a", "orders-1@1>3"), CHANGE)),
        *("a@1!6 > b@6 | b@3", "giving -> giving"),
    ),
    "the next is to go before the first is let go": Case(
        "",
        *("a@1 | a@1!3 > b@3", "b b", (CHANGE,)),
        *("a@1!6 > b@6 | a@1!3 > b@3", "giving -> giving"),
    ),
    "one queue is let go, and another's is promised": Case(
        "testUnrevokedPartitionsToUnreleasedPartitions",
        *("a@1 | a@1!3 > b@3 | b@1", "a b a", (released("a", "orders-1@1>3"), CHANGE)),
        *("a@1 | b@3 | b@1!6 > a@6", "giving -> waiting"),
    ),
    "another's is promised before the first is let go": Case(
        "",
        *("a@1 | a@1!3 > b@3 | b@1", "a b a", (CHANGE,)),
        *("a@1 | a@1!3 > b@3 | b@1!6 > a@6", "giving -> giving, waiting"),
    ),
    "the promise is taken back: it may have started": Case(
        "testUnreleasedPartitionsToStable",
        *("a@1 | b@1!3 > a@3", "a b", (CHANGE,)),
        *("a@1 | b@1!3 / a@3", "waiting -> waiting"),
    ),
    "the promise that was taken back is void": Case(
        "testUnreleasedPartitionsToStable",
        *("a@1 | b@1!3 / a@3", "a b", (released("b", "orders-1@1"),)),
        *("a@1 | b@6", "waiting -> stable"),
    ),
    "the promise that was taken back had been named": Case(
        "",
        *("a@1 | b@1!3 / a@3", "a b", (released("b", "orders-1@1>3"),)),
        *("a@1 | a@3!6 > b@6", "waiting -> giving"),
    ),
    "the release that was waited for": Case(
        "testUnreleasedPartitionsToStableWithNewPartitions",
        *("a@1 | b@1!3 > a@3", "a a", (released("b", "orders-1@1>3"),)),
        *("a@1 | a@3", "waiting -> stable"),
    ),
    "the holder that was waited for is gone": Case(
        "testUnreleasedPartitionsToStableWithNewPartitions",
        *("a@1 | b@1!3 > a@3", "a a", (left("b"),)),
        *("a@1 | b@1!3x > a@3", "waiting -> waiting"),
    ),
    "the target changes and the promise stands": Case(
        "testUnreleasedPartitionsToUnreleasedPartitions",
        *("a@1 | b@1!3 > a@3", "a a", (CHANGE,)),
        *("a@1 | b@1!3 > a@3", "waiting -> waiting"),
    ),
    "of two promised queues one is free": Case(
        "testUnreleasedPartitionsToUnreleasedPartitions",
        *("b@1!3 > a@3 | c@1!3 > a@3", "a a", (released("b", "orders-0@1>3"),)),
        *("a@3 | c@1!3 > a@3", "waiting -> waiting"),
    ),
    "a queue is to go while another is waited for": Case(
        "testUnreleasedPartitionsToUnrevokedPartitions",
        *("a@1 | b@1!3 > a@3", "b a", (CHANGE,)),
        *("a@1!6 > b@6 | b@1!3 > a@3", "waiting -> giving, waiting"),
    ),
    "it subscribes the topic no more, and has let go": Case(
        "testStableToStableWithAssignmentTopicsNoLongerInSubscription",
        *("a@1 | b@1", "- b", (released("a", "orders-0@1"), joined("a", "payments"))),
        *("- | b@1", "stable -> stable"),
    ),
    "it subscribes the topic no more": Case(
        "testStableToUnrevokedPartitionsWithAssignmentTopicsNoLongerInSubscription",
        *("a@1 | b@1", "b b", (joined("a", "payments"),)),
        *("a@1!6 > b@6 | b@1", "stable -> giving"),
    ),
    "it subscribes the topic no more, and has to give as it is": Case(
        "testRemainsInUnrevokedPartitionsWithAssignmentTopicsNoLongerInSubscription",
        *("a@1 | a@1!3 > b@3", "c b", (joined("a", "payments"),)),
        *("a@1!6 > c@6 | a@1!3 > b@3", "giving -> giving"),
    ),
    "it has a pattern that stands for nothing": Case(
        "testUnresolvedRegularExpression",
        *("a@1 | b@1", "b b", (joined("a", "", patterns=wild("visits-*")),)),
        *("a@1!6 > b@6 | b@1", "stable -> giving"),
    ),
    "it names the topic, and has a pattern that stands for nothing": Case(
        "testSubscribedTopicNameAndUnresolvedRegularExpression",
        *("a@1 | b@1", "a b", (joined("a", patterns=wild("visits-*")),)),
        *("a@1 | b@1", "stable -> stable"),
    ),
    "it names another topic, and has a pattern that stands for this one": Case(
        "testSubscribedTopicNameAndResolvedRegularExpression",
        *("a@1 | b@1", "a b", (joined("a", "payments", patterns=wild("ord*")),)),
        *("a@1 | b@1", "stable -> stable"),
    ),
    "it subscribes the topic no more, and a promise is taken back": Case(
        "",
        *("a@1 | b@1!3 > a@3", "c c", (joined("a", "payments"),)),
        *("a@1!6 > c@6 | b@1!3 > c@6 / a@3", "waiting -> giving, waiting"),
    ),
}


def pages(text: str) -> list[str]:
    """Read pages that stand side by side."""
    return ["" if page == "-" else page for page in text.split(" | ")]


def group_with(before: str, wanted: str) -> GroupState:
    """Build the group: three members, these pages and this target at epoch 5."""
    group = a_group().with_member("a").with_member("b").with_member("c").at_epoch(5)
    group = group.with_route("orders", len(pages(before)))
    for number, (text, who) in enumerate(zip(pages(before), wanted.split(), strict=True)):
        group = group.with_page(f"orders-{number}", text) if text else group
        group = group if who == "-" else group.with_target(f"orders-{number}", who)
    return group.state


def condition(state: GroupState) -> str:
    """Say what member a is doing."""
    portion = portions(state.handover.books.items(), [Life(*life("a"))])[MemberId("a")]
    words = [*(["giving"] if portion.give else ()), *(["waiting"] if portion.inherit else ())]
    return ", ".join(words) or "stable"


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_transition(case: Case) -> None:
    """From these pages, with this target, these records lead to those pages."""
    before = group_with(case.before, case.wanted)

    def strategy(request: AllocationRequest) -> AllocationPlan:
        del request  # it has made up its mind
        return AllocationPlan(before.target.owners)

    events: list[Event] = [record(at(0, offset)) for offset, record in enumerate(case.reads, 1)]
    after = step(before, events, events[-1].stamp, Policy(), strategy).state
    places = range(len(pages(case.before)))

    assert pages(case.after) == [
        page_text(after.handover.books.get(queue(f"orders-{number}"))) for number in places
    ]
    assert case.a == f"{condition(before)} -> {condition(after)}"


def test_a_change_that_changes_no_page_moves_the_epochs_only() -> None:
    """Members are not told again what they know; the target is that of the newest group."""
    before = group_with("a@1 | b@1", "a b")
    plan = AllocationPlan(before.target.owners)
    outcome = step(before, [CHANGE(at(0, 1))], at(0, 1), Policy(), lambda _: plan)

    assert before.handover.books == outcome.state.handover.books
    assert Epoch(6) == outcome.state.group_epoch == outcome.state.target.epoch
    assert [] == only(AssignmentIssued, outcome.decisions)


def test_every_case_of_kafkas_is_answered() -> None:
    """By a case of this table, or by the reason why it has none."""
    answered = {case.kafka for case in CASES.values() if case.kafka}

    assert CURRENT_ASSIGNMENT == answered | (CURRENT_ASSIGNMENT & WITHOUT_COUNTERPART.keys())
    assert set() == answered & WITHOUT_COUNTERPART.keys()
