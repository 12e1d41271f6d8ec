"""Who is told what about which topic, and when."""

import pytest

from streaming.feeds.announcements import LOSS_S, SILENCE_S, Seen
from streaming.feeds.group_routes import EMPTY_LIFETIME_S, HINT_LIFETIME_S
from streaming.feeds.route_plan import RoutePlan
from trimtab.protocol import RackRef, RunRef, TopicSummary

MISSING = Seen(None)


def kafka(queues: int) -> Seen:
    """A topic of Kafka."""
    return Seen((RunRef("", 0, queues),))


def known(version: int, queues: int) -> TopicSummary:
    """A topic that exists, as a summary tells it."""
    return TopicSummary(version=version, queues=queues, awaited=False)


def told(plan: RoutePlan, now: float) -> list[tuple[str, str, int, int | None]]:
    """What is due: group, topic, version and how many queues (None: no such topic)."""
    return [
        (
            group,
            route.topic,
            route.version,
            sum(run.length for run in route.runs) if route.exists else None,
        )
        for group, route in plan.due(now)
    ]


def settled(queues: int = 4) -> RoutePlan:
    """Begin with a group that knows its topic as it is."""
    plan = RoutePlan()
    plan.summarised("billing", {"orders": known(1, queues)}, members=1, now=0)
    plan.saw("orders", kafka(queues))
    return plan


def test_a_join_is_answered_before_any_summary() -> None:
    """The first member of a group need not wait for the brain to ask."""
    plan = RoutePlan()
    plan.joined("billing", ["orders"], 0)
    assert {"orders"} == plan.unseen()

    plan.saw("orders", kafka(4))
    assert set() == plan.unseen()
    assert [("billing", "orders", 1, 4)] == told(plan, 0)


def test_what_nobody_knows_is_not_asked_about_at_once_again() -> None:
    """A name server that is away would else be asked without a pause: it is, with all others."""
    plan = RoutePlan()
    plan.joined("billing", ["orders"], 0)
    plan.looked_up(plan.wanted())
    assert [] == told(plan, 0)
    assert set() == plan.unseen()
    assert {"orders"} == plan.wanted()

    assert [] == told(plan, HINT_LIFETIME_S)  # nobody asks for it any more
    plan.joined("billing", ["orders"], HINT_LIFETIME_S)
    assert {"orders"} == plan.unseen()


def test_a_summary_asks_as_well() -> None:
    """A watcher that starts anew learns from the summaries who still waits."""
    plan = RoutePlan()
    plan.summarised("billing", {"orders": known(0, 0)}, members=1, now=0)
    plan.saw("orders", kafka(4))

    assert [("billing", "orders", 1, 4)] == told(plan, 0)


def test_what_is_known_is_not_repeated() -> None:
    """A second member, or a watcher that starts anew, causes no announcement."""
    plan = settled()
    plan.joined("billing", ["orders"], 1)

    assert [] == told(plan, 1)


def test_growth_is_told_at_once_under_the_next_version() -> None:
    """New queues reach the group with the next look at the topic."""
    plan = settled()
    plan.saw("orders", kafka(6))

    assert [("billing", "orders", 2, 6)] == told(plan, 10)


def test_every_group_of_a_topic_is_told() -> None:
    """Each in the version that follows what it knows."""
    plan = settled()
    plan.summarised("shipping", {"orders": known(7, 4)}, members=2, now=0)
    plan.saw("orders", kafka(5))

    assert [("billing", "orders", 2, 5), ("shipping", "orders", 8, 5)] == told(plan, 1)


def test_a_missing_topic_is_said_once_and_awaited() -> None:
    """The group hears that there is no such topic, and later that there is."""
    plan = RoutePlan()
    plan.joined("billing", ["orders"], 0)
    plan.saw("orders", MISSING)
    assert [("billing", "orders", 1, None)] == told(plan, 0)

    awaited = TopicSummary(version=1, queues=0, awaited=True)
    plan.summarised("billing", {"orders": awaited}, members=1, now=0)
    assert [] == told(plan, 100)

    plan.saw("orders", kafka(4))
    assert [("billing", "orders", 2, 4)] == told(plan, 101)


def test_an_announcement_that_shows_is_done() -> None:
    """Even if the summary still names an older version: only the content counts."""
    plan = RoutePlan()
    plan.joined("billing", ["orders"], 0)
    plan.saw("orders", kafka(4))
    plan.due(0)
    plan.summarised("billing", {"orders": known(1, 4)}, members=1, now=0)

    assert [] == told(plan, 1_000)


def test_a_loss_is_told_at_once_and_again() -> None:
    """The brain wants to hear twice of a large one, and doubts it for a while (D1, D6)."""
    plan = settled()
    plan.saw("orders", MISSING)

    assert [("billing", "orders", 2, None)] == told(plan, 10)
    assert [("billing", "orders", 3, None)] == told(plan, 10 + LOSS_S)
    assert [] == told(plan, 10 + SILENCE_S)


def test_a_loss_that_is_made_good_is_told() -> None:
    """Or the brain would believe in it one day."""
    plan = settled()
    plan.saw("orders", MISSING)
    told(plan, 10)
    plan.saw("orders", kafka(4))

    assert [("billing", "orders", 3, 4)] == told(plan, 11)


