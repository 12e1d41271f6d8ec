"""Members that are RocketMQ's own clients."""

import pytest

from rebalance.groups.model.commands import ChoosePolicy
from rebalance.groups.model.decisions import (
    AssignmentIssued,
    EvictionsHeld,
    MemberChange,
    MemberChanged,
)
from rebalance.groups.model.events import Mode
from rebalance.groups.model.overrides import Overrides
from rebalance.groups.model.policy import Compat, Policy
from rebalance.ids import MemberId
from tests.builders.amnesia import Remembered, a_story
from tests.builders.records import commanded, joined, registered, routed, unregistered
from tests.builders.story import Story, only


def changes(story: Story) -> list[tuple[str, MemberChange]]:
    """What the history says of members, by now."""
    return [(it.member, it.change) for it in story.decisions if isinstance(it, MemberChanged)]


def topics(story: Story, member: str) -> set[str]:
    """What a member wants."""
    return set(story.state.membership.members[MemberId(member)].topics)


def adopted(story: Remembered) -> Remembered:
    """Three clients of two topics; the log has forgotten what they said. The last has no queue."""
    clients = [registered(name, "orders payments") for name in ("c1", "c2", "c3")]
    story.reads(*clients, routed("orders", 2), routed("payments", 1))
    story.forgets(kept=len(story.log))
    return story


def asked(story: Story) -> set[str]:
    """Who is asked to say all again, by its last record."""
    return {it.member for it in story.records.values() if it is not None and it.join_again}


def custom(story: Story) -> Story:
    """The same story where RocketMQ's way with subscriptions is kept."""
    story.policy = Policy(compat=Compat.ROCKETMQ)
    return story


def test_the_first_heartbeat_is_a_join() -> None:
    """A share at once, and a line in the history."""
    story = Story()
    story.reads(registered("c1"), registered("c2"), routed("orders", 2))

    assert [("c1", MemberChange.JOINED), ("c2", MemberChange.JOINED)] == changes(story)
    assert (1, 1) == (len(story.told("c1").hold), len(story.told("c2").hold))


def test_a_heartbeat_that_says_nothing_new_is_a_beat() -> None:
    """It draws no epoch and is sent no record, and keeps the member alive."""
    story = Story()
    story.reads(registered("c1"), routed("orders", 2))
    for _ in range(4):
        story.waits(seconds=100)
        assert [] == story.reads(registered("c1"))

    assert 1 == story.state.epoch


def test_a_silent_client_expires_after_two_minutes() -> None:
    """Not before, and only by the log's own time."""
    story = Story()
    story.reads(registered("c1"), routed("orders", 2))
    story.waits(seconds=119)
    assert [MemberId("c1")] == list(story.state.membership.members)

    story.waits(seconds=1)
    assert ("c1", MemberChange.EXPIRED) == changes(story)[-1]


@pytest.mark.parametrize(("clients", "until"), [(1, 120), (3, 164), (5, 178)])
def test_clients_that_take_what_they_are_told_go_together(clients: int, until: int) -> None:
    """Nobody is heard. Each would be given the queues of those that went before, and may live."""
    story = Story()
    story.reads(routed("orders", 10))
    for name in "abcde"[:clients]:
        story.reads(registered(name))
        story.waits(seconds=7)
    shares = {name: len(story.told(name).hold) for name in "abcde"[:clients]}
    story.waits(seconds=until - 7 * clients - 1)
    assert shares == {name: len(story.told(name).hold) for name in "abcde"[:clients]}

    story.waits(seconds=1)

    assert not story.state.membership.members


def test_a_client_that_is_heard_again_lets_the_others_go_one_by_one() -> None:
    """It works, and so it may have their queues."""
    story = Story()
    story.reads(routed("orders", 10))
    for name in "abc":
        story.reads(registered(name))
        story.waits(seconds=25)
    story.waits(seconds=86)
    assert ["a", "b", "c"] == sorted(story.state.membership.members)

    story.reads(registered("b"), registered("c"))
    story.waits(seconds=30)

    assert ["b", "c"] == sorted(story.state.membership.members)


