"""`BrokerSelector`: RocketMQ's known runs, and central verdicts on top of the own table."""

from collections.abc import Sequence
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab import BrokerSelector, ConfigurationError, NoQueueError, QueueRef
from trimtab.faults import ROCKETMQ_4, ROCKETMQ_5, FaultTable, Selector, WriteQueues
from trimtab.protocol import Verdict

NOW = 1_700_000_000_000
LATENCY = {"broker1": 30_000, "broker2": 50_000}
QUEUES = [QueueRef("t", broker, number) for broker in LATENCY for number in range(4)]

generations = pytest.mark.parametrize("generation", ["4.2", "4.9", "5"])


def selector(
    generation: Selector = "5", *, first: int = 0, table: FaultTable | None = None
) -> BrokerSelector:
    """A selector whose counters begin at the given queue."""
    return BrokerSelector(generation, table=table, seed=lambda: first - 1, fresh_for_ms=60_000)


def verdict(broker: str, **said: object) -> Verdict:
    """A central verdict."""
    fields = {
        "cluster": "c",
        "broker": broker,
        "available": False,
        "since_ms": NOW,
        "reason": "slow",
        "panic": False,
        "reports": 5,
        "errors": 0,
    }
    return Verdict.model_validate({**fields, **said})


def brokers(chosen: BrokerSelector, tries: int, now: int = NOW) -> set[str]:
    """Where so many messages would go."""
    return {chosen.select(QUEUES, now).broker for _ in range(tries)}


def test_known_run_every_send_succeeds() -> None:
    """4.2, two brokers of 4 queues: broker1, broker2, then broker1 for ever."""
    chosen, run = selector("4.2"), []
    for _ in range(50):
        broker = chosen.select(QUEUES, NOW).broker
        chosen.report(broker, LATENCY[broker], NOW)
        run.append(broker)

    assert ["broker1", "broker2", *["broker1"] * 48] == run


def test_known_run_every_send_fails_with_one_retry_each() -> None:
    """4.2: (broker1, broker1), (broker2, broker1), then (broker1, broker1) for ever."""
    chosen, run = selector("4.2"), []
    for _ in range(50):
        tries: list[str] = []
        for last in (None, "the first try's"):
            broker = chosen.select(QUEUES, NOW, last_broker=last and tries[0]).broker
            chosen.report(broker, LATENCY[broker], NOW)
            tries.append(broker)
        run.append(tuple(tries))

    again = ("broker1", "broker1")
    assert [again, ("broker2", "broker1"), *[again] * 48] == run


def test_newer_generations_do_not_go_back_to_the_broker_that_failed() -> None:
    """What 4.2 got wrong: the retry of 4.9 and 5 goes to the other broker."""
    for generation in ("4.9", "5"):
        chosen = selector(generation)
        first = chosen.select(QUEUES, NOW).broker
        chosen.report(first, 10, NOW, failed=True)

        assert first != chosen.select(QUEUES, NOW, last_broker=first).broker


@generations
def test_a_verdict_is_laid_on_top_of_the_table(generation: Selector) -> None:
    """A producer that has seen nothing avoids the broker from its first send."""
    chosen = selector(generation)
    chosen.hear(verdict("broker1"), NOW)

    assert {"broker2"} == brokers(chosen, 20)
    assert "central" == chosen.state(NOW)
    assert not chosen.is_available("broker1", NOW)
    chosen.hear(verdict("broker1", available=True), NOW + 1)
    assert {"broker1", "broker2"} == brokers(chosen, 20)


def test_a_verdict_never_makes_a_broker_fit() -> None:
    """What this producer saw itself stands: its own way to the broker may be broken."""
    chosen = selector()
    chosen.report("broker1", 10, NOW, failed=True)
    chosen.hear(verdict("broker1", available=True), NOW)

    assert {"broker2"} == brokers(chosen, 20)


def test_a_verdict_lapses() -> None:
    """At its own time, and with its record."""
    chosen = selector()
    chosen.hear(verdict("broker1", until_ms=NOW + 5_000), NOW)

    assert {"broker2"} == brokers(chosen, 20, NOW + 4_999)
    assert {"broker1", "broker2"} == brokers(chosen, 20, NOW + 5_000)
    chosen.hear(verdict("broker1"), NOW)
    chosen.forget("broker1")
    assert {"broker1", "broker2"} == brokers(chosen, 20)


