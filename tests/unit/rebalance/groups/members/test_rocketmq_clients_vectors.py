"""The consumer table beside that of RocketMQ's own brokers: who is in a group, and for what topics.

Their table knows channels, so here a client leaves with the last of its channels; when a channel is
closed for its silence is theirs to say (ours have sessions of their own), and what a subscription
says beside its topic is no business of the brain.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from rebalance.groups.model.policy import Compat, Policy
from tests.builders.fault_vectors import read
from tests.builders.lines import Line, of_each
from tests.builders.records import registered, unregistered
from tests.builders.story import Story

LINES = [line for line in read("registry") if line["kind"] == "manager"]


@dataclass
class Group:
    """One group, theirs and ours."""

    story: Story = field(default_factory=lambda: Story(Policy(compat=Compat.ROCKETMQ)))
    channels: dict[str, str] = field(default_factory=dict)
    """The client of each."""

    def register(self, channel: str, client: str, topics: str | None) -> None:
        """A client speaks, perhaps on the channel of another one, which it takes over."""
        if self.channels.get(channel, client) != client:
            self.unregister(channel)
        self.channels[channel] = client
        self.story.reads(registered(client, topics))

    def unregister(self, channel: str) -> None:
        """A channel is no more."""
        client = self.channels.pop(channel, None)
        if client is not None and client not in self.channels.values():
            self.story.reads(unregistered(client))

    def shown(self) -> tuple[list[str], list[list[str]]]:
        """The clients, and every different subscription that they have."""
        members = self.story.state.membership.members
        return sorted(members), [sorted(it) for it in {it.topics for it in members.values()}]


def step(groups: defaultdict[str, Group], line: Line) -> None:
    """Do one step of a line."""
    match line["op"]:
        case "register" | "register_without_sub":
            told = line.get("updateSubscription", False)
            topics = " ".join(sub["topic"] for sub in line["subs"]) if told else None
            groups[line["group"]].register(line["channel"], line["clientId"], topics)
        case "unregister":
            groups[line["group"]].unregister(line["channel"])
        case "channel_close_event":
            for group in groups.values():
                group.unregister(line["channel"])
        case "scan":
            for event in line["events"]:  # one for each group in which it was silent
                groups[event["group"]].unregister(event["args"][0]["channel"])


@of_each(LINES)
def test_a_group_knows_whom_and_what_a_broker_does(line: Line) -> None:
    """After every step: the same clients, and one subscription for all of them."""
    groups = defaultdict[str, Group](Group)
    for number, each in enumerate(line["steps"]):
        step(groups, each)
        for name, theirs in each["groups_changed"].items():
            if theirs is None:
                assert ([], []) == groups[name].shown(), number
            else:
                clients, topics = sorted({*theirs["client_ids"]}), sorted(theirs["subscriptions"])
                assert (clients, [topics]) == groups[name].shown(), number
