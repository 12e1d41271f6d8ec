"""What RocketMQ's producers do with verdicts and names of clusters: both clients, without a server.

``test_producers`` shows the whole with real brokers.
"""

from typing import Final

import pytest

from bench.rocketmq.programs import FIVE, FOUR
from tests.integration.java_programs import answered, java

pytestmark = pytest.mark.slow

CLIENTS: Final = pytest.mark.parametrize("client", [FIVE, FOUR])


def play(story: str, client: str) -> list[str]:
    """What comes of a story."""
    return answered(java("rocketmq.ProducerRules", client), [story])


@CLIENTS
def test_a_broker_is_of_the_cluster_that_the_name_server_says(client: str) -> None:
    """Or old and new processes would be heard by two juries, each of which knows half.

    The client keeps a route that differs in nothing but the cluster.
    """
    assert ["west east west"] == play("renamed", client)


@CLIENTS
def test_a_broker_that_was_slow_comes_before_one_that_is_out_by_a_verdict(client: str) -> None:
    """4.9's table may name a broker of another topic, and then all of this one have their turn."""
    assert ["[c]"] == play("slow", client)
