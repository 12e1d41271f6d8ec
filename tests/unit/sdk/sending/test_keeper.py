"""The keeper: what is wrong with one topic, or with the way to the controller, stops nothing."""

import time
from collections.abc import Iterator
from typing import Any, cast

import pytest

from tests.builders.application import until
from trimtab import BrokerSelector
from trimtab.protocol import LATENCY, Report, Verdict, decode, encode
from trimtab.protocol.limits import DURATION_MS
from trimtab.sending.contract import Sender, VerdictRecord
from trimtab.sending.dispatch import Dispatch, Leaders
from trimtab.sending.keeper import POLL_MS, RETRY_MS, Keeper, Reporter

A_VERDICT = Verdict(
    cluster="east",
    broker="1",
    available=False,
    since_ms=1_800_000_000_000,
    reason="slow",
    panic=False,
    reports=5,
    errors=0,
)


class Kafka:
    """A sender and a link, of which one topic is no name."""

    def __init__(self) -> None:
        self.dispatch: Dispatch[Any] = Dispatch(BrokerSelector(), lambda it: (it, it, it))
        self.asked: list[object] = []
        self.reports: list[bytes] = []
        self.trouble = "denied"
        self.takes_ms = 0
        self.now = 1_000_000
        self.gone: set[object] = set()

    def cluster(self) -> str:
        """Its id."""
        return "east"

    def leaders(self, topic: str) -> Leaders:
        """One broker leads whatever has a name."""
        self.asked.append(topic)
        if topic is None:
            raise TypeError(topic)
        self.now += self.takes_ms
        return Leaders([] if topic in self.gone else ["1"], {"1": "a:1"})

    def clock(self) -> int:
        """The time."""
        return self.now

    def open(self, _cluster: str) -> bool:
        """There are verdicts."""
        return True

    def poll(self, _timeout_ms: int) -> list[VerdictRecord]:
        """None comes."""
        time.sleep(0.01)
        return []

    def troubles(self) -> list[str]:
        """The same, each time."""
        return [self.trouble]

    def has_caught_up(self) -> bool:
        """That was all."""
        return True

    def report(self, value: bytes) -> None:
        """Take a report."""
        self.reports.append(value)

    def close(self) -> None:
        """It is closed."""


@pytest.fixture
def kafka() -> Kafka:
    """One of them."""
    return Kafka()


@pytest.fixture
def keeper(kafka: Kafka) -> Iterator[Keeper]:
    """It keeps two topics, one of which is none."""
    for topic in (cast("str", None), "t"):
        kafka.dispatch.expect(topic)
    reporter = Reporter("me", "1767225600000-9f86d081", None, 1_000)
    made = Keeper(cast("Sender", kafka), BrokerSelector(), kafka, reporter)
    yield made
    made.stop(5.0)


def test_a_mistaken_topic_stops_nothing(
    keeper: Keeper, kafka: Kafka, caplog: pytest.LogCaptureFixture
) -> None:
    """The others are looked up, verdicts come and reports go; it is told once."""
    keeper.start()
    until(lambda: keeper._followed)  # noqa: SLF001 - nothing else says it; topics come before
    kafka.dispatch._times["1"].note(0.001)  # noqa: SLF001 - nobody else has them here
    kafka.dispatch.tick(0, 0.05)
    keeper.stop(5.0)

    assert 1 == len(kafka.reports)
    assert 1 == caplog.text.count("the leaders of topic None are unknown: TypeError")
    assert 1 == kafka.asked.count(None)


def test_very_many_topics_keep_no_verdict_waiting(
    keeper: Keeper, kafka: Kafka, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has its turn, but verdicts come and reports go in between."""
    monkeypatch.setattr("trimtab.sending.keeper.now_ms", kafka.clock)
    names = [f"t{number}" for number in range(100)]
    for name in names:
        kafka.dispatch.expect(name)
    kafka.takes_ms = 10
    rounds = []
    while set(names) - set(kafka.asked):
        asked = len(kafka.asked)
        keeper._look()  # noqa: SLF001 - without the thread
        rounds.append(len(kafka.asked) - asked)

    assert POLL_MS // kafka.takes_ms in rounds
    assert POLL_MS // kafka.takes_ms + 1 >= max(rounds)
    assert [1] * 100 == [kafka.asked.count(name) for name in names]


def test_a_topic_that_is_gone_is_forgotten(
    keeper: Keeper, kafka: Kafka, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a minute; who sends to it has it looked for again, and then it may be there."""
    monkeypatch.setattr("trimtab.sending.keeper.now_ms", kafka.clock)

    def look_for_a_while() -> int:
        before = kafka.asked.count("t")
        for _ in range(200):
            kafka.now += RETRY_MS
            keeper._look()  # noqa: SLF001 - without the thread
        return kafka.asked.count("t") - before

    keeper._look()  # noqa: SLF001 - as above
    kafka.gone.add("t")
    looks = look_for_a_while()
    assert 60 == looks
    assert "t" not in kafka.dispatch.topics()
    kafka.dispatch.turns["t"]()
    kafka.gone.clear()

    assert look_for_a_while() > 1
    assert "t" in kafka.dispatch.topics()


def test_what_is_wrong_with_the_link_is_told_once(
    keeper: Keeper, kafka: Kafka, caplog: pytest.LogCaptureFixture
) -> None:
    """And again if it is another thing."""
    keeper.start()
    until(lambda: "denied" in caplog.text)
    kafka.trouble = "another"
    until(lambda: "another" in caplog.text)

    assert 1 == caplog.text.count("denied")


def test_a_window_is_no_longer_than_a_report_may_say(keeper: Keeper, kafka: Kafka) -> None:
    """A process may have been frozen for days: a report that is refused would be lost."""
    keeper._look()  # noqa: SLF001 - without the thread
    keeper._open(kafka)  # noqa: SLF001 - as above
    kafka.dispatch._times["1"].note(10 * DURATION_MS)  # noqa: SLF001 - as above
    kafka.dispatch.tick(0, 0.05)
    keeper._report_at -= 3 * DURATION_MS  # noqa: SLF001 - as above
    keeper._report(kafka)  # noqa: SLF001 - as above
    (report,) = (decode(LATENCY, it) for it in kafka.reports)

    assert isinstance(report, Report)
    assert (DURATION_MS, DURATION_MS) == (report.window_ms, report.brokers[0].max_ms)


@pytest.mark.parametrize("is_live", [True, False])
def test_a_verdict_that_has_just_come_says_what_time_it_is(
    keeper: Keeper, kafka: Kafka, monkeypatch: pytest.MonkeyPatch, *, is_live: bool
) -> None:
    """The clock of this machine is an hour ahead; of what was there before nobody knows its age."""
    monkeypatch.setattr(kafka, "has_caught_up", lambda: is_live)
    for at in (A_VERDICT.since_ms, A_VERDICT.since_ms + 60_000):
        record = VerdictRecord(b"east/1", encode(A_VERDICT), at)
        monkeypatch.setattr("trimtab.sending.keeper.steady_ms", lambda at=at: at + 3_600_000)
        monkeypatch.setattr(kafka, "poll", lambda _, record=record: [record])
        keeper._turn()  # noqa: SLF001 - without the thread

    state = keeper._selector.state(A_VERDICT.since_ms + 3_660_000)  # noqa: SLF001 - as above
    assert ("central" if is_live else "stale") == state
