"""The plan of paces: how often members should beat, and which groups are asked, and when."""

import pytest

from streaming.feeds.pace_plan import MEMBERS_AT_ONCE, Asking, PacePlan
from trimtab.protocol import Cause, Group, Overrides, QueueCounts

LEAST_MS, MOST_MS, BUDGET = 3_000, 150_000, 1_000


def group(
    name: str = "billing", *, members: int, pace_ms: int | None = None, own_ms: int | None = None
) -> Group:
    """A group, as its summary tells it."""
    return Group(
        group=name,
        state="stable",
        epoch=4,
        group_epoch=4,
        target_epoch=4,
        strategy="STICKY",
        overrides=None if own_ms is None else Overrides(heartbeat_interval_ms=own_ms),
        members=members,
        queues=QueueCounts(assigned=0, moving=0, unassigned=0),
        topics={},
        pace_ms=pace_ms,
        at_ms=0,
        cause=Cause(kind="join", subject="a"),
        people=(),
    )


def plan(*groups: Group) -> PacePlan:
    """A plan that knows these groups."""
    made = PacePlan(LEAST_MS, MOST_MS, BUDGET)
    for one in groups:
        made.note(one)
    made.know_all()
    return made


@pytest.mark.parametrize(
    ("members", "interval_ms"),
    [(0, 3_000), (3_000, 3_000), (3_001, 4_500), (9_000, 9_000), (50_000, 60_000), (10**6, 60_000)],
)
def test_all_members_together_stay_within_the_budget(members: int, interval_ms: int) -> None:
    """As far as they can without a session of more than four minutes."""
    made = plan(group(members=members))

    made.due(0)

    assert interval_ms == made.interval_ms


def test_a_group_is_asked_until_its_summary_shows_it() -> None:
    """What was lost is said again, and ever more rarely."""
    made = plan(group(members=4_000))

    asked = [second for second in range(100) if made.due(second)]
    made.note(group(members=4_000, pace_ms=4_500))

    assert [0, 15, 45] == asked
    assert [] == made.due(1_000)


def test_a_group_with_an_interval_of_its_own_is_not_asked() -> None:
    """Its beats count: the others have to leave room for them."""
    made = plan(group("a", members=1_000, own_ms=2_000), group("b", members=3_000))

    assert [Asking("b", 6_000)] == made.due(0)


def test_however_many_beats_are_not_the_controllers_to_choose_the_others_have_a_tenth() -> None:
    """Of the budget: they are not made to pay for all that others do."""
    made = plan(group("a", members=10_000, own_ms=1_000), group("b", members=600))

    made.due(0)

    assert 6_000 == made.interval_ms


def test_a_few_thousand_members_are_asked_in_a_second() -> None:
    """Each of them gets a record; the next ones have their turn before anybody is asked again."""
    made = plan(*(group(f"g{number:03}", members=100) for number in range(100)))

    first, second = made.due(0), made.due(1)

    assert MEMBERS_AT_ONCE == 100 * len(first)
    assert {it.group for it in first}.isdisjoint(it.group for it in second)
    assert 60 == len([it for now in range(2, 12) for it in made.due(now)])


def test_members_beat_more_often_again_when_the_load_has_been_lower_for_a_minute() -> None:
    """Not at once: half a group that restarts is soon back."""
    made = plan(group("a", members=3_000), group("b", members=1_500))
    made.due(100)
    for one in (group("a", members=3_000, pace_ms=4_500), group("b", members=0, pace_ms=4_500)):
        made.note(one)

    asked = [second for second in range(101, 200) if made.due(second)]
    made.note(group("a", members=2_000, pace_ms=4_500))

    assert [] == asked, "3,000 members are all that the budget has room for"
    assert [259] == [second for second in range(200, 270) if made.due(second)]


def test_a_load_that_rises_meanwhile_begins_the_minute_anew() -> None:
    """A pace that goes up and down tells every member each time."""
    made = plan(group(members=4_000))
    made.due(0)
    made.note(group(members=2_000, pace_ms=4_500))
    made.due(50)
    made.note(group(members=4_000, pace_ms=4_500))
    made.due(55)
    made.note(group(members=2_000, pace_ms=4_500))

    assert [] == made.due(100)
    assert [Asking("billing", 3_000)] == made.due(115)


def test_a_controller_that_starts_asks_nobody_before_it_knows_all() -> None:
    """A part of the summaries, or older ones, show another load."""
    made = PacePlan(LEAST_MS, MOST_MS, BUDGET)
    made.note(group(members=60_000))
    early = made.due(0)
    made.note(group(members=100, pace_ms=9_000))
    made.know_all()

    assert [] == early
    assert [Asking("billing", 3_000)] == made.due(1)


def test_no_interval_is_longer_than_the_longest_session_allows() -> None:
    """A summary would show a pace that no member keeps to."""
    made = PacePlan(LEAST_MS, 10_000, BUDGET)
    made.note(group(members=10**6))
    made.know_all()

    assert [Asking("billing", 9_000)] == made.due(0)


def test_a_group_for_which_something_fails_is_not_asked() -> None:
    """A command is kept until the group can be stepped again, and there is no room for many."""
    made = plan(group(members=4_000).model_copy(update={"ailment": "the strategy failed"}))

    assert [] == made.due(0)


def test_a_group_without_members_is_not_asked() -> None:
    """There is nobody to tell; it is asked when somebody comes."""
    made = plan(group("a", members=4_000, pace_ms=4_500), group("b", members=0))

    assert [] == made.due(0)
    made.note(group("b", members=1))
    assert [Asking("b", 4_500)] == made.due(1)


def test_a_group_that_is_gone_counts_no_more() -> None:
    """And is not asked."""
    made = plan(group("a", members=4_000), group("b", members=4_000))
    made.gone("b")

    assert [Asking("a", 4_500)] == made.due(0)
    assert "4000 members, and 1000 beats a second" == made.reason
