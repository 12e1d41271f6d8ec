"""STICKY's laws by example; what no example can show is in tests/laws/test_sticky.py."""

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allocators.sticky import even as shortcut
from allocators.sticky import levels, spread, strategy
from allocators.sticky.catalog import numbered
from allocators.sticky.chain import Chain
from allocators.sticky.parts import parts
from allocators.sticky.racks import neighbourly
from allocators.sticky.strategy import sticky
from allocators.sticky.waterline import Ints, waterline
from rebalance.ids import MemberId
from tests.builders.effort import tried
from tests.builders.sticky_oracle import moves, worth
from tests.unit.allocators.groups import group, member, shares, shelf


def test_loads_are_fair_along_a_chain_of_subscriptions() -> None:
    """Kafka's documented limit, 9/10/11 where 10/10/10 exists, is none here."""
    members = {"a": member("t"), "b": member("t", "u"), "c": member("u")}
    plan = sticky(group(members, {"t": 9, "u": 21}))

    assert [9, 10, 11] == sorted(len(queues) for queues in shares(plan).values())
    plan = sticky(group(members, {"t": 12, "u": 18}))
    assert [10, 10, 10] == sorted(len(queues) for queues in shares(plan).values())


def test_owners_are_the_same_one_by_one_and_at_once() -> None:
    """They are an array, and read like a dictionary; only at once they are read fast."""
    owners = sticky(group({"a": member("t"), "b": member("t", cap=1)}, {"t": 5, "u": 1})).owners

    assert {queue: owners[queue] for queue in owners} == dict(owners.items())
    assert [owners[queue] for queue in owners] == list(owners.values())
    assert {"a", "b"} == set(owners.values())


def test_a_balanced_group_is_left_alone_wherever_the_longer_shares_are() -> None:
    """KAFKA-18688: the members with one more need not be the first ones."""
    names = [f"m{place}" for place in range(10)]
    current = {
        queue: MemberId(names[place % 10 if place < 100 else 5 + place % 5])
        for place, queue in enumerate(shelf("t", 105))
    }
    request = group({name: member("t") for name in names}, {"t": 105}, current)

    assert 0 == moves(request, sticky(request).owners)


def test_weights_share_in_proportion() -> None:
    """Twice the weight, twice the load."""
    plan = sticky(group({"a": member("t", weight=2), "b": member("t")}, {"t": 9}))

    assert [6, 3] == [len(shares(plan)[name]) for name in ("a", "b")]


def test_caps_hold_and_what_is_left_is_given_a_reason() -> None:
    """Nobody is given more than it takes, and its owner keeps a queue rather than a newcomer."""
    current = dict.fromkeys(shelf("t", 2), MemberId("a"))
    plan = sticky(group({"a": member("t", cap=2), "b": member("t", cap=1)}, {"t": 5}, current))

    assert ["t0", "t1"] == shares(plan)["a"]
    assert ["every subscriber is at its capacity"] * 2 == list(plan.unassigned.values())


def test_a_queue_stays_in_its_rack_where_it_costs_nothing() -> None:
    """Two queues move, one out of each rack, to two members, one in each rack."""
    east, west = member("t", rack="east"), member("t", rack="west")
    current = {
        queue: MemberId("old-west" if queue.id < 3 else "old-east") for queue in shelf("t", 6)
    }
    members = {"old-west": west, "old-east": east, "a": east, "b": west}
    plan = sticky(group(members, {"t": 6}, current))

    moved = {queue: owner for queue, owner in plan.owners.items() if current[queue] != owner}
    assert {"a": "old-east", "b": "old-west"} == {
        owner: current[queue] for queue, owner in moved.items()
    }


def test_racks_of_others_cost_a_level_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A group of thousands, each in a rack of its own, and two members with topics of their own.

    Each of 40 topics was looked at in each rack of the group: it took minutes, and what is
    forbidden became cheap beside so many moves.
    """
    looked: list[tuple[int, ...]] = []

    def counting(chain: Chain, racks: Ints, homes: Ints) -> None:
        looked.append(homes.shape)
        spread.smooth(chain, racks, homes)

    monkeypatch.setattr(strategy, "smooth", counting)
    theirs = ["t", "u", *(f"v{each}" for each in range(38))]
    many = {f"a{each:04}": member("far", rack=f"r{each:04}") for each in range(9_900)}
    pair = {"y": member(*theirs, rack="z1"), "z": member(*theirs[1:], rack="z2")}
    sizes = dict.fromkeys(theirs, 1) | {"t": 2_000, "u": 2_000}
    current = {queue: MemberId("y") for queue in shelf("u", 2_000)}
    current |= {queue: MemberId("z") for topic in theirs[2:] for queue in shelf(topic, 1)}
    current[shelf("far", 1)[0]] = MemberId("a0000")
    plan = sticky(group(many | pair, sizes | {"far": 1}, current))

    assert {(40, 3)} == set(looked)
    assert {"y"} == {plan.owners[queue] for queue in shelf("t", 2_000)}
    assert not plan.unassigned


def test_thousands_of_small_groups_are_each_looked_at_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One table of all of them grew with the square of their number, and took minutes."""
    looked: Counter[tuple[int, ...]] = Counter()

    def counting(table: levels.Table) -> Iterator[levels.Level]:
        looked[table.may.shape] += 1
        return levels.levels(table)

    monkeypatch.setattr(strategy, "levels", counting)
    members = {
        f"{pair}{which}": member(f"shared{pair}", f"own{pair}{which}")
        for pair in range(1_000)
        for which in "ab"
    }
    topics: dict[str, int] = {topic: 2 for one in members.values() for topic in one.topics}
    topics |= {f"own{pair}a": 5 for pair in range(1_000)}
    plan = sticky(group(members, topics))

    assert {(2, 3): 1_000} == looked
    assert {4, 5} == set(Counter(plan.owners.values()).values())


