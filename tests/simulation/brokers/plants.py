"""Planted bugs of the jury: mistakes that somebody could make in it, each to be found by the seeds.

As ``tests.simulation.plants`` for the group's brain: they show that the simulation finds mistakes.
"""

from collections.abc import Callable, Collection
from typing import Any, Final

from rebalance.brokers.cluster import Broker
from rebalance.brokers.draft import Draft
from rebalance.brokers.findings import Findings, Votes
from rebalance.brokers.limits import Present
from rebalance.ids import BrokerName

Function = Callable[..., Any]


def quorum_of_one(right: Function) -> Function:
    """One complaint condemns."""

    def wrong(draft: Draft, votes: Votes) -> bool:
        return bool(right(draft, votes)) or any(votes.values())

    return wrong


def last_of_a_topic_taken(right: Function) -> Function:
    """A topic's last broker is a broker like any other."""
    del right

    def wrong(
        draft: Draft, there: Present, taken: Collection[BrokerName], name: BrokerName
    ) -> bool:
        del draft
        return not there - {name, *taken}

    return wrong


def ejection_without_end(right: Function) -> Function:
    """Who is out stays out: only testers who are content can end it."""

    def wrong(draft: Draft, name: BrokerName, broker: Broker, views: Any) -> Broker:  # noqa: ANN401 - passed on
        served: Broker = right(draft, name, broker, views)
        return broker if draft.now >= broker.out.until else served  # type: ignore[union-attr] # it is out

    return wrong


def ejection_prolonged_too_late(right: Function) -> Function:
    """Prolonged at the first count after its end; until then all readers are back."""

    def wrong(draft: Draft, name: BrokerName, broker: Broker, views: Any) -> Broker:  # noqa: ANN401 - passed on
        served: Broker = right(draft, name, broker, views)
        early = served.out is not None and draft.now < broker.out.until  # type: ignore[union-attr] # it is out
        return broker if early else served

    return wrong


def panic_unnoticed(right: Function) -> Function:
    """Most brokers are unfit, and the jury goes on as always."""
    del right

    def wrong(draft: Draft, findings: Findings) -> None:
        """Found nothing."""

    return wrong


PLANTS: Final = {
    "a quorum of one": ("rebalance.brokers.findings._condemns", quorum_of_one, "for nothing", 0),
    "the last of a topic is taken": (
        "rebalance.brokers.limits._endangers",
        last_of_a_topic_taken,
        "has lost its last broker",
        6,
    ),
    "an ejection without end": (
        "rebalance.brokers.sweep._served",
        ejection_without_end,
        "is still out",
        1,
    ),
    "an ejection prolonged too late": (
        "rebalance.brokers.sweep._served",
        ejection_prolonged_too_late,
        "is bad and not out",
        8,
    ),
    "a panic unnoticed": (
        "rebalance.brokers.sweep._notice_panic",
        panic_unnoticed,
        "no panic",
        28,
    ),
}
"""Where each is planted, what it is, what the judges say of it, and a world that shows it."""