@pytest.mark.parametrize(
    ("clients", "percent", "apart_s"), [(2, 50, 25), (3, 100, 25), (3, 50, 30)]
)
def test_few_clients_and_those_of_whom_one_was_heard_lately_go_one_by_one(
    clients: int, percent: int, apart_s: int
) -> None:
    """As members of other kinds do: nothing is held, so nobody is called."""
    story = Story(policy=Policy(blast_percent=percent))
    story.reads(routed("orders", 10))
    for name in "abcd"[:clients]:
        story.reads(registered(name))
        story.waits(seconds=apart_s)
    story.waits(seconds=119 - clients * apart_s)
    assert clients == len(story.state.membership.members)

    story.waits(seconds=1)

    assert ["b", "c"][: clients - 1] == sorted(story.state.membership.members)
    assert [] == only(EvictionsHeld, story.decisions)


def test_a_client_that_expired_comes_back_with_its_next_heartbeat() -> None:
    """Under its old name and life, which is the only one that it has, and with new grants."""
    story = Story()
    story.reads(registered("c1"), routed("orders", 1))
    story.waits(seconds=120)
    story.reads(registered("c1"))

    assert ("c1", MemberChange.JOINED) == changes(story)[-1]
    assert [3] == [naming.epoch for naming in story.told("c1").hold]


def test_a_client_that_unregisters_is_gone() -> None:
    """Its queues go to the others at once: it waits for nobody, and nobody for it."""
    story = Story()
    story.reads(registered("c1"), registered("c2"), routed("orders", 2))
    story.reads(unregistered("c1"))

    assert ("c1", MemberChange.LEFT) == changes(story)[-1]
    assert 2 == len(story.told("c2").hold)


def test_a_client_that_unregistered_may_come_back_at_once() -> None:
    """Its only life has no end: what it says next is a join again."""
    story = Story()
    story.reads(registered("c1"), routed("orders", 2))
    story.reads(unregistered("c1"), registered("c1"))

    assert ["joined", "left", "joined"] == [change for _, change in changes(story)]
    assert 2 == len(story.told("c1").hold)


def test_a_changed_subscription_is_told_and_obeyed() -> None:
    """The client is answered, and gets its share of the new topic."""
    story = Story()
    story.reads(registered("c1"), routed("orders", 1))
    decided = story.reads(registered("c1", "orders payments"), routed("payments", 1))

    assert [it.member for it in decided if isinstance(it, AssignmentIssued)] == ["c1"]
    assert 2 == len(story.told("c1").hold)


def test_a_broadcasting_client_has_every_queue() -> None:
    """Beside clients that share them."""
    story = Story()
    story.reads(registered("c1", mode=Mode.BROADCASTING), registered("c2"), routed("orders", 2))

    assert (2, 2) == (len(story.told("c1").hold), len(story.told("c2").hold))


def test_a_client_without_any_subscription_is_a_member() -> None:
    """It gets nothing and disturbs nobody."""
    story = Story()
    story.reads(registered("c1", ""), registered("c2"), routed("orders", 2))

    assert (0, 2) == (len(story.told("c1").hold), len(story.told("c2").hold))


def test_a_member_of_ours_is_younger_than_any_client_of_its_name() -> None:
    """A client cannot take the name of a member that has a life."""
    story = Story()
    story.reads(joined("a"), routed("orders", 1))
    story.reads(registered("a", "payments"))

    assert {"orders"} == topics(story, "a")


def test_each_client_has_its_own_subscription() -> None:
    """Unless the policy says otherwise."""
    story = Story()
    story.reads(registered("c1"), registered("c2", "payments"), registered("c1"))

    assert ({"orders"}, {"payments"}) == (topics(story, "c1"), topics(story, "c2"))


def test_the_last_heartbeat_wins_for_the_whole_group_where_that_is_the_custom() -> None:
    """And a topic that it does not name is gone for all: an unchanged heartbeat takes it back."""
    story = custom(Story())
    story.reads(registered("c1", "orders"), registered("c2", "payments"))
    assert ({"payments"}, {"payments"}) == (topics(story, "c1"), topics(story, "c2"))

    story.reads(registered("c1", "orders"))
    assert ({"orders"}, {"orders"}) == (topics(story, "c1"), topics(story, "c2"))