def test_stale_verdicts_leave_the_table_alone_to_decide() -> None:
    """A controller that is gone keeps no broker out of use."""
    chosen = selector()
    assert "local" == chosen.state(NOW)
    chosen.hear(verdict("broker1"), NOW)
    chosen.report("broker2", 60_000, NOW + 59_000)

    late = NOW + 60_001
    assert "stale" == chosen.state(late)
    assert {"broker1"} == brokers(chosen, 20, late)
    chosen.hear(verdict("broker3", available=True), late)
    assert "central" == chosen.state(late)
    assert {"broker1", "broker2"} >= brokers(chosen, 20, late)


def test_old_records_are_no_news() -> None:
    """What a reader finds on the topic after a long time is as old as Kafka says."""
    chosen = selector()
    chosen.hear(verdict("broker1"), NOW - 3_600_000)

    assert "stale" == chosen.state(NOW)
    assert {"broker1", "broker2"} == brokers(chosen, 20)


def test_a_wrong_stamp_makes_no_board_fresh_for_long() -> None:
    """One verdict is stamped a day ahead; the next one says how fresh the board really is."""
    chosen = selector()
    chosen.hear(verdict("broker1"), NOW + 86_400_000)
    chosen.hear(verdict("broker1"), NOW)

    assert "stale" == chosen.state(NOW + 60_001)


@pytest.mark.parametrize("ahead", [-3_600_000, 0, 3_600_000])
def test_a_producer_whose_clock_is_wrong_judges_by_the_logs(ahead: int) -> None:
    """What has just come was written now; a clock ahead would ignore it, one behind believe it."""
    chosen = BrokerSelector(reporter="p1", seed=lambda: -1, fresh_for_ms=60_000)
    here = NOW + ahead
    chosen.hear(verdict("broker2", available=True), NOW - 30_000, here - 30_000)
    chosen.hear(verdict("broker1", until_ms=NOW + 30_000, testers=("p1",)), NOW, here)
    seen = [chosen.avoided(here + it) for it in (0, 29_999, 30_000)]
    trials = [chosen.trials(here + it) for it in (999, 1_000, 1_001)]
    states = [chosen.state(here + it) for it in (60_000, 60_001)]

    assert [{"broker1"}, {"broker1"}, set()] == seen
    assert [(), ("broker1",), ()] == trials
    assert ["central", "stale"] == states


def test_what_comes_late_of_a_controller_that_is_gone_is_stale() -> None:
    """A producer was cut off for two hours; of their first half there is a word for each minute."""
    chosen = selector()
    chosen.hear(verdict("broker2", available=True), NOW, NOW)
    late = NOW + 7_200_000
    for minutes in range(30):
        for after in (1, 5):
            chosen.hear(verdict("broker1"), NOW + 60_000 * minutes + after, late + minutes)

    assert ("stale", frozenset()) == (chosen.state(late + 30), chosen.avoided(late + 30))


def test_a_shadow_verdict_is_only_watched() -> None:
    """A detector on trial takes nothing out of use."""
    chosen = selector()
    chosen.hear(verdict("broker1", available=True, shadow="drift"), NOW)

    assert "central" == chosen.state(NOW)
    assert {"broker1", "broker2"} == brokers(chosen, 20)


def test_a_tester_tries_a_broker_that_is_out_of_use() -> None:
    """A message a second, so that its recovery is seen; the others send it nothing."""
    tester, other = (BrokerSelector(reporter=name, seed=lambda: -1) for name in ("p1", "p2"))
    for chosen in (tester, other):
        chosen.hear(verdict("broker1", testers=("p1", "p3")), NOW)
    sent = [
        [chosen.select(QUEUES, NOW + 100 * step).broker for step in range(1, 101)]
        for chosen in (tester, other)
    ]

    assert {"broker2"} == set(sent[1])
    assert list(range(9, 100, 10)) == [at for at, to in enumerate(sent[0]) if to == "broker1"]


