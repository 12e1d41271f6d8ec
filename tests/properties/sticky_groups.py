"""Small groups, drawn at random: what the laws of STICKY are tried on.

Few members, topics and queues, so that an oracle can try everything; but every kind of trouble: no
members, no queues, caps of nothing, owners that left or that no longer subscribe.
"""

from hypothesis import strategies as st

from rebalance.allocation import AllocationRequest, Candidate
from rebalance.ids import BrokerName, MemberId, Queue, TopicName

MEMBERS = [MemberId(name) for name in ("a", "b", "c", "d")]
TOPICS = [TopicName(name) for name in ("t", "u", "v", "w")]
GONE = MemberId("gone")


SUBSCRIPTIONS = [
    frozenset(topic for place, topic in enumerate(TOPICS) if mask >> place & 1)
    for mask in range(1, 2 ** len(TOPICS))
]

candidates = st.builds(
    Candidate,
    topics=st.sampled_from([frozenset(TOPICS), *SUBSCRIPTIONS]),
    weight=st.sampled_from([1, 1, 1, 2, 3]),
    capacity=st.sampled_from([None, None, None, 0, 1, 2, 3]),
    rack=st.sampled_from(["", "east", "west"]),
)
"""A member: mostly plain, sometimes heavier, capped, or picky."""


@st.composite
def requests(draw: st.DrawFn) -> AllocationRequest:
    """Draw a group with at most six queues, owned by anybody, nobody, or somebody who left."""
    people = draw(st.lists(candidates, max_size=len(MEMBERS)))
    most = 6 if len(people) < len(MEMBERS) else 5
    owners = st.sampled_from([*MEMBERS[: len(people)], GONE, None])
    drawn = draw(st.lists(st.tuples(st.sampled_from(TOPICS), owners), max_size=most))
    queues = [Queue(topic, BrokerName(""), place) for place, (topic, _) in enumerate(drawn)]
    owned = zip(queues, (owner for _, owner in drawn), strict=True)
    return AllocationRequest(
        candidates=dict(zip(MEMBERS, people, strict=False)),
        queues={
            topic: tuple(queue for queue in queues if queue.topic == topic) for topic in TOPICS
        },
        current={queue: owner for queue, owner in owned if owner is not None},
    )
