"""The summary: the group's phase and its counts."""

from dataclasses import replace

import pytest

from rebalance.groups.commons import Commons
from rebalance.groups.model.books import Books
from rebalance.groups.model.overview import GroupPhase, GroupSummarised, MemberSummary, TopicSummary
from rebalance.groups.model.roster import Roster
from rebalance.groups.model.rules import Rules
from rebalance.groups.summary import PEOPLE, summarise
from rebalance.ids import MemberId, Millis, TopicName
from tests.builders.group import BEGINNING, GroupBuilder, a_group


def summary(group: GroupBuilder) -> GroupSummarised:
    """Summarise a group."""
    state = group.state
    common = Commons.of(state, Roster(state.membership.members))
    return summarise(state, Books(state.handover.books), common, "AVG", Millis(7), BEGINNING)


ROUTED = a_group().with_member("a").with_member("b").with_route("orders", 2)
OWNED = ROUTED.with_page("orders-0", "a@1").with_page("orders-1", "b@1")
WAITING = (
    OWNED.with_member("c").with_unread_mark("c").with_target("orders-0", "c").with_loose("orders-0")
)
"""A works on until c has shown that it reads releases."""

PHASES = {
    "nobody is in": (a_group().with_route("orders", 2), GroupPhase.EMPTY),
    "a topic was not looked for yet": (a_group().with_member("a"), GroupPhase.ASSIGNING),
    "one of two topics was not": (
        OWNED.with_member("c", "orders payments"),
        GroupPhase.ASSIGNING,
    ),
    "a topic does not exist": (
        a_group().with_member("a").with_route("orders", 0, exists=False),
        GroupPhase.STABLE,
    ),
    "a queue is handed over": (
        OWNED.with_page("orders-1", "b@1!2 > a@2"),
        GroupPhase.RECONCILING,
    ),
    "a queue is given up": (OWNED.with_page("orders-1", "b@1!2"), GroupPhase.RECONCILING),
    "every queue has its owner": (OWNED, GroupPhase.STABLE),
    "every queue has its heir": (
        OWNED.with_page("orders-0", "a@1 > b@2").with_page("orders-1", "b@1 > a@2"),
        GroupPhase.STABLE,
    ),
    "a queue waits for a mark": (WAITING, GroupPhase.RECONCILING),
    "it waits for a member without one": (
        WAITING.with_target("orders-0", "b"),
        GroupPhase.STABLE,
    ),
    "a mark is awaited and no queue waits for it": (
        OWNED.with_member("c").with_unread_mark("c"),
        GroupPhase.STABLE,
    ),
}


@pytest.mark.parametrize(("group", "phase"), PHASES.values(), ids=PHASES.keys())
def test_phase(group: GroupBuilder, phase: GroupPhase) -> None:
    """The phase is read off the state, by KIP-848's names."""
    assert phase == summary(group).phase


def test_queues_are_assigned_moving_or_unassigned() -> None:
    """Every known queue is counted once, also one that is given up and wanted by nobody."""
    group = (
        a_group()
        .with_member("a")
        .with_member("b")
        .with_route("orders", 4)
        .with_page("orders-0", "a@1")
        .with_page("orders-1", "a@1!2 > b@2")
        .with_page("orders-2", "a@1!2")
    )
    found = summary(group)

    assert (1, 2, 1) == (found.assigned, found.moving, found.unassigned)


def test_members_are_listed_with_their_counts() -> None:
    """Who holds, gives and inherits how much, by name, and who wants to go."""
    group = ROUTED.with_drain("b").with_page("orders-0", "b@1!2 > a@2").with_page("orders-1", "a@1")

    assert (
        MemberSummary(MemberId("a"), hold=1, give=0, inherit=1, draining=False),
        MemberSummary(MemberId("b"), hold=0, give=1, inherit=0, draining=True),
    ) == summary(group).members


def test_of_many_members_those_are_named_that_are_not_as_most_are() -> None:
    """Whoever gets nothing, for a plan has to know it; then others, by name."""
    group = ROUTED
    for number in range(PEOPLE):
        group = group.with_member(f"m{number:04}")
    named = [it.member for it in summary(group.with_drain("m0998")).members]

    assert ["m0998", "a", "b", "m0000"] == named[:4]
    assert (PEOPLE, "m0996") == (len(named), named[-1])


def test_heirs_of_queues_at_rest_are_counted_apart() -> None:
    """Nothing moves: each holds what it holds, and would take over so many more at once."""
    group = (
        a_group()
        .with_member("a")
        .with_member("b")
        .with_member("c")
        .with_route("orders", 4)
        .with_page("orders-0", "a@1 > b@2")
        .with_page("orders-1", "a@1 > c@3 / b@2")
        .with_page("orders-2", "b@1")
        .with_page("orders-3", "a@1!4 > b@4 / c@2")
    )
    found = summary(group)

    assert [("a", 2, 1, 0, 0), ("b", 1, 0, 1, 2), ("c", 0, 0, 1, 1)] == [
        (it.member, it.hold, it.give, it.inherit, it.heir_of) for it in found.members
    ]
    assert (3, 1) == (found.assigned, found.moving)


def test_whoever_is_an_heir_and_no_more_stands_by() -> None:
    """There is nothing for it as long as nobody goes."""
    group = OWNED.with_page("orders-0", "a@1 > c@2").with_page("orders-1", "b@1 > c@2")
    group = group.with_member("c").with_target("orders-0", "a").with_target("orders-1", "b")

    assert [("a", False, 0), ("b", False, 0), ("c", True, 2)] == [
        (it.member, it.standby, it.heir_of) for it in summary(group).members
    ]


def test_whoever_is_waited_for_does_not_stand_by() -> None:
    """Its queue is with another until its mark is read."""
    assert [False, False, False] == [it.standby for it in summary(WAITING).members]


def test_people_see_who_is_guarded() -> None:
    """Whose death costs milliseconds, and whose a session."""
    found = summary(OWNED.with_guard("b"))

    assert [("a", False), ("b", True)] == [(it.member, it.guarded) for it in found.members]


def test_topics_are_listed_whether_known_or_not() -> None:
    """A topic that nobody looked for yet has version 0; one that is missing says so."""
    group = (
        a_group()
        .with_member("a", "orders payments visits")
        .with_route("orders", 2, version=7)
        .with_route("payments", 0, version=3, exists=False)
    )

    assert (
        TopicSummary(TopicName("orders"), version=7, queues=2, exists=True),
        TopicSummary(TopicName("payments"), version=3, queues=0, exists=False),
        TopicSummary(TopicName("visits"), version=0, queues=0, exists=False),
    ) == summary(group).topics


def test_what_nobody_subscribes_is_not_shown() -> None:
    """A map that is only remembered is nobody's business, and its queues are not unassigned."""
    for group in (a_group(), a_group().with_member("a", "visits")):
        found = summary(group.with_route("orders", 2))

        assert "orders" not in {topic.topic for topic in found.topics}
        assert 0 == found.unassigned


def test_what_was_commanded_is_told_from_what_is_in_force() -> None:
    """A strategy of its own, also if it is the policy's as well; and when a pause ends."""
    state, common = (
        OWNED.state,
        Commons.of(OWNED.state, Roster(OWNED.state.membership.members)),
    )
    books = Books(state.handover.books)
    for own, until in ((None, None), ("AVG", Millis(9))):
        rules = Rules(paused=True, pause_ends=until, strategy=own)
        told = summarise(replace(state, rules=rules), books, common, "AVG", Millis(7), BEGINNING)
        assert (own, until, "AVG") == (told.own_strategy, told.paused_until, told.strategy)
