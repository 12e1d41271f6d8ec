"""The map: newer versions win, and what nobody asked for is not kept."""

import pytest

from rebalance.groups import routing, timers
from rebalance.groups.model.decisions import EventRefused, Refusal, TopicLeftOut
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import RouteObserved
from rebalance.groups.model.extent import Extent
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.roster import Roster
from rebalance.groups.model.route import Route
from rebalance.groups.model.subscriptions import subscribed
from rebalance.ids import BrokerName, Queue, TopicName
from tests.builders.group import a_group
from tests.builders.records import RouteRecord, at, missing, routed

GROUP = a_group().with_member("a", "orders payments").with_route("orders", 2, version=5)


def known(draft: Draft) -> dict[str, tuple[int, int]]:
    """Write the map as version and number of queues by topic."""
    return {name: (route.version, len(route.queues)) for name, route in draft.topics.routes.items()}


OBSERVATIONS = {
    # name: (what was seen, the map afterwards, what changed)
    "grows": (routed("orders", 4, version=6), {"orders": (6, 4)}, "4 queues"),
    "shrinks": (routed("orders", 1, version=6), {"orders": (5, 2)}, None),
    "vanishes": (missing("orders", version=6), {"orders": (5, 2)}, None),
    "newer, but the same": (routed("orders", 2, version=6), {"orders": (6, 2)}, None),
    "same version, other content": (routed("orders", 9, version=5), {"orders": (5, 2)}, None),
    "stale": (routed("orders", 9, version=4), {"orders": (5, 2)}, None),
    "of nobody's topic": (routed("visits", 2), {"orders": (5, 2)}, None),
    "first of a topic": (
        routed("payments", 1),
        {"orders": (5, 2), "payments": (1, 1)},
        "1 queues",
    ),
    "first, and missing": (
        missing("payments"),
        {"orders": (5, 2), "payments": (1, 0)},
        "no such topic yet",
    ),
}


@pytest.mark.parametrize(
    ("seen", "expected", "change"), OBSERVATIONS.values(), ids=OBSERVATIONS.keys()
)
def test_observation(
    seen: RouteRecord, expected: dict[str, tuple[int, int]], change: str | None
) -> None:
    """A route with a higher version is believed; a new target follows only if it says more."""
    draft = GROUP.drafted()
    routing.observe(draft, seen(at(0)))

    assert expected == known(draft)
    assert ([] if change is None else [change]) == [cause.detail for cause in draft.outbox.changes]


def test_topic_that_comes_back_is_a_change() -> None:
    """A topic without queues is not one that does not exist."""
    draft = a_group().with_member("a").with_route("orders", 0, exists=False).drafted()
    routing.observe(draft, routed("orders", 0, version=2)(at(0)))

    assert ["0 queues"] == [cause.detail for cause in draft.outbox.changes]


@pytest.mark.parametrize(("queues", "refused"), [(3, False), (4, True)])
def test_group_beyond_its_limit_is_refused_before_any_state_grows(
    queues: int, *, refused: bool
) -> None:
    """The limit counts the queues of all topics, the old ones of this topic not."""
    group = GROUP.with_route("payments", 3)
    draft = group.drafted(Policy(max_queues=6))
    routing.observe(draft, routed("orders", queues, version=6)(at(0)))
    refusals = [note.reason for note in draft.outbox.notes if isinstance(note, EventRefused)]

    assert ([Refusal.TOO_MANY_QUEUES] if refused else []) == refusals
    assert (2 if refused else queues) == known(draft)["orders"][1]


def test_a_group_beyond_a_new_limit_may_have_fewer_queues() -> None:
    """What is gone is gone, and what is said again is no news; but nothing is added."""
    group = a_group().with_member("a", session_ms=600_000).with_route("orders", 8)
    refused = []
    for queues in (8, 6, 9):
        draft = group.drafted(Policy(max_queues=5))
        routing.observe(draft, routed("orders", queues, version=6)(at(0)))
        timers.fire(draft, at(30_000))
        refused.append((len(draft.topics.routes[TopicName("orders")].queues), _refusals(draft)))

    assert [(8, 0), (6, 0), (8, 1)] == refused