def test_a_topic_that_was_made_anew_is_told() -> None:
    """It has as many queues as before, and others (D3)."""
    plan = RoutePlan()
    plan.joined("billing", ["orders"], 0)
    plan.saw("orders", Seen((RunRef("", 0, 4),), "x"))
    told(plan, 0)
    plan.summarised("billing", {"orders": known(1, 4)}, members=1, now=0)
    assert [] == told(plan, 1)

    plan.saw("orders", Seen((RunRef("", 0, 4),), "y"))
    assert [("billing", "orders", 2, 4)] == told(plan, 2)


@pytest.mark.parametrize(("generation", "expected"), [("x", []), (None, []), ("y", [2])])
def test_a_topic_that_was_made_anew_while_nobody_watched_is_told(
    generation: str | None, expected: list[int]
) -> None:
    """The summary says which topic of that name the group knows (D3)."""
    plan = RoutePlan()
    summary = TopicSummary(version=1, queues=4, awaited=False, generation="x")
    plan.summarised("billing", {"orders": summary}, members=1, now=0)
    plan.saw("orders", Seen((RunRef("", 0, 4),), generation))

    assert expected == [route.version for _, route in plan.due(0)]


def test_an_empty_group_is_told_nothing() -> None:
    """Its brain keeps what it knew and believes no routes; its next member asks again."""
    plan = settled()
    plan.summarised("billing", {"orders": known(1, 4)}, members=0, now=0)
    plan.saw("orders", kafka(6))
    assert [] == told(plan, 1)

    plan.joined("billing", ["orders"], 2)
    plan.saw("orders", kafka(6))
    assert [("billing", "orders", 2, 6)] == told(plan, 2)


def test_a_join_that_came_to_nothing_is_forgotten() -> None:
    """Its topic is looked at no longer, unless a summary took it over."""
    plan = RoutePlan()
    plan.joined("billing", ["orders"], 0)
    plan.due(HINT_LIFETIME_S)

    assert set() == plan.wanted()


def test_a_group_that_nobody_is_in_is_forgotten_after_a_while() -> None:
    """As its brain forgets it: the next version of a route is the first again."""
    plan = settled()
    plan.saw("orders", kafka(5))
    assert [("billing", "orders", 2, 5)] == told(plan, 0)
    plan.summarised("billing", {}, members=0, now=0)
    plan.due(1)
    plan.due(EMPTY_LIFETIME_S)
    plan.joined("billing", ["orders"], EMPTY_LIFETIME_S)
    plan.saw("orders", kafka(6))
    assert [("billing", "orders", 3, 6)] == told(plan, EMPTY_LIFETIME_S)

    plan.summarised("billing", {}, members=0, now=0)
    end = EMPTY_LIFETIME_S + HINT_LIFETIME_S
    plan.due(end)
    plan.due(end + EMPTY_LIFETIME_S)
    plan.joined("billing", ["orders"], end + EMPTY_LIFETIME_S)
    plan.saw("orders", kafka(6))
    assert [("billing", "orders", 1, 6)] == told(plan, end + EMPTY_LIFETIME_S)


def test_queues_of_brokers_are_told_once_by_each_watcher() -> None:
    """A summary only counts, so it cannot prove on which brokers the queues are."""
    plan = RoutePlan()
    plan.summarised("billing", {"orders": known(3, 4)}, members=1, now=0)
    plan.saw("orders", Seen((RunRef("broker-a", 0, 2), RunRef("broker-b", 0, 2))))
    assert [("billing", "orders", 4, 4)] == told(plan, 0)
    assert [] == told(plan, 1_000)

    plan.saw("orders", Seen((RunRef("broker-a", 0, 1), RunRef("broker-b", 0, 3))))
    assert [("billing", "orders", 5, 4)] == told(plan, 1_001)


def test_hearsay_takes_no_queue_of_another_source() -> None:
    """The controller was started without the name servers that it had: the group keeps them."""
    plan = RoutePlan()
    topics = {
        "orders": known(3, 4),
        "visits": known(2, 4).model_copy(update={"generation": "x"}),
        "new": known(0, 0).model_copy(update={"awaited": True}),
    }
    plan.summarised("billing", topics, members=1, now=0)
    for topic in topics:
        plan.saw(topic, Seen(None, by_hearsay=True))

    assert {("visits", None), ("new", None)} == {(it[1], it[3]) for it in told(plan, 0)}
    assert [("billing", "orders")] == plan.disputes()
    assert [] == plan.disputes()
    plan.saw("orders", Seen((RunRef("broker-a", 0, 4),)))
    assert ("billing", "orders", 4, 4) in told(plan, 1)
    plan.saw("orders", Seen(None))
    assert ("billing", "orders", 5, None) in told(plan, 2)


def test_hearsay_that_was_told_before_a_groups_summary_was_read_takes_nothing_either() -> None:
    """A join is read first, and what it asks for does not exist, as far as is known then."""
    plan = RoutePlan()
    plan.joined("billing", ["orders"], 0)
    plan.saw("orders", Seen(None, by_hearsay=True))
    assert [("billing", "orders", 1, None)] == told(plan, 0)

    plan.summarised("billing", {"orders": known(3, 4)}, members=1, now=1)
    assert [] == told(plan, 1) + told(plan, 100)
    assert [("billing", "orders")] == plan.disputes()


def test_racks_are_told_by_each_watcher_and_again_if_kafka_did_not_take_them() -> None:
    """A summary shows nothing of them."""
    plan = settled()
    plan.saw("orders", kafka(4)._replace(racks=(RackRef(("east",), 0, 4),)))
    (lost,) = plan.due(0)
    plan.lost(lost, 1)
    (again,) = plan.due(1)
    assert lost.route.racks == again.route.racks
    assert [] == plan.due(2)
