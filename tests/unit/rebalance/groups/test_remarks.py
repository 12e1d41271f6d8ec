"""What an answer says beyond that a command is done."""

import pytest

from rebalance.groups.model.commands import (
    Approve,
    ChooseMode,
    ChoosePolicy,
    ChooseStrategy,
    Command,
    DrainMember,
    Pause,
    RebalanceNow,
    UndrainMember,
)
from rebalance.groups.model.decisions import CommandAnswered
from rebalance.groups.model.overrides import Overrides
from rebalance.groups.model.policy import Policy
from rebalance.ids import MemberId, Millis, TopicName
from tests.builders.records import commanded, joined, registered, routed
from tests.builders.story import Story, only, two_members


def answered(story: Story, command: Command) -> tuple[str, str]:
    """Return the answer to a command."""
    (answer,) = only(CommandAnswered, story.reads(commanded(command)))
    return answer.outcome.value, answer.detail


def at_rest(policy: Policy) -> Story:
    """A group of two members."""
    story = Story(policy=policy)
    story.reads(joined("a"), joined("b"), routed("orders", 4))
    story.settles()
    return story


@pytest.mark.parametrize(
    ("options", "strategy", "remark"),
    [
        ("{}", "STICKY", ""),
        ('{"virtual_nodes":7}', "STICKY", "without the controller's options"),
        ('{"virtual_nodes":7}', "AVG", ""),
        ('{"virtual_nodes":7}', None, ""),
    ],
)
def test_options_are_the_controllers(options: str, strategy: str | None, remark: str) -> None:
    """A group that chooses the same strategy by name gets it without them."""
    story = at_rest(Policy(strategy_options=options))

    assert ("done", remark) == answered(story, ChooseStrategy(strategy))


WAITS = "it waits for `groups resume`"


def test_what_comes_of_a_command_only_after_a_pause_is_said() -> None:
    """A target is not computed before, and nobody evicted; a drain acts where heirs stand ready."""
    story = at_rest(Policy(strategy_options='{"virtual_nodes":7}'))
    story.reads(commanded(Pause()))
    assert ("done", WAITS) == answered(story, RebalanceNow())
    assert ("done", WAITS) == answered(story, ChooseStrategy("AVG"))
    both = f"without the controller's options; {WAITS}"
    assert ("done", both) == answered(story, ChooseStrategy("STICKY"))
    stay = "its queues without a standing heir (2) wait for `groups resume`"
    assert ("done", stay) == answered(story, DrainMember(MemberId("b")))
    assert ("done", WAITS) == answered(story, UndrainMember(MemberId("b")))
    assert ("refused", "no eviction and no route waits for approval") == answered(story, Approve())
    story.waits(seconds=15)
    assert ("done", f"2 held evictions, 0 topics in doubt; {WAITS}") == answered(story, Approve())
    assert {"a", "b"} == set(story.state.membership.members)


@pytest.mark.parametrize(
    ("standing", "new", "remark"),
    [
        (None, None, ""),
        (None, 60_000, "replaces a pause that lasts until `groups resume`"),
        (60_000, None, "replaces a pause with another end"),
        (60_000, 30_000, "replaces a pause with another end"),
        (60_000, 60_000, ""),
    ],
)
def test_a_pause_that_takes_the_place_of_another_says_so(
    standing: int | None, new: int | None, remark: str
) -> None:
    """It may end sooner than somebody else relies on."""
    story = at_rest(Policy())
    begun = story.wall
    ends = [None if it is None else Millis(begun + it) for it in (standing, new)]
    assert ("done", "") == answered(story, Pause(ends[0]))

    assert ("done", remark) == answered(story, Pause(ends[1]))


def test_a_mode_that_nobody_changes_to_says_so() -> None:
    """Members of the SDK own their queues as before."""
    story = at_rest(Policy())
    pop = ChooseMode(TopicName("orders"), pops=True)
    assert ("done", "no RocketMQ client subscribes it") == answered(story, pop)
    story.reads(registered("client", "orders"))
    assert ("done", "") == answered(story, pop)


def test_no_mode_is_changed_in_a_pause() -> None:
    """Nor to one that could not be taken back before its end."""
    story = at_rest(Policy())
    story.reads(registered("client", "orders"), commanded(Pause()))
    refusal = "the group is paused or has a failure, so no member could own the queues"

    assert ("refused", refusal) == answered(story, ChooseMode(TopicName("orders"), pops=True))
    assert not story.state.rules.popped


@pytest.mark.parametrize("name", ["orders", "billing/orders"])
def test_a_share_number_that_an_exception_goes_before_says_so(name: str) -> None:
    """The controller's settings name the topic, and so are the nearer ones."""
    story = at_rest(Policy(share_numbers=((name, 1), ("other", 2), ("else/orders", 2))))
    assert ("done", "flap_limit=9") == answered(story, ChoosePolicy(Overrides(flap_limit=9)))
    said = "share_number=3; the controller's share_numbers override it for orders"

    assert ("done", said) == answered(story, ChoosePolicy(Overrides(share_number=3)))
    assert 1 == story.state.rules.overrides.over(story.policy).share_number_of(
        story.state.name, TopicName("orders")
    )


def test_a_pause_that_is_over_when_it_comes_is_refused() -> None:
    """By the broker's clock: who gave it by a slow one would think that nothing moves."""
    story = two_members()
    late = Pause(until=Millis(story.wall - 60_000))
    (answer,) = only(CommandAnswered, story.reads(commanded(late)))

    assert ("refused", "its end was 60 s ago by Kafka's clock") == (answer.outcome, answer.detail)
    assert not story.state.rules.paused
