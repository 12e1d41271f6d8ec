"""What the jury remembers of a cluster does not contradict itself."""

from collections.abc import Callable

import pytest

from rebalance.brokers.cluster import Cluster, StandingCommand
from rebalance.brokers.draft import Draft
from rebalance.brokers.events import ClusterName
from rebalance.brokers.policy import VerdictPolicy
from rebalance.ids import BrokerName, Millis, TopicName
from trimtab.faults import FaultItem

NOBODY, AT = BrokerName("x"), Millis(5)
COMMAND = StandingCommand(available=False, reason="disk", since_ms=AT, until_ms=None, until=None)
BREACHES: dict[str, tuple[Callable[[Draft], object], str]] = {
    "the clock goes back": (lambda it: setattr(it, "now", Millis(4)), "never goes back"),
    "a lease of no topic": (lambda it: it.leases.update({TopicName("t"): AT}), "is a topic's"),
    "a command about nobody": (lambda it: it.commands.update({NOBODY: COMMAND}), "known broker"),
    "an item of nobody": (
        lambda it: it.items.update({NOBODY: FaultItem(broker="x")}),
        "known broker",
    ),
}


@pytest.mark.parametrize(("breach", "said"), BREACHES.values(), ids=BREACHES)
def test_a_cluster_that_contradicts_itself_is_not_made(
    breach: Callable[[Draft], object], said: str
) -> None:
    """Nothing of such a step may be published."""
    draft = Draft(Cluster(ClusterName("c"), now=AT), VerdictPolicy())
    assert draft.after() == Cluster(ClusterName("c"), now=AT)
    breach(draft)

    with pytest.raises(AssertionError, match=said):
        draft.after()
