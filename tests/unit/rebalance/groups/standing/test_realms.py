"""Standing heirs where a strategy keeps some queues for some members."""

from collections.abc import Mapping

import pytest

from allocators import allocator
from rebalance.groups.model.policy import Policy
from tests.builders.notation import queue_text
from tests.builders.records import joined, left, routed
from tests.builders.story import Story

SIDES: Mapping[str, object] = {"prefix": "canary-", "percent": 25}
HOMES = {"orders": [["", number, "west" if number < 6 else "east"] for number in range(12)]}
ROOMS = {
    "brokers": {"": "here"},
    "clients": {"a": "here", "b": "here", "c": "there", "d": "there"},
}
RACKS = {"w1": "west", "w2": "west", "e1": "east", "e2": "east", "e3": "east"}


def story_of(name: str, options: Mapping[str, object], racks: Mapping[str, str]) -> Story:
    """Begin with these members, in their racks, and twelve queues that have standing heirs."""
    story = Story(Policy(standing_heirs=True), allocator=allocator(name, options))
    members = [joined(each, rack=rack) for each, rack in racks.items()]
    story.reads(*members, routed("orders", 12))
    story.ticks()
    return story


def heirs(story: Story) -> list[tuple[str, str]]:
    """Return the owner and the standing heir of each queue, in order."""
    target = story.state.target
    return [(target.owners[it], target.heirs[it]) for it in sorted(target.owners)]


def sides(story: Story) -> set[tuple[bool, bool]]:
    """Say of owners and heirs whether they are canaries."""
    return {
        (owner.startswith("canary-"), heir.startswith("canary-")) for owner, heir in heirs(story)
    }


def test_heirs_of_canaries_are_canaries_and_nobody_else_s_are() -> None:
    """Or a new version would get more of the traffic for as long as the controller is away."""
    names = dict.fromkeys(["canary-1", "canary-2", "w1", "w2", "w3"], "")
    story = story_of("CANARY", SIDES, names)

    assert {(True, True), (False, False)} == sides(story)


@pytest.mark.parametrize("rest", [["w1", "w2"], ["w1"]])
def test_the_heirs_of_a_single_canary_are_everybody_else(rest: list[str]) -> None:
    """When it goes nothing is reserved any more; nor is there anything but canaries' without w1."""
    story = story_of("CANARY", SIDES, dict.fromkeys(["canary-1", *rest], ""))

    assert (True, False) in sides(story)
    assert (len(rest) == 1) is ((False, True) in sides(story))


def test_heirs_are_of_the_queue_s_rack_while_a_colleague_is_there() -> None:
    """A queue goes only to members of its rack as long as one of them subscribes it."""
    story = story_of("STICKY", {"queue_racks": HOMES}, RACKS)
    assert all(RACKS[owner] == RACKS[heir] for owner, heir in heirs(story))

    story.reads(left("w2"))
    story.ticks()
    owners, after = zip(*heirs(story), strict=True)
    assert ("w1",) * 6 == owners[:6]
    assert {"e1", "e2", "e3"} >= set(after), "w1 is alone, whoever comes next is of another rack"


def test_both_together() -> None:
    """Of two canaries each is alone in its rack, and the heir of the other."""
    racks = {"canary-e": "east", "canary-w": "west", **RACKS}
    story = story_of("CANARY", {**SIDES, "percent": 75, "queue_racks": HOMES}, racks)

    assert {(True, True), (False, False)} == sides(story)
    stable = [(owner, heir) for owner, heir in heirs(story) if owner in RACKS]
    assert stable
    assert all(RACKS[owner] == RACKS[heir] for owner, heir in stable)


def test_heirs_are_of_the_queue_s_room() -> None:
    """Traffic stays in the room, also when a member goes."""
    story = story_of(
        "MACHINE_ROOM_NEARBY", {"inner": "AVG", "resolver": ROOMS}, dict.fromkeys("abcd", "")
    )

    assert {("a", "b"), ("b", "a")} == set(heirs(story))


def test_a_departure_moves_nothing_twice() -> None:
    """Whoever takes over a queue keeps it: the strategy has nothing to take back."""
    story = story_of("STICKY", {"queue_racks": HOMES}, RACKS)
    meant = {
        queue_text(queue): heir if owner == "e1" else owner
        for queue, (owner, heir) in zip(
            sorted(story.state.target.owners), heirs(story), strict=True
        )
    }
    story.reads(left("e1"))
    story.settles()
    story.ticks()

    assert meant == story.owners()
