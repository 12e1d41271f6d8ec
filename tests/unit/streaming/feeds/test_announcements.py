"""When an announcement is said again: seldom, unless there is a sign that it was lost."""

from itertools import pairwise

from streaming.feeds.announcements import (
    PATIENCE_MAX_S,
    PATIENCE_S,
    SILENCE_MAX_S,
    SILENCE_S,
    Seen,
    Sent,
)
from streaming.feeds.route_plan import RoutePlan
from tests.unit.streaming.feeds.test_route_plan import kafka, known, told
from trimtab.protocol import TopicSummary


def seconds(plan: RoutePlan, until: int = 100_000) -> list[int]:
    """Return when something is told, with a look each second."""
    return [second for second in range(until) if told(plan, second)]


def test_an_announcement_is_repeated_ever_more_rarely() -> None:
    """Though nothing comes of it: perhaps nobody is there, or it was lost without a sign."""
    plan = RoutePlan()
    plan.summarised("billing", {"orders": known(0, 0)}, members=1, now=0)
    plan.saw("orders", kafka(4))
    gaps = [after - before for before, after in pairwise(seconds(plan))]

    assert [SILENCE_S * 2**n for n in range(5)] == gaps[:5]
    assert SILENCE_MAX_S == max(gaps)


def test_what_is_never_shown_is_repeated_for_ever() -> None:
    """However often: a topic without room, or a group that ails, may stay so for months."""
    sent = Sent(Seen(()), 1, at=0.0)
    sent.times = 100_000

    assert SILENCE_MAX_S == sent.next_at()
    sent.answered(5.0)
    assert 5.0 + PATIENCE_MAX_S == sent.next_at()


def test_what_a_later_summary_does_not_show_is_repeated_sooner() -> None:
    """Under a higher version each time, since the brain may have the last."""
    plan = RoutePlan()
    plan.joined("billing", ["orders"], 0)
    plan.saw("orders", kafka(4))
    assert [("billing", "orders", 1, 4)] == told(plan, 0)

    plan.summarised("billing", {"orders": known(0, 0)}, members=1, now=1)
    repeated = [(at, it) for at in range(1, 2_000) for it in told(plan, at)]
    times = [at for at, _ in repeated]

    assert [2, 3, 4] == [version for _, (_, _, version, _) in repeated[:3]]
    assert 1 + PATIENCE_S == times[0]
    assert [1 + PATIENCE_S * 2**n for n in (1, 2, 3)] == [b - a for a, b in pairwise(times)][:3]
    assert 1 + PATIENCE_MAX_S == max(b - a for a, b in pairwise(times))


def test_a_slow_controller_is_given_twice_its_time() -> None:
    """Its next batch takes as long as the one before."""
    plan = RoutePlan()
    plan.joined("billing", ["orders"], 0)
    plan.saw("orders", kafka(4))
    plan.due(0)
    plan.summarised("billing", {"orders": known(0, 0)}, members=1, now=40)

    assert 40 + 2 * 40 == seconds(plan, 200)[0]


def test_a_busy_controller_is_not_told_again() -> None:
    """A thousand groups join, and one batch is worked on for a minute; then the next one."""
    plan, batch_s, count = RoutePlan(), 50, 0
    groups = [f"group-{number}" for number in range(1_000)]
    for group in groups:
        plan.joined(group, ["orders"], 0)
    plan.saw("orders", kafka(4))
    for now in range(0, 4 * batch_s, 2):
        count += len(plan.due(now))
        if now in {batch_s, 2 * batch_s}:
            shown = known(int(now > batch_s), 4 * (now > batch_s))
            for group in groups:
                plan.summarised(group, {"orders": shown}, members=1, now=now)

    assert len(groups) == count


def test_a_summary_without_a_time_came_at_the_last_one() -> None:
    """Whoever hears it looks soon after."""
    plan = RoutePlan()
    plan.joined("billing", ["orders"], 0)
    plan.saw("orders", kafka(4))
    plan.due(0)
    plan.due(7)
    plan.summarised("billing", {"orders": known(0, 0)}, members=1)

    assert 7 + 2 * 7 == seconds(plan, 100)[0]


def test_what_kafka_did_not_take_is_told_again() -> None:
    """That is a sign."""
    plan = RoutePlan()
    plan.joined("billing", ["orders"], 0)
    plan.saw("orders", kafka(4))
    [announcement] = plan.due(0)
    plan.lost(announcement, 5)
    plan.lost(announcement._replace(group="forgotten"), 5)

    assert [("billing", "orders", 2, 4)] == told(plan, 5 + PATIENCE_S)
    plan.lost(announcement, 20)  # an older one
    assert [] == told(plan, 20 + PATIENCE_S)


def test_what_a_group_has_no_room_for_is_told_when_there_is_some() -> None:
    """It has heard of it: until then there is no hurry."""
    plan = RoutePlan()
    others = {"others": known(1, 9)}
    plan.joined("billing", ["orders"], 0)
    plan.saw("orders", kafka(4))
    plan.due(0)
    without = TopicSummary(version=1, queues=0, awaited=False, left_out=4)
    plan.summarised("billing", others | {"orders": without}, members=1, now=1)
    assert [SILENCE_S] == seconds(plan, 100)

    plan.summarised("billing", {"others": known(2, 3), "orders": without}, members=1, now=100)
    assert [("billing", "orders", 3, 4)] == told(plan, 100)


def test_what_a_summary_has_no_room_for_is_not_lost() -> None:
    """A group may know more topics than it can show."""
    plan = RoutePlan()
    plan.joined("billing", ["orders", "visits"], 0)
    plan.saw("orders", kafka(4))
    plan.saw("visits", kafka(4))
    plan.due(0)
    plan.summarised("billing", {"visits": known(1, 4)}, members=1, now=1, cut=True)

    assert [] == told(plan, SILENCE_S - 1)
