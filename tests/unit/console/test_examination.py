"""What the doctor reads, and how often; what it makes of it is in `views`."""

from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from console import examination
from console.errors import Away, Failure
from console.lags import Lag
from console.published import Published
from console.settings import load
from console.topics import leaderless
from tests.builders.played_time import PlayedTime
from tests.unit.console.planning.published_group import Message, join
from tests.unit.console.views.published_records import START_MS, assignment, group, hold
from trimtab.protocol import Record, Tick, encode, member_key

PREFIX = "trimtab."


class Topics:
    """Kafka's topics, which count how often each is read."""

    def __init__(self) -> None:
        self.records: dict[str, list[tuple[str, Record]]] = {}
        self.reads: Counter[str] = Counter()
        self.refuses: dict[str, Failure] = {}

    def messages(
        self, _settings: object, _servers: object, topics: list[str], **_: object
    ) -> Iterator[Message]:
        """Stand in for reading Kafka's topics."""
        for topic in topics:
            name = topic.removeprefix(PREFIX)
            self.reads[name] += 1
            if name in self.refuses:
                raise self.refuses[name]
            for key, record in self.records.get(name, ()):
                yield Message(key.encode(), encode(record))


@pytest.fixture
def topics(monkeypatch: pytest.MonkeyPatch) -> Topics:
    """Of a Kafka in which nobody else reads."""
    topics = Topics()
    monkeypatch.setattr("console.published.messages", topics.messages)
    monkeypatch.setattr(examination, "asking", lambda _: nullcontext())
    monkeypatch.setattr("console.pulse.ends", lambda *_: {})
    monkeypatch.setattr("console.pulse.time", PlayedTime())
    return topics


@pytest.fixture
def published() -> Published:
    """Of some cluster."""
    return Published(
        load(key_values=["kafka.bootstrap_servers=nowhere:1"], environment={}).settings
    )


def test_the_joins_of_all_groups_are_read_at_once(topics: Topics, published: Published) -> None:
    """However many have members that subscribe differently; each is judged by its own."""
    names = [f"g{number}" for number in range(5)]
    topics.records = {
        "groups": [(it, group("a", "b", group=it, subscriptions=2, topics={})) for it in names],
        "members": [
            *[(it, join("a", topics=(f"old-{it}",))) for it in names],
            *[(it, join("a", topics=(f"new-{it}",))) for it in names],
            *[(it, join("b", topics=(f"x-{it}",))) for it in names],
            ("another", join("a", topics=("others",))),
        ],
    }
    found = examination.examined(published, None, START_MS, print)

    assert [(it, f"(a: new-{it}; b: x-{it})") for it in names] == [
        (it.subject, it.finding[it.finding.index("(") :])
        for it in found
        if it.kind == "subscriptions"
    ]
    assert 1 == topics.reads["members"]


