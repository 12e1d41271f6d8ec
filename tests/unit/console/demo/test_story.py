"""The story's conditions: what they wait for, and how they say what is missing."""

from collections.abc import Mapping, Sequence

import pytest

from console.demo.acts import Start
from console.demo.board import Board
from console.demo.conditions import (
    FLOW,
    Mark,
    Scene,
    both,
    controller_back,
    drained,
    flowing,
    left,
    nothing_moved,
    one_owner_each,
    shared,
)
from console.demo.journal import AnyEntry, Processed, Produced, Started, Stopped
from console.demo.story import tell
from console.demo.totals import Totals
from tests.unit.console.demo.builders import a_group

TWO_EACH = (Started(10, "a", ((0, 1), (1, 1))), Started(10, "b", ((2, 1), (3, 1))))


def a_scene(
    entries: Sequence[AnyEntry] = (),
    *,
    board: Board | None = None,
    exits: Mapping[str, int] | None = None,
    controller_up: bool = True,
    since: Mark | None = None,
) -> Scene:
    """A scene after these entries."""
    return Scene(
        totals=Totals.of(entries),
        board=board or Board(),
        exits=exits or {},
        controller_up=controller_up,
        since=since or Mark(at=0, processed={}),
    )


def stable(members: int) -> Board:
    """A board on which the controller calls so many members stable."""
    return Board(group=a_group(state="stable", members=members))


def test_shared_is_met_when_queues_owners_and_controller_agree() -> None:
    """Each queue one owner, even shares, a stable group."""
    assert shared({"a", "b"}, queues=4)(a_scene(TWO_EACH, board=stable(2))) is None


@pytest.mark.parametrize(
    ("entries", "board", "missing"),
    [
        (TWO_EACH[:1], stable(2), "2 of 4 queues have one owner"),
        (
            (*TWO_EACH, Started(20, "c", ((0, 2),))),
            stable(2),
            "3 of 4 queues have one owner",
        ),
        (
            (Started(10, "a", ((0, 1), (1, 1))), Started(10, "c", ((2, 1), (3, 1)))),
            stable(2),
            "a, c have queues, and should be a, b",
        ),
        (
            (Started(10, "a", ((0, 1), (1, 1), (2, 1))), Started(10, "b", ((3, 1),))),
            stable(2),
            "shares are uneven: {'a': 3, 'b': 1}",
        ),
        (TWO_EACH, stable(3), "the controller does not call the group of 2 stable"),
        (TWO_EACH, Board(), "the controller does not call the group of 2 stable"),
    ],
)
def test_shared_says_what_is_missing(
    entries: Sequence[AnyEntry], board: Board, missing: str
) -> None:
    """The first thing that is not as it should be, in words."""
    assert shared({"a", "b"}, queues=4)(a_scene(entries, board=board)) == missing


def test_left_wants_a_good_end() -> None:
    """Not running any more is not enough: the exit code counts."""
    assert left("a")(a_scene(exits={"a": 0})) is None
    assert left("a")(a_scene(exits={"a": 137})) == "a has not ended"
    assert both(left("a"), drained)(a_scene()) == "a has not ended"


def test_flowing_counts_from_the_mark() -> None:
    """Everybody who owns queues must get through messages of now, not of before."""
    before = [Processed(20, name, 0, offset) for name in "ab" for offset in range(FLOW)]
    now = [Processed(30, "a", 0, offset) for offset in range(FLOW)]
    mark = Mark(at=25, processed={"a": FLOW, "b": FLOW})

    assert flowing(a_scene([*TWO_EACH, *before])) is None
    scene = a_scene([*TWO_EACH, *before, *now], since=mark)
    assert flowing(scene) == f"b have not processed {FLOW} messages"


def test_drained_waits_for_the_last_message() -> None:
    """Produced and not processed is missing."""
    late: list[AnyEntry] = [*TWO_EACH, Produced(20, 0, 0)]

    assert drained(a_scene(late)) == "1 messages have not been processed"
    assert drained(a_scene([*late, Processed(21, "a", 0, 0)])) is None


def test_controller_back_waits_for_its_word() -> None:
    """It is back when it says so."""
    assert controller_back(a_scene()) is None
    assert controller_back(a_scene(controller_up=False)) == "the controller is not ready"


def test_nothing_moved_finds_starts_and_stops_since_the_mark() -> None:
    """Every change of hands counts, the way out as well as the way in."""
    mark = Mark(at=15, processed={})
    stopped = Stopped(20, "a", (1,), "lost")

    assert nothing_moved(a_scene(TWO_EACH, since=mark)) is None
    assert nothing_moved(a_scene([*TWO_EACH, stopped], since=mark)) == "queues [1] moved"


def test_one_owner_each_names_the_two() -> None:
    """An overlap is said with names; so is work on others' queues."""
    twice = Started(20, "b", ((0, 2),))
    stray = Processed(20, "a", 3, 0)

    assert one_owner_each(a_scene(TWO_EACH)) is None
    assert one_owner_each(a_scene([*TWO_EACH, twice])) == "a and b owned queue 0 at once"
    assert one_owner_each(a_scene([*TWO_EACH, stray])) == (
        "1 messages were processed by members without the queue"
    )


def test_the_story_ends_with_as_many_members_as_it_began_with() -> None:
    """Two join, one leaves, one is killed; nobody is started twice."""
    started = [
        name
        for step in tell(4, 16)
        for act in step.acts
        if isinstance(act, Start)
        for name in act.processes
        if name.startswith("worker")
    ]

    assert started == [f"worker-{number}" for number in range(1, 7)]