def test_what_there_is_no_room_for_is_refused_once() -> None:
    """Where some queues went and more came: when that is read, and not of another record later."""
    orders = TopicName("orders")
    queues = [Queue(orders, BrokerName(name), n) for name in ("new", "old") for n in range(3)]
    draft = a_group().with_member("a", session_ms=600_000).drafted(Policy(max_queues=2))
    draft.topics.routes.put(orders, Route(1, exists=True, queues=tuple(queues[4:])))
    for version in (2, 3):  # most of it lost: believed when it is said twice
        routing.observe(
            draft, RouteObserved(at(0), orders, version, exists=True, queues=tuple(queues[:3]))
        )
    read = _refusals(draft)
    timers.fire(draft, at(30_000))

    assert (1, 1) == (read, _refusals(draft))
    assert 3 == draft.topics.routes[orders].left_out
    assert () == draft.topics.routes[orders].queues  # the old ones are gone, room or not


def _refusals(draft: Draft) -> int:
    return sum(isinstance(note, EventRefused) for note in draft.outbox.notes)


def left_out(draft: Draft) -> dict[str, tuple[int, int]]:
    """Return, of each topic, how many queues it has and how many are left out."""
    return {
        name: (len(route.queues), route.left_out) for name, route in draft.topics.routes.items()
    }


def test_what_there_is_no_room_for_is_left_out_and_said_once() -> None:
    """A topic that is new, and one that grows; the same news again is none."""
    group = (
        a_group().with_member("a", "orders payments", session_ms=600_000).with_route("orders", 3)
    )
    draft = group.drafted(Policy(max_queues=4))
    for version in (2, 3, 3):
        routing.observe(draft, routed("orders", 6, version=version)(at(0)))
        routing.observe(draft, routed("payments", 5, version=version)(at(0)))
    said = [note for note in draft.outbox.notes if isinstance(note, TopicLeftOut)]

    assert {"orders": (3, 3), "payments": (0, 5)} == left_out(draft)
    assert [("orders", 3), ("payments", 5)] == [(note.topic, note.queues) for note in said]
    assert [said[0].cause, draft.outbox.touched] == [draft.outbox.other_cause, True]
    assert [2, 2] == [len(said), _refusals(draft)]


def test_what_was_left_out_is_taken_in_when_there_is_room() -> None:
    """The watcher goes on telling of it."""
    group = (
        a_group().with_member("a", "orders payments", session_ms=600_000).with_route("orders", 3)
    )
    draft = group.drafted(Policy(max_queues=4))
    routing.observe(draft, routed("payments", 2, version=1)(at(0)))
    routing.observe(draft, routed("orders", 2, version=2)(at(0)))
    timers.fire(draft, at(30_000))
    routing.observe(draft, routed("payments", 2, version=2)(at(30_000)))

    assert {"orders": (2, 0), "payments": (2, 0)} == left_out(draft)
    assert "2 queues" == draft.outbox.changes[-1].detail


def test_what_is_left_out_and_goes_leaves_nothing() -> None:
    """Nobody asks for it by name, so it is forgotten."""
    group = a_group().with_member("a", "orders pay*").with_route("orders", 3)
    draft = group.drafted(Policy(max_queues=4))
    routing.observe(draft, routed("payments", 2, version=1)(at(0)))
    assert (0, 2) == left_out(draft)["payments"]

    routing.observe(draft, routed("payments", 0, version=2, exists=False)(at(0)))
    assert {"orders": (3, 0)} == left_out(draft)


