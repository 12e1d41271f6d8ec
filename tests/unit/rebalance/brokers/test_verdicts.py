"""The jury beyond the catalogue: panic, testers, renewal, and what is bounded."""

from typing import Any

import pytest

from rebalance.brokers.decisions import BrokerCommandAnswered, ReportRefused
from rebalance.brokers.events import Reported, ReporterId, Sight
from rebalance.brokers.policy import VerdictPolicy
from rebalance.ids import BrokerName, Incarnation, Millis, TopicName
from rebalance.spread import spread
from rebalance.stamp import Stamp, Ticked
from tests.builders.cluster_story import EPOCH, FAILS, FINE, LIFE, ClusterStory, sights


def test_panic_ignores_health_and_lasts_two_sweeps() -> None:
    """A broker that was out is in use again while most are unfit, and out again after it."""
    story = ClusterStory()
    story.sweep({"c": FAILS}, times=2)
    assert "c" == story.out
    story.sweep(dict.fromkeys("abcd", FAILS))
    assert ("", True) == (story.out, story.panic)
    assert "too many are unfit: health is ignored" == story.verdict("c").reason

    story.sweep({"c": FAILS})
    assert ("", True) == (story.out, story.panic)
    story.sweep({"c": FAILS}, times=2)
    assert ("c", False) == (story.out, story.panic)


@pytest.mark.parametrize("by", [86_400_000, -86_400_000])
def test_a_wrong_stamp_says_nothing_about_later_verdicts(by: int) -> None:
    """A tick is stamped a day wrong; what is said from then on is counted from what came later."""
    story = ClusterStory()
    story.sweep()
    stamp = story.stamp()
    wrong = Millis(stamp.appended + by)
    story.hear(Ticked(Stamp(stamp.clock, stamp.heard, wrong, stamp.position)))
    story.sweep({"c": FAILS}, times=2)
    verdict = story.verdict("c")

    assert verdict.until_ms is not None
    assert verdict.since_ms <= EPOCH + story.now < verdict.until_ms < EPOCH + story.now + 60_000


def test_a_verdict_names_those_who_voted() -> None:
    """The first sixteen of those that complain; who saw nothing wrong is not among them."""
    story = ClusterStory(reporters=20)
    well = str(story.reporters[0])
    story.sweep({"c": FAILS}, lies={well: {"c": 5.0}})
    told = story.verdict("c")

    assert ("c", 16) == (story.out, len(told.voters))
    assert tuple(sorted(told.voters)) == told.voters
    assert well not in told.voters
    assert () == story.verdict("a").voters


