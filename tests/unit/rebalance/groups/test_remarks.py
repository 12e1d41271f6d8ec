"""What an answer says beyond that a command is done."""

import pytest

from rebalance.groups.model.commands import ChooseStrategy, Command
from rebalance.groups.model.decisions import CommandAnswered
from rebalance.groups.model.policy import Policy
from tests.builders.records import commanded, joined, routed
from tests.builders.story import Story, only


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
