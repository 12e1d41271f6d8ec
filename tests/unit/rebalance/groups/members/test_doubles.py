"""Two processes that speak as one client are named, and nobody else is."""

from collections.abc import Mapping, Sequence

import pytest

from rebalance.groups.model.decisions import ClientDoubled, DoubleSign
from rebalance.groups.model.policy import Compat, Policy
from rebalance.ids import MemberId
from tests.builders.records import joined, left, registered, routed
from tests.builders.story import Story, only

Schedule = Mapping[int, Sequence[str]]
"""By the second, what a client says: its topics."""


def lives(schedule: Schedule, story: Story | None = None) -> Story:
    """Let a client of one id say these things."""
    story = story or Story()
    story.reads(routed("orders", 2))
    begun = 0
    for second in sorted(schedule):
        if second > begun:
            story.waits(seconds=second - begun)
        begun = second
        for topics in schedule[second]:
            story.reads(registered("c1", topics))
    return story


def signs(story: Story) -> list[DoubleSign]:
    """What was noted so far."""
    return [it.sign for it in only(ClientDoubled, story.decisions)]


def beats(until: int, *phases: int, period: int = 30) -> dict[int, list[str]]:
    """Heartbeats of processes that began at these seconds."""
    return {
        second: ["orders"]
        for second in range(until)
        if any(second >= phase and (second - phase) % period == 0 for phase in phases)
    }


@pytest.mark.parametrize("other", [6, 11, 15, 20, 24])
def test_two_processes_are_known_by_their_heartbeats(other: int) -> None:
    """Within three minutes, once, with what to do."""
    story = lives(beats(180, 0, other))
    [noted] = only(ClientDoubled, story.decisions)

    assert (MemberId("c1"), DoubleSign.CADENCE) == (noted.member, noted.sign)
    assert "2 processes" in noted.detail
    assert "instanceName" in noted.detail
    assert noted.cause.position.offset > 0


def test_topics_for_failed_messages_are_no_sign() -> None:
    """A client takes one up and drops it again as its broker has it pull and pop by turns."""
    wishes = ["orders", "orders %RETRY%billing_orders"]

    assert [] == signs(lives({second: [wishes[second % 2]] for second in range(8)}))


def test_what_a_broker_hears_over_two_channels_is_noted_at_once() -> None:
    """With the first heartbeat that says so, also of a client that is new; once an hour."""
    story = Story()
    story.reads(routed("orders", 2), registered("c1", doubled=True))
    story.waits(seconds=2)
    story.reads(registered("c1", doubled=True), registered("c2"))

    [noted] = only(ClientDoubled, story.decisions)
    assert (MemberId("c1"), DoubleSign.CHANNELS) == (noted.member, noted.sign)
    assert "instanceName" in noted.detail
    story.waits(seconds=3_600)
    story.reads(registered("c1", doubled=True), registered("c1", doubled=True))
    assert [DoubleSign.CHANNELS] * 2 == signs(story)


def test_three_are_too() -> None:
    """However many, it is the same mistake."""
    [noted] = only(ClientDoubled, lives(beats(240, 0, 8, 19)).decisions)

    assert "3 processes" in noted.detail


def test_one_case_is_noted_once_an_hour() -> None:
    """Not with every heartbeat."""
    assert 1 == len(signs(lives(beats(3_500, 0, 11))))
    assert 2 == len(signs(lives(beats(3_900, 0, 11))))


ONE: dict[str, Schedule] = {
    "one": beats(600, 0),
    "one that is late now and then": {n * 30 + (n % 3): ["orders"] for n in range(20)},
    "copies from three brokers": {n * 30 + k: ["orders"] for n in range(20) for k in (0, 1, 4)},
    "more in each period, at odd times": {
        n * 30 + k: ["orders"] for n in range(20) for k in (0, 6 + (n * 7) % 19)
    },
    "a restart": beats(200, 0) | {200 + n: it for n, it in beats(200, 7).items()},
    "a changed subscription": beats(100, 0) | {107: ["orders visits"], 120: ["orders visits"]},
    "and back again": beats(100, 0)
    | {107: ["orders visits"], 120: ["orders visits"], 131: ["orders"], 150: ["orders"]},
    "rebalances of its own, every twenty seconds": beats(300, 0) | beats(300, 0, period=20),
}


