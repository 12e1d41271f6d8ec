"""Queues of unequal weight by example; the laws are in tests/laws/test_weighted.py."""

import random
import time

import pytest

from allocators import allocator
from allocators.sticky import weighted as lists
from allocators.sticky.scales import Scales
from rebalance.ids import MemberId
from tests.unit.allocators.groups import group, member, shares, shelf


def test_a_load_is_the_sum_of_weights() -> None:
    """One heavy queue for a, three light ones for b."""
    balanced = allocator("STICKY", {"queue_weights": {"t": [["", 1, 3]]}})
    plan = balanced(group({"a": member("t"), "b": member("t")}, {"t": 4}))

    assert {"a": ["t1"], "b": ["t0", "t2", "t3"]} == shares(plan)


def test_equal_members_end_within_a_queue() -> None:
    """The heaviest of the fullest member: here with 40 queues of weights up to 100."""
    dice = random.Random(3)
    weights = [dice.randint(1, 100) for _ in range(40)]
    told = {"t": [["", place, weight] for place, weight in enumerate(weights)]}
    plan = allocator("STICKY", {"queue_weights": told})(
        group({name: member("t") for name in "abcde"}, {"t": 40})
    )
    shelves = {
        name: [weights[queue.id] for queue, owner in plan.owners.items() if owner == name]
        for name in "abcde"
    }
    loads = {name: sum(shelf) for name, shelf in shelves.items()}
    fullest = max(loads, key=lambda name: loads[name])

    assert max(loads.values()) - min(loads.values()) <= max(shelves[fullest])


def test_who_is_full_gives_a_lighter_queue_for_a_heavier_one() -> None:
    """Members that come one after another, and whose caps just fit, end as even."""
    balanced = allocator("STICKY", {"queue_weights": {"t": [["", 0, 10], ["", 1, 10]]}})
    alone = balanced(group({"a": member("t", cap=2)}, {"t": 4})).owners
    both = {"a": member("t", cap=2), "b": member("t", cap=2)}
    plan = balanced(group(both, {"t": 4}, alone))

    assert {"a": ["t0", "t2"], "b": ["t1", "t3"]} == shares(plan)
    assert plan == balanced(group(both, {"t": 4}, dict(plan.owners)))


def test_many_queues_are_exchanged_in_no_time() -> None:
    """As many as a group may have: while one is asked, all groups of its worker wait."""
    told = {"t": [["", place, 1 + place] for place in range(10_000)]}
    balanced = allocator("STICKY", {"queue_weights": told})
    alone = balanced(group({"a": member("t", cap=5_000)}, {"t": 10_000})).owners
    both = {"a": member("t", cap=5_000), "b": member("t", cap=5_000)}
    begun = time.process_time()
    plan = balanced(group(both, {"t": 10_000}, alone))

    assert 2.0 > time.process_time() - begun  # it takes 0.1 s; if all were compared with all, 7
    loads = dict.fromkeys(("a", "b"), 0)
    for queue, owner in plan.owners.items():
        loads[owner] += 1 + queue.id
    assert 10_000 >= abs(loads["a"] - loads["b"])
    assert 1_500 > sum(alone[queue] != plan.owners[queue] for queue in alone)


def test_what_may_stay_stays() -> None:
    """A join takes over what evens the loads, and nothing is passed between the others."""
    balanced = allocator("STICKY", {"queue_weights": {"t": 5, "u": 2}})
    couple = {name: member("t", "u") for name in "ab"}
    before = balanced(group(couple, {"t": 6, "u": 6})).owners
    after = balanced(group({**couple, "c": member("t", "u")}, {"t": 6, "u": 6}, before)).owners

    assert {MemberId("c")} == {after[queue] for queue in before if before[queue] != after[queue]}


def test_somebody_makes_room_for_a_queue_that_nobody_else_can_take() -> None:
    """The only subscriber of u is full of t, which another has room for."""
    balanced = allocator("STICKY", {"queue_weights": {"t": 5}})
    members = {"a": member("t", "u", cap=1), "b": member("t", cap=1)}
    plan = balanced(group(members, {"t": 1, "u": 1}, dict.fromkeys(shelf("t", 1), MemberId("a"))))

    assert {"a": ["u0"], "b": ["t0"]} == shares(plan)


def test_equal_weights_are_no_weights() -> None:
    """Then everything that is promised without them holds."""
    request = group({name: member("t", "u") for name in "abc"}, {"t": 7, "u": 5})
    plain = allocator("STICKY")

    assert plain(request) == allocator("STICKY", {"queue_weights": {"t": 9, "u": 9}})(request)


def test_room_that_is_not_there_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For queues that are alike: each look goes through every member."""
    looks: list[int] = []
    monkeypatch.setattr(lists, "_make_room", lambda _, kind: looks.append(kind))
    balanced = allocator("STICKY", {"queue_weights": {"t": [["", 1, 3]]}})

    plan = balanced(group(dict.fromkeys("abc", member("t", cap=1)), {"t": 100}))

    assert 3 == len(plan.owners)
    assert 1 == len(looks)


def test_members_that_own_nothing_are_not_asked_for_a_queue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Far more members than queues: only those that have one are compared with all others."""
    asked = list[int]()

    class Counting(Scales):
        def can_step(self, member: int) -> bool:
            asked.append(member)
            return super().can_step(member)

    monkeypatch.setattr(lists, "Scales", Counting)
    balanced = allocator("STICKY", {"queue_weights": {"t": [["", 0, 3]]}})
    plan = balanced(group({f"m{number:04}": member("t") for number in range(2_000)}, {"t": 5}))

    assert 5 == len(set(plan.owners.values()))
    assert 5 == len(asked)