def test_a_group_at_rest_takes_up_the_custom_by_command_and_gives_it_up() -> None:
    """With the next heartbeat that names topics, though it says nothing new; and so back."""
    story = Story()
    story.reads(registered("c1", "orders"), registered("c2", "payments"), joined("a", "bills"))
    story.reads(commanded(ChoosePolicy(Overrides(compat=Compat.ROCKETMQ))))
    story.reads(registered("c2", None))
    assert ({"orders"}, {"payments"}) == (topics(story, "c1"), topics(story, "c2"))
    story.reads(registered("c1", "orders"))
    assert ({"orders"}, {"orders"}) == (topics(story, "c1"), topics(story, "c2"))
    assert [] == story.reads(registered("c1", "orders"))

    story.reads(commanded(ChoosePolicy()))
    story.reads(registered("c1", "orders"), registered("c2", "payments"))
    assert ({"orders"}, {"payments"}) == (topics(story, "c1"), topics(story, "c2"))
    assert {"bills"} == topics(story, "a")


def test_queues_of_a_topic_that_is_gone_for_all_are_taken_away() -> None:
    """Those who read it hear that they do no more."""
    story = custom(Story())
    story.reads(registered("c1"), registered("c2"), routed("orders", 2))
    story.reads(registered("c2", "payments"), routed("payments", 2))

    assert {"payments"} == {naming.queue.topic for naming in story.told("c1").hold}
    assert {} == {
        queue: it for queue, it in story.state.handover.books.items() if queue.topic == "orders"
    }


def test_members_that_release_keep_their_own_subscription_everywhere() -> None:
    """They are none of RocketMQ's."""
    story = custom(Story())
    story.reads(joined("a", "orders"), registered("c1", "payments"), joined("b", "bills"))

    assert ({"orders"}, {"bills"}) == (topics(story, "a"), topics(story, "b"))
    assert {"payments"} == topics(story, "c1")


def test_a_heartbeat_without_subscriptions_changes_none() -> None:
    """V2: the client leaves them out while it believes them known."""
    for story in (Story(), custom(Story())):
        story.reads(registered("c1"), routed("orders", 1))
        assert [] == story.reads(registered("c1", None))
        assert {"orders"} == topics(story, "c1")


def test_a_stranger_without_subscriptions_has_those_of_the_group_where_that_is_the_custom() -> None:
    """Elsewhere nobody knows what it wants, so it has to say it first."""
    story = Story()
    story.reads(registered("c1"), registered("c2", None))
    assert [MemberId("c1")] == list(story.state.membership.members)

    story = custom(Story())
    story.reads(registered("c1"), registered("c2", None))
    assert {"orders"} == topics(story, "c2")


def test_what_an_adopted_client_holds_is_not_taken_for_all_that_it_subscribes() -> None:
    """V2: it leaves that out for days, so it is asked until it says it, and no longer."""
    story = adopted(a_story())
    shorts = [registered(name, None) for name in ("c1", "c2", "c3")]
    story.reads(*shorts)
    assert {"c1", "c2", "c3"} == asked(story)
    assert all(it.eager for it in story.state.membership.members.values())
    assert [] == story.reads(*shorts)

    story.reads(registered("c2", "orders payments"), registered("c3", "orders payments"))
    assert {"c1"} == asked(story)
    story.reads(unregistered("c1"))
    story.waits(seconds=1)
    assert 3 == len([*story.told("c2").hold, *story.told("c3").hold])


def test_an_adopted_client_makes_what_it_holds_no_custom() -> None:
    """The others would lose the topics that it has no queue of."""
    story = adopted(a_story(Policy(compat=Compat.ROCKETMQ)))
    story.reads(registered("c1", "orders payments"), registered("c3", None))

    assert {"orders", "payments"} == topics(story, "c1")
    story.reads(registered("c2", "orders payments"))
    assert {"orders", "payments"} == topics(story, "c3")
