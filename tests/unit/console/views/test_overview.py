"""The first lines of `top`, and its order."""

from console.views import overview
from tests.unit.console.views.published_records import LIFE, group
from trimtab.protocol import QueueCounts, Tick


def test_trouble_comes_first() -> None:
    """Then what moves, then what rests; among equals the larger one, then by name."""
    moving = QueueCounts(assigned=1, moving=9, unassigned=0)
    known = [
        group("a", group="rests"),
        group("a", group="moves", state="reconciling"),
        group("a", group="moves more", state="reconciling", queues=moving),
        group("a", group="starves", state="starved"),
        group("a", group="ails", ailment="ValueError"),
        group(group="also empty", state="empty"),
    ]
    assert ["ails", "starves", "moves more", "moves", "rests", "also empty"] == [
        it.group for it in sorted(known, key=overview.urgency)
    ]


def test_the_sums_are_of_all_groups() -> None:
    """States that no group is in are left out."""
    told = overview.sums([group("a", "b"), group("c", state="starved")])

    assert (
        "2 groups (1 starved, 1 stable), 3 members; queues: 3 assigned, 0 moving, 0 unassigned"
        == told
    )
    assert overview.sums([]).startswith("0 groups (none)")
    counts = overview.counts([group("a", "b"), group("c", state="starved")])
    assert (2, {"starved": 1, "stable": 1}, 3) == (
        *(counts["groups"], counts["states"], counts["members"]),
    )


def test_the_controller_lives_as_long_as_it_ticks() -> None:
    """Of all partitions the newest tick counts, and the one that is furthest behind."""
    ticks = {
        0: (9_000, Tick(controller="c", number=9, start=LIFE, seen=8)),
        1: (8_000, Tick(controller="c", number=8, start=LIFE, seen=3)),
    }
    assert (
        "controller: c, last tick 2s ago (1970-01-01T00:00:09.000Z), 5 ticks behind"
        == overview.controller(ticks, (), 11_000)
    )
    assert "; none in partitions 2, 7" in overview.controller(ticks, (2, 7), 11_000)
    assert "controller: no tick in the last minute" in overview.controller({}, (), 11_000)
    assert {
        "name": "c",
        "at": "1970-01-01T00:00:09.000Z",
        "age_ms": 2_000,
        "behind": 5,
        "silent": [7],
    } == overview.tick(ticks, (7,), 11_000)
    assert overview.tick({}, (), 11_000) is None