def test_a_recovery_in_the_middle_of_a_sweep_shows_at_its_end() -> None:
    """What testers saw late in a sweep goes for the whole of it."""
    story = ClusterStory()
    story.sweep({"c": FAILS})
    testers = list(map(str, story.verdict("c").testers))

    def recovers(*late: str) -> None:
        for who in testers:
            story.report(who, *sights({"a": 5.0, "b": 5.0, "c": FAILS}))
        story.pass_time(2 * story.policy.sweep_ms // 3 + 1)
        for who in late:
            story.report(who, *sights({"a": 5.0, "b": 5.0, "c": 5.0}, count=1))
        story.pass_time(story.policy.sweep_ms // 3)

    recovers(testers[0])
    assert "c" == story.out
    recovers(*testers[:2])
    assert "" == story.out


def test_each_time_it_sits_out_longer_and_calm_forgives() -> None:
    """Thirty seconds times n, at most five minutes, a tenth of jitter; five minutes calm: n - 1."""
    story = ClusterStory()
    terms = []
    for _ in range(12):
        while story.out != "c":
            story.sweep({"c": FAILS})
        until = story.verdict("c").until_ms
        assert until is not None
        terms.append((until - EPOCH - story.now) // 1_000)
        while story.out == "c":
            story.sweep()

    for number, term in enumerate(terms, start=1):
        assert min(30 * number, 300) <= term <= min(33 * number, 330)
    count = story.cluster.brokers[BrokerName("c")].ejections
    story.sweep(times=31)
    assert count - 1 == story.cluster.brokers[BrokerName("c")].ejections


def test_brokers_that_go_together_do_not_return_together() -> None:
    """The jitter differs from broker to broker, and is the same on every replay."""
    jitters = {spread(f"broker-{number}", 1) % 11 for number in range(40)}

    assert len(jitters) > 6
    published = 0xAF63DC4C8601EC8C  # FNV-1a of "a"
    assert published ^ published >> 29 == spread("a")


def test_verdicts_are_said_again_while_reports_come() -> None:
    """Once a minute; without reports they are left to grow old."""
    story = ClusterStory()
    story.sweep(times=19)
    assert 4 == len(story.issued("a"))
    for _ in range(30):
        story.pass_time(10_000)
    assert 5 == len(story.issued("a"))


def test_a_redelivered_report_is_not_counted_again() -> None:
    """Nor one of a life that was replaced."""
    story = ClusterStory()
    story.sweep()
    story.report("r0", *sights({"a": 5.0}), sequence=1_000)
    story.report("r0", *sights({"a": 5.0}), sequence=1_000)
    story.report("r0", *sights({"a": 5.0}), sequence=999)

    calls = story.cluster.reporters[ReporterId("r0")].calls
    assert 20 == calls[BrokerName("a")].made


def test_a_replaced_process_is_not_heard_again() -> None:
    """A younger life counts from its first record; single samples count as they come."""
    story, name = ClusterStory(), ReporterId("r0")
    young, old = Incarnation("1700000000001-00000000"), LIFE
    for incarnation, sequence in ((old, 7), (young, 0), (old, 8), (None, None), (None, None)):
        story.hear(Reported(story.stamp(), name, incarnation, sequence, sights({"a": 5.0})))

    assert 4 * 20 == story.cluster.reporters[name].calls[BrokerName("a")].made
    assert (young, 0) == (
        story.cluster.reporters[name].incarnation,
        story.cluster.reporters[name].sequence,
    )


def test_producers_that_share_a_name_are_said_to() -> None:
    """Only the youngest is heard: of the others' reports one in a thousand is a dead letter."""
    story, name = ClusterStory(), ReporterId("checkout")
    young, old = Incarnation("1700000000001-00000000"), LIFE
    for sequence in range(401):
        for incarnation in (young, old):
            story.hear(Reported(story.stamp(), name, incarnation, sequence, sights({"a": FINE})))
        story.pass_time(2_000)

    assert {"a younger producer reports as checkout, too"} == {
        it.detail for it in story.decisions if isinstance(it, ReportRefused)
    }


def test_an_order_about_one_broker_too_many_is_refused() -> None:
    """Operators know what they do, and mistype names all the same: the state stays bounded."""
    story = ClusterStory("ab", policy=VerdictPolicy(brokers_max=2))
    story.sweep()
    story.command("c", available=False)

    assert [(False, "more than 2 brokers")] == [
        (it.done, it.detail) for it in story.decisions if isinstance(it, BrokerCommandAnswered)
    ]
    assert {"a", "b"} == set(story.cluster.brokers)
    assert {} == story.cluster.commands


def test_a_fact_that_is_known_costs_nothing() -> None:
    """A watcher that starts anew says all it sees; only what is news may change a verdict."""
    story = ClusterStory()
    story.host("orders", "cd")
    story.sweep({"c": FAILS}, times=3)
    before = len(story.decisions)
    story.host("orders", "cd")
    assert before == len(story.decisions)

    story.host("orders", "c")
    assert before < len(story.decisions)


def test_a_quorum_makes_brokers_known_as_far_as_there_is_room() -> None:
    """Nobody pushes a known broker out by naming others; one voice makes none known."""
    story = ClusterStory("ab", policy=VerdictPolicy(brokers_max=3))
    story.sweep()
    for reporter, named in (("r0", "cd"), ("r1", "cd"), ("r2", "e")):
        story.report(reporter, *sights(dict.fromkeys(named, 5.0)))
    story.pass_time(10_000)

    assert {"a", "b", "c"} == set(story.cluster.brokers)


def test_the_state_is_bounded() -> None:
    """Reporters, brokers and topics beyond the limits are not let in; the silent are forgotten."""
    tiny = VerdictPolicy(reporters_max=3, brokers_max=4, topics_max=1)
    story = ClusterStory("abcdef", reporters=3, policy=tiny)
    story.sweep()
    for number in range(1, 1_500):
        for reporter in ("r3", "r4"):
            story.report(reporter, *sights({"a": FINE}), sequence=2 * number)
    story.sweep()
    story.host("t", "ab")
    story.host("u", "ab")

    *reporters, topic = (it for it in story.decisions if isinstance(it, ReportRefused))
    assert [("more than 3 reporters", offset) for offset in (1_000, 2_000, 3_000)] == [
        (it.detail, it.stamp.position.offset) for it in reporters
    ]
    assert "more than 1 topics" == topic.detail
    assert (3, 4, 1) == (
        len(story.cluster.reporters),
        len(story.cluster.brokers),
        len(story.cluster.topics),
    )
    story.host("t", "")
    for _ in range(400):
        story.pass_time(10_000)
    assert ({}, {}, {}, {}) == (
        story.cluster.reporters,
        story.cluster.brokers,
        story.cluster.topics,
        story.cluster.told,
    )


def test_hosted_brokers_are_known_before_they_are_reported() -> None:
    """And stay, as long as a topic has them."""
    story = ClusterStory()
    story.host("t", "ab")
    for _ in range(400):
        story.pass_time(10_000)

    assert {"a", "b"} == set(story.cluster.brokers)
    assert frozenset("ab") == story.cluster.topics[TopicName("t")]


def test_a_topic_that_nobody_speaks_of_any_more_is_forgotten() -> None:
    """It was deleted while nobody watched; and in the end so is its cluster, to the last word."""
    story = ClusterStory()
    story.host("t", "ab", lease_ms=Millis(60_000))
    story.pass_time(50_000)
    story.host("t", "ab", lease_ms=Millis(60_000))
    story.pass_time(50_000)
    assert {"t"} == set(story.cluster.topics)

    story.pass_time(20_000)
    assert ({}, {}) == (story.cluster.topics, story.cluster.leases)
    for _ in range(400):
        story.pass_time(10_000)
    assert ({}, {}, None) == (story.cluster.brokers, story.cluster.told, story.cluster.deadline)


@pytest.mark.parametrize(
    ("sight", "sound"),
    [
        (Sight(BrokerName("a"), 1, 0, 0.1), True),
        (Sight(BrokerName("a"), 1, 1, 0.0), True),
        (Sight(BrokerName("a"), 0, 0, 0.0), True),
        (Sight(BrokerName("a"), 1, 2, 5.0), False),
        (Sight(BrokerName("a"), 1, -1, 5.0), False),
        (Sight(BrokerName("a"), 1, 0, 86_400_001.0), False),
    ],
)
def test_a_sight_must_be_possible(sight: Sight, *, sound: bool) -> None:
    """A latency counts where a call came back."""
    assert sound == sight.is_sound()


@pytest.mark.parametrize(
    "wrong",
    [
        {"quorum": 0},
        {"sweep_ms": Millis(60_001)},
        {"latency_factor": 1.2},
        {"recovery_factor": 1.0},
        {"ejection_ms": Millis(400_000)},
        {"ejection_ms": Millis(14_999)},
        {"sweep_ms": Millis(60_000)},
        {"past_sweeps_min": 31},
        {"panic_percent": 101},
    ],
)
def test_a_policy_makes_sense(wrong: dict[str, object]) -> None:
    """What does not is refused when it is made."""
    with pytest.raises(ValueError, match=r"must"):
        VerdictPolicy(**wrong)  # type: ignore[arg-type]  # that is the point


@pytest.mark.parametrize(
    "quiet", [{"mode": "rocketmq-5"}, {"failures": "shadow", "latency": "off"}]
)
def test_a_sweep_as_long_as_an_ejection_is_refused_only_where_detectors_eject(
    quiet: dict[str, Any],
) -> None:
    """And those settings are named that must be changed, of which one may not have been set."""
    assert 60_000 == VerdictPolicy(sweep_ms=Millis(60_000), **quiet).sweep_ms
    with pytest.raises(ValueError, match=r"ejection_time must .* 90000 ms: sweep_interval and"):
        VerdictPolicy(sweep_ms=Millis(60_000))
