"""RANGE beside Kafka's RangeAssignor, queue by queue.

Random groups, small and odd: topics of unequal size and pairs of equal size that are to be joined
(co-partitioned), members that subscribe all or some of them, static members, fewer queues than
members. Called by
``__main__``. Its one rule: what is counted is queues with different owners, and there are none.
"""

import random

import numpy as np

from allocators.kafka import ranges
from bench.allocators.kafka import Kafka
from bench.allocators.scenario import NOBODY, SEED, Scenario
from rebalance.allocation import AllocationRequest, Applicant
from rebalance.ids import BrokerName, MemberId, Queue, TopicName

GROUPS = 300


def differences(kafka: Kafka, groups: int = GROUPS) -> tuple[int, int]:
    """Return how many queues were asked about, and how many have another owner than Kafka's."""
    dice = random.Random(SEED)
    asked = different = 0
    for _ in range(groups):
        group = _group(dice)
        owners = ranges(AllocationRequest(group.candidates, group.queues)).owners
        number: dict[MemberId | None, int] = {name: at for at, name in enumerate(group.members)}
        queues = [queue for shelf in group.queues.values() for queue in shelf]
        mine = np.array([number.get(owners.get(queue), NOBODY) for queue in queues])
        theirs, _ = kafka.assign("range", group, np.full(len(queues), NOBODY, np.int64), 0, 1)
        asked, different = asked + len(queues), different + int(np.count_nonzero(mine != theirs))
    return asked, different


def _group(dice: random.Random) -> Scenario:
    topics = [TopicName(f"topic-{place}") for place in range(dice.randint(1, 8))]
    sizes = [dice.choice([1, 2, 7, 12, 12, 30]) for _ in topics]
    queues = {
        topic: tuple(Queue(topic, BrokerName(""), place) for place in range(size))
        for topic, size in zip(topics, sizes, strict=True)
    }
    people = tuple(MemberId(f"member-{place:02d}") for place in range(dice.randint(1, 20)))
    picky = dice.choice([0.3, 0.7, 1.0])
    kinds = (
        frozenset(topic for topic in topics if dice.random() < picky) or frozenset(topics)
        for _ in people
    )
    static = dice.choice([0.0, 0.5])
    candidates = {
        name: Applicant(
            kind, instance=f"i-{dice.randint(0, 99):02d}-{name}" if dice.random() < static else ""
        )
        for name, kind in zip(people, kinds, strict=True)
    }
    return Scenario(people, candidates, queues)
