"""What large groups would feel: work that is done once, not for each member or each topic."""

from collections import Counter
from collections.abc import Iterator

import pytest

from allocators import allocator
from allocators.rocketmq import consistent_hash
from allocators.rocketmq.configured import given_once
from allocators.rocketmq.per_topic import per_topic
from rebalance.allocation import AllocationRequest
from rebalance.ids import BrokerName, MemberId, Queue, TopicName
from tests.unit.allocators.groups import group, member, shares, shelf


class Walked(list[Queue]):
    """A list that counts how often it is walked."""

    times = 0

    def __iter__(self) -> Iterator[Queue]:
        """Count."""
        self.times += 1
        return super().__iter__()


def test_config_walks_its_list_once() -> None:
    """The first subscriber has what is listed; the others, and other topics, cost no walk."""
    listed = Walked([*shelf("t", 2), *shelf("u", 1), *shelf("gone", 1)])
    people = {"b": member("t"), "c": member("t", "u"), "a": member("u", "t")}
    plan = per_topic(given_once(listed))(group(people, {"t": 3, "u": 2}))

    assert {"a": ["t0", "t1", "u0"]} == shares(plan)
    assert {"the strategy gives it to nobody"} == set(plan.unassigned.values())
    assert 1 == listed.times


def test_each_room_s_ring_is_built_once_for_all_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four rooms, three topics: each client is put on a ring once."""
    hashed, ring_hash = list[str](), consistent_hash.ring_hash

    def counted(key: str) -> int:
        hashed.append(key)
        return ring_hash(key)

    monkeypatch.setattr(consistent_hash, "ring_hash", counted)
    people = {MemberId(f"room{place % 4}-{place}"): member("t", "u", "v") for place in range(8)}
    brokers = [BrokerName(f"room{place}-broker") for place in range(4)]
    topics = {
        TopicName(topic): tuple(Queue(TopicName(topic), broker, 0) for broker in brokers)
        for topic in "tuv"
    }
    options = {"inner": "CONSISTENT_HASH", "virtualNodeCnt": 3, "resolver": "before-first-dash"}
    plan = allocator("MACHINE_ROOM_NEARBY", options)(AllocationRequest(people, topics))

    assert 12 == len(plan.owners)
    assert 8 * 3 + 12 == len(hashed)


def test_a_large_ring_is_built_once_for_all_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many nodes for each of two members, and three topics."""
    hashed, ring_hash = Counter[str](), consistent_hash.ring_hash

    def counted(key: str) -> int:
        hashed["times"] += 1
        return ring_hash(key)

    monkeypatch.setattr(consistent_hash, "ring_hash", counted)
    people = {"large-a": member("t", "u", "v"), "large-b": member("t", "u", "v")}
    deal = allocator("CONSISTENT_HASH", {"virtualNodeCnt": 50_001})
    plan = deal(group(people, {"t": 1, "u": 1, "v": 1}))

    assert 3 == len(plan.owners)
    assert 2 * 50_001 + 3 == hashed["times"]


def test_a_ring_is_never_larger_than_a_worker_bears() -> None:
    """It once was hours of one step. The strategy fails, so whoever has queues keeps them."""
    deal = allocator("CONSISTENT_HASH", {"virtualNodeCnt": 500_001})
    people = {"a": member("t"), "b": member("t")}

    with pytest.raises(ValueError, match="virtualNodeCnt 500001 for each of 2 members is more"):
        deal(group(people, {"t": 2}))
