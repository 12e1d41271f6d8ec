"""Small groups, drawn at random: what the laws of STICKY are tried on.

Few members, topics and queues, so that an oracle can try everything; but every kind of trouble: no
members, no queues, caps of nothing, owners that left or that no longer subscribe.
"""

import random
from itertools import product

from hypothesis import strategies as st

from rebalance.allocation import AllocationRequest, Applicant
from rebalance.ids import BrokerName, MemberId, Queue, TopicName

MEMBERS = [MemberId(name) for name in ("a", "b", "c", "d")]
TOPICS = [TopicName(name) for name in ("t", "u", "v", "w")]
GONE = MemberId("gone")

SUBSCRIPTIONS = [
    frozenset(topic for place, topic in enumerate(TOPICS) if mask >> place & 1)
    for mask in range(1, 2 ** len(TOPICS))
]

PEOPLE = st.lists(
    st.sampled_from(
        [
            Applicant(topics, weight, cap, rack)
            for weight in (1, 1, 1, 2, 3)
            for cap in (None, None, None, 0, 1, 2, 3)
            for rack in ("", "east", "west")
            for topics in (frozenset(TOPICS), *SUBSCRIPTIONS)
        ]
    ),
    max_size=len(MEMBERS),
)
"""Members: mostly plain, sometimes heavier, capped, or picky. All kinds stand in one list that is
made once: drawing is what costs, not what is drawn."""

QUEUES = [
    st.lists(
        st.sampled_from(list(product(TOPICS, [None, *MEMBERS[:count], GONE]))),
        max_size=6 if count < len(MEMBERS) else 5,
    )
    for count in range(len(MEMBERS) + 1)
]
"""Topic and owner of each queue, when there are so many members: few enough to try everything."""


def dice() -> st.SearchStrategy[random.Random]:
    """Draw dice: one draw, however often they are thrown."""
    return st.builds(random.Random, st.integers(0, 2**32 - 1))


@st.composite
def requests(draw: st.DrawFn) -> AllocationRequest:
    """Draw a group with at most six queues, owned by anybody, nobody, or somebody who left."""
    people = draw(PEOPLE)
    drawn = draw(QUEUES[len(people)])
    queues = [Queue(topic, BrokerName(""), place) for place, (topic, _) in enumerate(drawn)]
    owned = zip(queues, (owner for _, owner in drawn), strict=True)
    return AllocationRequest(
        candidates=dict(zip(MEMBERS, people, strict=False)),
        queues={
            topic: tuple(queue for queue in queues if queue.topic == topic) for topic in TOPICS
        },
        current={queue: owner for queue, owner in owned if owner is not None},
    )
