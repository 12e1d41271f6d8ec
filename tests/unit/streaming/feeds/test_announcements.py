"""When an announcement is said again: seldom, unless there is a sign that it was lost."""

from itertools import pairwise

import pytest

from rebalance.ids import TopicName
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


@pytest.mark.slow
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
    plan.summarised("billing", {"orders": known(0, 0)}, members=1, now=0)
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
    plan.summarised("billing", {"orders": known(0, 0)}, members=1, now=0)
    plan.saw("orders", kafka(4))
    plan.due(0)
    plan.summarised("billing", {"orders": known(0, 0)}, members=1, now=40)

    assert 40 + 2 * 40 == seconds(plan, 200)[0]


def overtaken(batch_s: int) -> RoutePlan:
    """A route was announced at 0; the brain reads the join in a batch that ends so much later."""
    plan = RoutePlan()
    plan.joined("billing", ["orders"], 0)
    plan.saw("orders", kafka(4))
    plan.due(0)
    plan.summarised("billing", {"orders": known(0, 0)}, members=1, now=batch_s)
    return plan


def test_what_may_have_been_read_before_its_join_is_said_once_more_at_once() -> None:
    """The brain ignores the route of a topic that it is not asked for, however slow it is."""
    plan = overtaken(batch_s=40)
    assert [("billing", "orders", 2, 4)] == told(plan, 40)

    plan.summarised("billing", {"orders": known(2, 4)}, members=1, now=80)
    assert [] == seconds(plan, 10_000)


def test_a_backlog_of_minutes_is_told_no_more_than_that() -> None:
    """A summary that does not show it proves no loss."""
    plan, batch_s = overtaken(batch_s=40), 40
    times = []
    for now in range(batch_s, 8 * batch_s):
        times += [now] * len(told(plan, now))
        if now in {2 * batch_s, 5 * batch_s}:
            plan.summarised("billing", {"orders": known(0, 0)}, members=1, now=now)

    assert [batch_s, 2 * batch_s + 2 * batch_s] == times


def test_who_asks_by_pattern_is_told_once_more_as_well() -> None:
    """Its summary shows the pattern, and not yet the topic."""
    plan = RoutePlan()
    plan.joined("billing", [], 0, ["or*"])
    plan.listed(frozenset({TopicName("orders")}))
    plan.saw("orders", kafka(4))
    assert [("billing", "orders", 1, 4)] == told(plan, 0)

    plan.summarised("billing", {}, members=1, now=40, patterns=["or*"])
    assert [("billing", "orders", 2, 4)] == told(plan, 40)
    assert [] == told(plan, 40 + SILENCE_S - 1)


def test_who_came_back_is_told_once_more_as_well() -> None:
    """The group was empty meanwhile, so it may have been read when nobody asked."""
    plan = RoutePlan()
    plan.summarised("billing", {"orders": known(0, 0)}, members=1, now=0)
    plan.saw("orders", kafka(4))
    assert [("billing", "orders", 1, 4)] == told(plan, 0)
    plan.summarised("billing", {"orders": known(0, 0)}, members=0, now=1)
    assert [] == told(plan, 1)

    plan.summarised("billing", {"orders": known(0, 0)}, members=1, now=2)
    plan.saw("orders", kafka(4))
    assert [("billing", "orders", 2, 4)] == told(plan, 2)
    assert [] == told(plan, 3)


def test_what_was_read_is_not_said_once_more() -> None:
    """The summary names its version: there is no room for it, or a loss is doubted."""
    plan = RoutePlan()
    plan.joined("billing", ["orders"], 0)
    plan.saw("orders", kafka(4))
    plan.due(0)
    without = TopicSummary(version=1, queues=0, awaited=False, left_out=4)
    plan.summarised("billing", {"orders": without}, members=1, now=1)

    assert [] == told(plan, 1)


@pytest.mark.slow
def test_a_busy_controller_is_told_once_more_and_not_again() -> None:
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

    assert 2 * len(groups) == count


def test_a_summary_without_a_time_came_at_the_last_one() -> None:
    """Whoever hears it looks soon after."""
    plan = RoutePlan()
    plan.summarised("billing", {"orders": known(0, 0)}, members=1, now=0)
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