def test_pairs_of_a_rack_are_found_topic_by_topic() -> None:
    """An heir takes a queue of its rack only within the topic it is to have one of."""
    heirs, homes = np.array([0, 1, 1, 0]), np.array([1, 0, 1, 0])
    racks = np.array([0, 1])

    answer = neighbourly(heirs, homes, np.array([0, 0, 1, 1]), racks)

    assert [1, 0, 1, 0] == answer.tolist()


@pytest.mark.parametrize(
    ("total", "weights", "caps", "low", "high", "spilt"),
    [
        (7, [1, 1, 1], [99, 99, 99], [2, 2, 2], [3, 3, 3], 0),
        (6, [1, 1, 1], [99, 99, 99], [2, 2, 2], [2, 2, 2], 0),
        (7, [1, 1, 1], [1, 99, 99], [1, 3, 3], [1, 3, 3], 0),
        (7, [1, 1, 1], [1, 2, 1], [1, 2, 1], [1, 2, 1], 3),
        (1, [1, 3], [99, 99], [0, 1], [0, 1], 0),
        (2, [2, 1, 1], [99, 99, 99], [2, 0, 0], [2, 0, 0], 0),
    ],
)
def test_water_finds_its_level(
    total: int, weights: list[int], caps: list[int], low: list[int], high: list[int], spilt: int
) -> None:
    """Loads by hand."""
    bounds = waterline(total, np.array(weights), np.array(caps))

    assert (low, high, spilt) == (bounds.low.tolist(), bounds.high.tolist(), bounds.spilt)


@pytest.mark.slow
@tried(least=200)
@given(
    st.lists(st.tuples(st.integers(1, 3), st.sampled_from([None, None, 1, 4])), min_size=1),
    st.lists(st.integers(1, 9), min_size=1, max_size=4),
    st.randoms(use_true_random=False),
)
def test_the_shortcut_for_plain_groups_is_as_good(
    people: list[tuple[int, int | None]], sizes: list[int], dice: random.Random
) -> None:
    """Where everybody subscribes everything, ``even`` has the general way's loads and moves."""
    topics = {f"t{place}": size for place, size in enumerate(sizes)}
    members = {
        f"m{place}": member(*topics, weight=weight, cap=cap)
        for place, (weight, cap) in enumerate(people)
    }
    owned = {
        queue: MemberId(dice.choice([*members, "gone"]))
        for topic, size in topics.items()
        for queue in shelf(topic, size)
        if dice.random() < 0.8
    }
    request = group(members, topics, owned)
    (part,) = parts(numbered(request))
    queues = numbered(request).catalog.queues
    bounds = waterline(len(queues), part.weights, part.caps)
    loads = np.bincount(part.owners + 1, minlength=len(members) + 1)[1:]
    names = sorted(members)
    short = {
        queue: MemberId(names[owner])
        for queue, owner in zip(queues, shortcut.even(part, bounds, loads).tolist(), strict=True)
        if owner >= 0
    }

    assert worth(request, sticky(request).owners)[:3] == worth(request, short)[:3]


@pytest.mark.parametrize("capped", ["m00", "m57"])
def test_the_first_shares_of_a_large_group_heed_a_capacity(capped: str) -> None:
    """One less than the others have, wherever the member stands (C17)."""
    topics = [f"t{number:02}" for number in range(50)]
    members = {f"m{n:02}": member(*topics) for n in range(100)}
    members[capped] = member(*topics, cap=50)
    plan = sticky(group(members, dict.fromkeys(topics, 101)))

    found = shares(plan)
    assert 50 == len(found[capped])
    assert {50, 51} == {len(queues) for queues in found.values()}
    assert 5_050 == len(plan.owners)
