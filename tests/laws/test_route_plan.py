"""The route plan looks only at groups of which it heard: it tells what one that looks at all tells.

With ten thousand groups the difference was half a core of the driver.
"""

from hypothesis import given
from hypothesis import strategies as some

from rebalance.ids import TopicName
from streaming.feeds.announcements import Seen
from streaming.feeds.route_plan import Announcement, RoutePlan
from trimtab.protocol import RunRef, TopicSummary

GROUPS, TOPICS, PATTERNS = ("a", "b", "c"), ("t1", "t2", "u1"), ("t*", "*1")
KINDS = (
    Seen(None),
    Seen((RunRef("", 0, 4),)),
    Seen((RunRef("", 0, 6),), "first"),
    Seen((RunRef("", 0, 6),), "second"),
)
MOST = 60
"""What happens in one history."""

groups = some.sampled_from(GROUPS)
topics = some.sets(some.sampled_from(TOPICS), max_size=2).map(sorted)
patterns = some.sets(some.sampled_from(PATTERNS), max_size=1).map(sorted)
summaries = some.dictionaries(
    some.sampled_from(TOPICS),
    some.builds(
        TopicSummary,
        version=some.integers(0, 3),
        queues=some.sampled_from([0, 4, 6]),
        awaited=some.booleans(),
        left_out=some.sampled_from([None, 2]),
        generation=some.sampled_from([None, "first"]),
    ),
)
histories = some.lists(
    some.one_of(
        some.tuples(some.just("joined"), groups, topics, patterns),
        some.tuples(
            some.just("summarised"),
            groups,
            summaries,
            patterns,
            some.integers(0, 2),
            some.booleans(),
        ),
        some.tuples(some.just("saw"), some.sampled_from(TOPICS), some.sampled_from(KINDS)),
        some.tuples(some.just("listed"), topics),
        some.tuples(some.just("lost"), some.integers(0, 5)),
        some.tuples(some.just("looked up"), topics),
        some.tuples(some.just("tell")),
        some.tuples(some.just("wait"), some.sampled_from([0.5, 2, 10, 61, 3_700])),
    ),
    max_size=MOST,
)


@given(histories)
def test_it_looks_at_whom_it_must(history: list[tuple[object, ...]]) -> None:
    """The same announcements at the same times, and the same topics to look at."""
    plan, thorough = RoutePlan(), RoutePlan()
    now, said = 0.0, list[Announcement]()
    for happening in history:
        if happening[0] == "wait":
            now += float(str(happening[1]))
        for one in (plan, thorough):
            _tell(one, happening, now, said)
        if happening[0] in {"tell", "wait"}:
            thorough._heard.update(thorough._groups)  # noqa: SLF001 - whoever looks at all
            due = plan.due(now)
            said += due
            assert thorough.due(now) == due
        assert thorough.wanted() == plan.wanted()
        assert thorough.unseen() == plan.unseen()
        assert dict(thorough.seen) == dict(plan.seen)
        asking = [it.wanted() for it in plan._groups.values()]  # noqa: SLF001 - counted, or asked
        assert plan.wanted() == set[str]().union(*asking)


def _tell(
    plan: RoutePlan, happening: tuple[object, ...], now: float, said: list[Announcement]
) -> None:
    """Tell a plan what has happened."""
    match happening:
        case ("joined", str(group), list(wanted), list(by)):
            plan.joined(group, wanted, now, by)
        case ("summarised", str(group), dict(known), list(by), int(members), bool(cut)):
            plan.summarised(group, known, members=members, now=now, patterns=by, cut=cut)
        case ("saw", str(topic), Seen() as seen):
            plan.saw(topic, seen)
        case ("listed", list(there)):
            plan.listed(frozenset(map(TopicName, there)))
        case ("looked up", list(those)):
            plan.looked_up(those)
        case ("lost", int(which)) if which < len(said):
            plan.lost(said[-which - 1], now)