@pytest.mark.parametrize("schedule", ONE.values(), ids=ONE)
def test_one_process_is_not_taken_for_two(schedule: Schedule) -> None:
    """Whatever makes it send more heartbeats than it must."""
    assert [] == signs(lives(schedule))


def test_a_rolling_deploy_is_no_second_process() -> None:
    """Each change of the group may bring a heartbeat, even as regularly as a clock."""
    story = Story()
    story.reads(registered("c1"), routed("orders", 8))
    for number in range(40):
        story.waits(seconds=10)
        story.reads(registered("c1"), joined(f"m{number}"), *([left(f"m{number - 1}")][:number]))

    assert [] == signs(story)


def test_two_subscriptions_by_turns() -> None:
    """A, B, A, B: two processes that differ; not one that changes its mind."""
    story = lives({0: ["orders"], 12: ["visits"], 30: ["orders"]})
    assert [] == signs(story)

    story.waits(seconds=12)
    story.reads(registered("c1", "visits"))
    [noted] = only(ClientDoubled, story.decided)

    assert DoubleSign.SUBSCRIPTIONS == noted.sign
    assert "instanceName" in noted.detail
    for second in range(20):
        story.waits(seconds=15)
        story.reads(registered("c1", "orders" if second % 2 == 0 else "visits"))
    assert 1 == len(signs(story))


def test_two_sets_of_groups_by_turns() -> None:
    """One process is a member of a group that the other one does not have."""
    story = Story()
    for groups in (1, 2, 1):
        story.reads(registered("c1", groups_hash=groups))
        story.waits(seconds=14)
    assert [] == signs(story)

    story.reads(registered("c1", groups_hash=2))
    assert [DoubleSign.SUBSCRIPTIONS] == signs(story)
    assert 1 == story.state.epoch


def test_a_process_that_starts_one_consumer_after_the_other() -> None:
    """Is a member of more and more groups."""
    story = Story()
    for groups in range(1, 9):
        story.reads(registered("c1", groups_hash=groups))
        story.waits(seconds=30)

    assert [] == signs(story)


def test_three_different_subscriptions_are_a_change_of_mind() -> None:
    """Each is new."""
    said = ["a", "b", "c", "d", "e"]

    assert [] == signs(lives({n * 30: [topic] for n, topic in enumerate(said)}))


def test_turns_that_take_long_are_none() -> None:
    """Somebody switches a topic on and off, each few minutes."""
    story = Story()
    for topic in ["orders", "visits"] * 4:
        story.reads(registered("c1", topic))
        for _ in range(4):
            story.waits(seconds=30)
            story.reads(registered("c1", topic))

    assert [] == signs(story)


def test_where_the_last_heartbeat_wins_others_are_no_second_process() -> None:
    """Two clients that differ change each other's subscription, but say what they always said."""
    story = Story(policy=Policy(compat=Compat.ROCKETMQ))
    for _ in range(8):
        story.reads(registered("c1", "orders"))
        story.waits(seconds=10)
        story.reads(registered("c2", "visits"))
        story.waits(seconds=20)
    assert [] == signs(story)

    for topic in ["visits", "orders"] * 2:
        story.waits(seconds=10)
        story.reads(registered("c1", topic))
    assert [DoubleSign.SUBSCRIPTIONS] == signs(story)


def test_what_is_kept_goes_when_all_is_well() -> None:
    """And with the member."""
    story = lives(beats(100, 0) | {37: ["orders visits"], 41: ["orders"]})
    assert None is not story.state.membership.members[MemberId("c1")].doubled
    for _ in range(3):
        story.waits(seconds=30)
        story.reads(registered("c1"))

    assert None is story.state.membership.members[MemberId("c1")].doubled
