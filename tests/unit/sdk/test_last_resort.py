"""Where a message goes when every broker has something against it: the mildest thing first.

One that was slow here comes before one that a verdict has out of use for all, in each generation.
"""

from collections.abc import Sequence

import pytest

from trimtab import BrokerSelector, QueueRef
from trimtab.faults import Selector
from trimtab.protocol import Verdict

NOW = 1_700_000_000_000
QUEUES = [QueueRef("t", broker, number) for broker in ("out", "slow") for number in range(4)]
OUT = Verdict(
    cluster="c",
    broker="out",
    available=False,
    since_ms=NOW,
    reason="it fails",
    panic=False,
    reports=5,
    errors=5,
)


@pytest.mark.parametrize("generation", ["4.2", "4.9", "5"])
@pytest.mark.parametrize("slow", [("out", "slow"), ("slow",), ("slow", "elsewhere")])
def test_a_broker_that_was_slow_comes_before_one_that_is_out_by_a_verdict(
    generation: Selector, slow: Sequence[str]
) -> None:
    """Whatever else is in the table: brokers of other topics are no way out."""
    selector = BrokerSelector(generation)
    selector.hear(OUT, NOW, NOW)
    for broker in slow:
        selector.report(broker, 600, NOW)

    assert {"slow"} == {selector.select(QUEUES, NOW + 100).broker for _ in range(40)}