def test_the_time_between_two_looks_is_measured(
    topics: Topics, published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Kafka that takes 24 s to answer has had that long to take messages."""
    clock = PlayedTime()
    looks = iter([Lag(10, 200), Lag(10, 300)])

    def lags(*_: object) -> dict[tuple[str, int], Lag]:
        clock.sleep(24.0)
        return {("orders", 0): next(looks)}

    monkeypatch.setattr(examination, "time", clock)
    monkeypatch.setattr(examination, "lags", lags)
    monkeypatch.setattr(examination, "_foreign", lambda *_: ())
    key = member_key("billing", "a").decode()
    topics.records = {
        "groups": [("billing", group("a"))],
        "assignments": [(key, assignment("a", hold=(hold(0, 2),)))],
    }
    found = examination.examined(published, "billing", START_MS, print)

    assert ["lag"] == [it.kind for it in found if it.subject == "billing"]


def test_a_client_that_joins_a_moment_later_is_attached(
    topics: Topics, published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RocketMQ's brokers know it before the controller does; who cannot be asked is said."""
    looks: list[dict[str, frozenset[str]]] = [
        {"billing": frozenset({"new", "old"}), "visits": frozenset({"new"})},
        {"billing": frozenset({"old"})},
    ]
    notes = list[str]()

    def unattached(*_: object) -> dict[str, frozenset[str]]:
        if not looks:
            raise Failure("names-1:9876: timed out")
        return looks.pop(0)

    monkeypatch.setattr(examination, "time", PlayedTime())
    monkeypatch.setattr(examination, "unattached", unattached)
    topics.records = {"groups": [("billing", group("a", topics={}))]}
    found = [examination.examined(published, None, START_MS, notes.append) for _ in range(2)]

    (told,) = [it for it in found[0] if it.kind == "unattached consumers"]
    assert ("billing", True) == (told.subject, told.finding.endswith(": old"))
    assert [] == [it for it in found[1] if it.kind == "unattached consumers"]
    assert ["names-1:9876: timed out"] == [it.rpartition("looked for: ")[2] for it in notes]


def test_what_cannot_be_read_is_said(
    topics: Topics, published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A group whose summary is garbage is in no list; nobody should take that for none.

    It is one record, also if what does not fit together makes the doctor look twice.
    """
    monkeypatch.setattr(examination, "time", PlayedTime())
    tick = Tick(controller="c", number=1)
    topics.records = {"groups": [("billing", group("a")), ("visits", tick)]}
    notes = list[str]()
    found = examination.examined(published, None, START_MS, notes.append)

    (note,) = notes
    assert "uncovered" in [it.kind for it in found]
    assert note.startswith("1 record of trimtab's own topics cannot be read")


def test_who_may_not_read_all_learns_what_the_rest_shows(
    topics: Topics, published: Published
) -> None:
    """With the rights of a view alone doctor would else say nothing at all."""
    summary = group("a", ailment="ValueError", subscriptions=2, topics={})
    topics.records = {"groups": [("billing", summary)]}
    lacking = ("heartbeats", "members", "history", "brokers", "deadletters")
    topics.refuses = {it: Failure(f"no right to Read topic {it}") for it in lacking}
    notes = list[str]()
    found = examination.examined(published, None, START_MS, notes.append)

    assert ["ailment"] == [it.kind for it in found]
    assert [
        f"{what} were not looked at: no right to Read topic {topic}"
        for what, topic in zip(
            ("ticks", "joins", "entries of the history", "verdicts", "dead letters"),
            lacking,
            strict=True,
        )
    ] == notes


@pytest.mark.parametrize("topic", ["members", "history"])
def test_a_kafka_that_is_away_ends_the_look(
    topics: Topics, published: Published, topic: str
) -> None:
    """What is found in half of the topics is no answer, and asking again gives one."""
    topics.records = {"groups": [("billing", group("a", subscriptions=2))]}
    topics.refuses = {topic: Away("Kafka has stopped answering")}

    with pytest.raises(Away):
        examination.examined(published, None, START_MS, print)


@pytest.mark.parametrize("topic", ["members", "history", "brokers"])
def test_a_topic_that_nobody_leads_costs_no_other_answer(
    topics: Topics, published: Published, topic: str
) -> None:
    """It may stay so for hours, and what else is wrong is asked for then."""
    summary = group("a", ailment="ValueError", subscriptions=2, topics={})
    topics.records = {"groups": [("billing", summary)]}
    topics.refuses = {topic: leaderless(topic, [3])}
    notes = list[str]()
    found = examination.examined(published, None, START_MS, notes.append)

    (note,) = notes
    assert "ailment" in [it.kind for it in found]
    assert f"no broker leads these partitions of {topic}: 3; " in note


def test_where_all_subscribe_the_same_no_join_is_read(topics: Topics, published: Published) -> None:
    """A week of joins would be read for nothing."""
    topics.records = {"groups": [("billing", group("a", topics={}))]}
    examination.examined(published, None, START_MS, print)

    assert 0 == topics.reads["members"]