def test_a_tester_tries_whatever_its_own_table_says_but_never_with_a_retry() -> None:
    """Or a broker that is well again would wait for the isolations of those who test it."""
    tester = BrokerSelector(reporter="p1")
    tester.hear(verdict("broker1", testers=("p1",)), NOW)
    tester.report("broker1", 10, NOW, failed=True)
    due = NOW + 1_000

    assert "broker2" == tester.select(QUEUES, due, last_broker="broker3").broker
    assert ["broker1", "broker2"] == [tester.select(QUEUES, due).broker for _ in range(2)]


@generations
@given(
    out=st.sets(st.sampled_from(["a", "b", "c"])),
    slow=st.dictionaries(st.sampled_from(["a", "b", "c"]), st.integers(0, 60_000)),
    last=st.sampled_from([None, "a", "b", "c", "x"]),
    first=st.integers(-(2**31), 2**31 - 1),
)
def test_a_send_is_never_refused(
    generation: Selector, out: set[str], slow: dict[str, int], last: str | None, first: int
) -> None:
    """Whatever is known of the brokers, there is a queue, and no unfit one while another is fit."""
    queues = [QueueRef("t", broker, number) for broker in "abc" for number in range(2)]
    chosen = selector(generation, first=first)
    for broker in out:
        chosen.hear(verdict(broker), NOW)
    for broker, latency in slow.items():
        chosen.report(broker, latency, NOW)
    picked = chosen.select(queues, NOW, last_broker=last)

    assert picked.broker in "abc"
    fit = {it for it in "abc" if chosen.is_available(it, NOW)} - {last}
    if fit and generation == "5":
        assert picked.broker in fit


def test_each_thread_goes_round_by_itself() -> None:
    """No thread changes the turn of another, and neither does another topic."""
    chosen, picked = selector(), list[int]()

    def send(topic: str) -> None:
        queues = [QueueRef(topic, "b", number) for number in range(4)]
        picked.extend(chosen.select(queues, NOW).id for _ in range(6))

    for topic in ("t", "t", "u"):
        thread = Thread(target=send, args=(topic,))
        thread.start()
        thread.join()
    send("t")
    send("u")

    assert [0, 1, 2, 3, 0, 1] * 5 == picked


def test_a_retry_may_start_anywhere_again() -> None:
    """5 draws a new place for it, the older ones go on, and so does plain round robin."""
    off = FaultTable(ROCKETMQ_5, enabled=False)
    for chosen, second in ((selector(), 0), (selector("4.9"), 1), (selector(table=off), 1)):
        chosen.select(QUEUES, NOW)
        assert second == chosen.select(QUEUES, NOW, reset=True).id


def test_a_selector_judges_by_its_generation_s_table() -> None:
    """Unless it is given another one."""
    table = FaultTable(ROCKETMQ_4)

    assert ROCKETMQ_4 is BrokerSelector("4.2").table.rules is BrokerSelector("4.9").table.rules
    assert ROCKETMQ_5 is BrokerSelector().table.rules
    assert table is BrokerSelector(table=table).table


@pytest.mark.parametrize("nothing", [[], WriteQueues((), {})])
def test_no_queue_is_an_error_of_ours(nothing: Sequence[QueueRef] | WriteQueues) -> None:
    """Where Java divides by zero."""
    with pytest.raises(NoQueueError, match="no queue to write to"):
        selector().select(nothing, NOW)


@pytest.mark.parametrize(("counts", "left"), [({}, []), ({"a": 3}, ["a"])])
def test_the_last_resort_of_4_9_knows_the_route(counts: dict[str, int], left: list[str]) -> None:
    """It may name a queue that is not listed; a broker outside the route is forgotten."""
    chosen = selector("4.9")
    chosen.report("a", 60_000, NOW)
    topic = WriteQueues((("t", "a", 0),), counts)

    assert ("t", "a", 2 if counts else 0) == chosen.select(topic, NOW)
    assert left == [item.broker for item in chosen.table]


def test_a_generation_that_there_is_not_is_refused() -> None:
    """By its name, and with those that there are."""
    with pytest.raises(ConfigurationError, match=r"^generation: '4\.9\.8' must be one of 4\.2, "):
        BrokerSelector("4.9.8")  # type: ignore[arg-type]  # a wrong one
