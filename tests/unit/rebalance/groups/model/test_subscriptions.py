"""Subscriptions: by name what is awaited, by pattern what exists."""

import pytest

from rebalance.groups.model import subscriptions
from rebalance.groups.model.decisions import EventRefused, Refusal
from rebalance.groups.model.events import Mode
from rebalance.groups.model.member import Member
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.policy import Policy
from rebalance.ids import Incarnation, MemberId, Millis, TopicName
from tests.builders.records import MemberRecord, joined, left, missing, routed, wild
from tests.builders.story import CREDULOUS, Story, only


def member(topics: str = "", patterns: str = "") -> Member:
    """A member with a subscription."""
    named = frozenset(map(TopicName, topics.split()))
    timeout = Millis(10_000)
    return Member(Incarnation("1"), 0, named, timeout, timeout, patterns=wild(patterns))


def names(*topics: str) -> frozenset[TopicName]:
    """Names of topics."""
    return frozenset(map(TopicName, topics))


KNOWN = names("orders-eu", "orders-us", "payments", "__state")

SUBSCRIPTIONS = {
    # name: (the member, what it subscribes of what is known and beyond)
    "by name": (member("orders-eu later"), names("orders-eu", "later")),
    "by pattern": (member("", "orders-*"), names("orders-eu", "orders-us")),
    "by both": (member("later", "pay*"), names("later", "payments")),
    "by pattern, and by name what none stands for": (
        member("__state", "*"),
        names("__state", "orders-eu", "orders-us", "payments"),
    ),
    "by pattern, nothing": (member("", "visits-?"), names()),
}


@pytest.mark.parametrize(
    ("who", "expected"), SUBSCRIPTIONS.values(), ids=list(SUBSCRIPTIONS.keys())
)
def test_a_member_subscribes(who: Member, expected: frozenset[TopicName]) -> None:
    """What it names, whether it exists or not, and what its patterns stand for."""
    assert expected == subscriptions.topics_of(who, KNOWN)
    assert expected == subscriptions.subscribed([subscriptions.wish_of(who)] * 2, KNOWN)
    assert expected & KNOWN == {topic for topic in KNOWN if subscriptions.wants(who, topic)}


def test_equal_subscriptions_are_one() -> None:
    """They are worked out once, however many members have them."""
    one, other = (subscriptions.topics_of(member("", "orders-*"), KNOWN) for _ in "ab")

    assert one is other


def a_story(*records: MemberRecord, policy: Policy | None = None) -> Story:
    """Begin with members, and a topic of theirs."""
    story = Story(policy=policy or CREDULOUS)
    story.reads(*records, routed("orders-eu", 2))
    return story


def wildly(name: str, patterns: str = "orders-*", *, mode: Mode = Mode.CLUSTERING) -> MemberRecord:
    """A member joins that names no topic."""
    return joined(name, "", patterns=wild(patterns), mode=mode)


def test_a_topic_that_is_created_later_is_shared_out() -> None:
    """It is news like any other route, and needs no new join."""
    story = a_story(wildly("a"), wildly("b"))
    story.reads(routed("orders-us", 2))

    assert {"orders-eu-0": "a", "orders-eu-1": "b", "orders-us-0": "a", "orders-us-1": "b"} == (
        story.owners()
    )


def test_a_topic_that_is_gone_is_given_up_and_forgotten() -> None:
    """Nobody waits for it, so neither map nor summary remember it."""
    story = a_story(wildly("a"))
    story.reads(routed("orders-us", 1))
    story.reads(missing("orders-us", version=2))
    story.waits(seconds=1)
    story.settles()

    assert {"orders-eu-0": "a", "orders-eu-1": "a"} == story.owners()
    assert {"orders-eu"} == story.state.topics.routes.keys()
    summary = only(GroupSummarised, story.decisions)[-1]
    assert ["orders-eu"] == [topic.topic for topic in summary.topics]
    assert ("orders-*",) == summary.patterns


def test_a_topic_that_is_gone_stays_if_somebody_names_it() -> None:
    """Who asks by name waits for its return."""
    story = a_story(wildly("a"), joined("b", "orders-us"))
    story.reads(routed("orders-us", 1))
    story.reads(missing("orders-us", version=2))
    story.waits(seconds=1)

    assert not story.state.topics.routes[TopicName("orders-us")].exists


def test_a_topic_that_never_was_is_nobodys_news() -> None:
    """A pattern stands for what exists."""
    story = a_story(wildly("a"))
    story.reads(missing("orders-us"))

    assert {"orders-eu"} == story.state.topics.routes.keys()
    assert [] == story.decided


def test_everybody_works_on_what_a_pattern_stands_for_when_broadcasting() -> None:
    """What comes is held at once, what goes is not named any more."""
    story = a_story(wildly("a", mode=Mode.BROADCASTING))
    story.reads(routed("orders-us", 1))
    assert ["orders-eu", "orders-eu", "orders-us"] == [
        naming.queue.topic for naming in story.told("a").hold
    ]

    story.reads(missing("orders-us", version=2))
    story.waits(seconds=1)
    assert ["orders-eu", "orders-eu"] == [naming.queue.topic for naming in story.told("a").hold]


def test_a_changed_pattern_is_a_changed_subscription() -> None:
    """Queues follow, as they do for names."""
    story = a_story(wildly("a"), wildly("b"))
    story.reads(wildly("b", "payments"))
    story.settles()

    assert {"orders-eu-0": "a", "orders-eu-1": "a"} == story.owners()


def test_more_patterns_than_the_limit_are_refused_before_any_state_grows() -> None:
    """Counted over the group, each once; who is in keeps what it has."""
    story = Story(policy=Policy(max_patterns=2))
    decided = story.reads(
        wildly("a", "x y"), wildly("b", "y"), wildly("b", "y z"), wildly("c", "z"), joined("d")
    )
    refusals = [note.reason for note in only(EventRefused, decided)]

    assert [Refusal.TOO_MANY_PATTERNS] * 2 == refusals
    assert {"a", "b", "d"} == story.state.membership.members.keys()
    assert wild("y") == story.state.membership.members[MemberId("b")].patterns


def test_patterns_that_are_given_up_make_room() -> None:
    """Also within one batch: what counts is what is asked for when a join is read."""
    story = Story(policy=Policy(max_patterns=2))
    decided = story.reads(wildly("a", "x y"), wildly("a", "x"), wildly("b", "z"))

    assert [] == only(EventRefused, decided)


def test_a_member_that_rests_keeps_what_only_its_pattern_stands_for() -> None:
    """Somebody has to work on it; what others have, it gets none of."""
    story = a_story(joined("b", "orders-eu"))
    for life in range(1, 5):
        story.reads(wildly(f"a:{life}"))
        story.reads(left(f"a:{life}"))
    story.reads(wildly("a:5"), routed("orders-us", 1))
    story.settles()

    assert story.state.membership.members[MemberId("a")].resting_until is not None
    assert {"orders-eu-0": "b", "orders-eu-1": "b", "orders-us-0": "a"} == story.owners()