def test_only_so_many_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond them each is refused, and no state grows."""
    monkeypatch.setattr(routing, "LEFT_OUT", 2)
    draft = a_group().with_member("a", "t-*").drafted(Policy(max_queues=1))
    for number in range(5):
        routing.observe(draft, routed(f"t-{number}", 2)(at(0)))

    assert {"t-0": (0, 2), "t-1": (0, 2)} == left_out(draft)
    assert 5 == _refusals(draft)


def test_the_extent_is_kept_up() -> None:
    """What routing has added and taken away comes to what there is in the end."""
    group = a_group().with_member("a", "orders pay*", session_ms=600_000)
    draft = group.with_route("orders", 3).drafted(Policy(max_queues=9))
    for topic, queues, version in (("payments", 4, 1), ("orders", 5, 2), ("payroll", 8, 1)):
        routing.observe(draft, routed(topic, queues, version=version)(at(0)))
    for version in (2, 3):  # all of it is lost: believed when it is said twice
        routing.observe(draft, routed("payments", 0, version=version, exists=False)(at(0)))
    timers.fire(draft, at(30_000))
    anew = Extent()
    for topic, route in draft.topics.routes.items():
        anew = anew.with_route(topic, route)

    assert {"orders": (5, 0), "payroll": (0, 8)} == left_out(draft)
    assert (5, 1) == (anew.queues, anew.left_out)
    assert anew == draft.topics.extent


LINGERING = GROUP.with_member("a", "orders").with_route("payments", 3)


def test_what_nobody_subscribes_any_more_is_forgotten_at_the_next_route() -> None:
    """It makes room even for a route that says nothing new, but not for one that is stale."""
    after = {}
    for version in (5, 6):
        draft = LINGERING.drafted(Policy(max_queues=4))
        routing.observe(draft, routed("orders", 4, version=version)(at(0)))
        after[version] = known(draft)

    assert {5: {"orders": (5, 2), "payments": (1, 3)}, 6: {"orders": (6, 4)}} == after


def test_group_without_members_keeps_its_map() -> None:
    """Somebody will come back to it; meanwhile nothing new is believed."""
    draft = a_group().with_route("orders", 2).drafted()
    routing.observe(draft, routed("orders", 4, version=2)(at(0)))

    assert {"orders": (1, 2)} == known(draft)


def test_topic_is_subscribed_as_long_as_one_member_wants_it() -> None:
    """Each member has a subscription of its own."""
    group = a_group().with_member("a", "orders").with_member("b", "orders payments")

    assert {"orders", "payments"} == subscribed(
        Roster(group.state.membership.members).wishes, frozenset()
    )
    assert set() == subscribed([], frozenset())


LOSSES = {
    # name: (the queues seen at each second, when they are believed to be all)
    "a small loss that lasts": ({0: 3}, 30_000),
    "a small loss that is said again": ({0: 3, 10_000: 3}, 30_000),
    "a small loss, and then another": ({0: 3, 10_000: 2}, 40_000),
    "a small loss that is made good": ({0: 3, 29_000: 4}, None),
    "a large loss": ({0: 1}, None),
    "a large loss that is said again": ({0: 1, 10_000: 1}, 30_000),
    "a large loss that is said again late": ({0: 1, 50_000: 1}, 50_000),
    "all gone": ({0: None}, None),
    "all gone, said again": ({0: None, 5_000: None}, 30_000),
}


@pytest.mark.parametrize(("seen", "believed_at"), LOSSES.values(), ids=LOSSES.keys())
def test_loss_is_doubted_for_a_while(seen: dict[int, int | None], believed_at: int | None) -> None:
    """Queues that vanish must stay away for the damping time (D1), most of them said twice (D6)."""
    draft = a_group().with_member("a", session_ms=600_000).with_route("orders", 4).drafted()
    believed = None
    for second in range(100):
        stamp = at(second * 1_000)
        timers.fire(draft, stamp)
        if stamp.clock in seen:
            count = seen[stamp.clock]
            version = 2 + second
            saw = missing("orders", version=version)
            routing.observe(
                draft,
                saw(stamp) if count is None else routed("orders", count, version=version)(stamp),
            )
            timers.fire(draft, stamp)
        if believed is None and len(draft.topics.routes[TopicName("orders")].queues) < 4:
            believed = stamp.clock

    assert believed_at == believed


def test_what_is_new_is_believed_though_something_is_lost() -> None:
    """A topic whose queues move to another broker keeps the old ones until the loss is believed."""
    queues = tuple(Queue(TopicName("orders"), BrokerName(name), 0) for name in ("new", "old"))
    draft = a_group().with_member("a").drafted()
    draft.topics.routes.put(TopicName("orders"), Route(1, exists=True, queues=queues[1:]))
    routing.observe(
        draft, RouteObserved(at(0), TopicName("orders"), 2, exists=True, queues=queues[:1])
    )

    assert queues == draft.topics.routes[TopicName("orders")].queues


def test_a_doubt_that_contradicts_itself_is_refused() -> None:
    """Of what is not believed yet there may be two tellings as well: the first one stands (D5)."""
    draft = GROUP.drafted()
    for queues in (1, 1, 0):
        routing.observe(draft, routed("orders", queues, version=6)(at(0)))

    assert [Refusal.ROUTES_CONTRADICT] == [
        note.reason for note in draft.outbox.notes if isinstance(note, EventRefused)
    ]
    assert 1 == len(draft.topics.doubts[TopicName("orders")].route.queues)


def test_a_version_that_contradicts_itself_is_refused() -> None:
    """Two watchers that disagree are an operator's business; what was said first stands (D5)."""
    draft = GROUP.drafted()
    routing.observe(draft, routed("orders", 9, version=5)(at(0)))

    assert [Refusal.ROUTES_CONTRADICT] == [
        note.reason for note in draft.outbox.notes if isinstance(note, EventRefused)
    ]
