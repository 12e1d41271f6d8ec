"""What the route watcher makes of joins, and says of them: bounded, whoever writes them."""

from collections.abc import Iterable
from pathlib import Path
from typing import cast

import pytest
from confluent_kafka import Message
from structlog.testing import capture_logs

from console.settings import load
from console.wiring import options
from streaming.feeds.announcements import Seen
from streaming.feeds.clients import FeedProducer
from streaming.feeds.metadata import Metadata
from streaming.feeds.pace_plan import PacePlan
from streaming.feeds.routes import RouteWatcher
from streaming.metrics.catalogue import Metrics
from streaming.metrics.group_gauges import GroupGauges
from tests.builders.log import join
from trimtab.protocol import TopicSummary, encode, partition_of

MEMBERS = "trimtab.members"


class Joining:
    """A join, as Kafka's client hands it over."""

    def __init__(self, group: str, topics: list[str], partition: int) -> None:
        self._key, self._value = group.encode(), encode(join("a", *topics))
        self._partition = partition

    def error(self) -> None:
        """Nothing is wrong."""

    def topic(self) -> str:
        """Where members write."""
        return MEMBERS

    def partition(self) -> int:
        """Where it was written."""
        return self._partition

    def key(self) -> bytes:
        """The group."""
        return self._key

    def value(self) -> bytes:
        """The record."""
        return self._value


class Taken:
    """A producer whose records go nowhere."""

    def write(self, *_record: object) -> bool:
        """Take a record."""
        return True


class Missing:
    """A Kafka that has no topic."""

    def look(self, topics: Iterable[str]) -> dict[str, Seen]:
        """It says so."""
        return dict.fromkeys(topics, Seen(None))


class Watcher(RouteWatcher):
    """Hears joins alone; no topic exists."""

    def hear(self, group: str, topics: list[str], *, astray: int = 0) -> None:
        """Hear a join, in its group's partition or so far from it."""
        partitions = self._options.topics.partitions
        partition = (partition_of(group, partitions) + astray) % partitions
        self._hear(cast("Message", Joining(group, topics, partition)))

    def tell(self) -> None:
        """Tell all groups what is due."""
        for topic in self._plan.unseen():
            self._plan.saw(topic, Seen(None))
        self._tell_all(cast("FeedProducer", Taken()))

    def warns(self) -> list[str]:
        """Look, and say of which topics it warns; Kafka has none."""
        with capture_logs() as lines:
            self._look(cast("Metadata", Missing()), self._plan.wanted())
            self._tell_all(cast("FeedProducer", Taken()))
            self._warn()
        return [it["topic"] for it in lines if it["event"].startswith("a topic is not in Kafka")]

    def knows(self, group: str, topic: str) -> None:
        """Hear that a group has queues of a topic."""
        known = TopicSummary(version=1, queues=8, awaited=False)
        self._plan.summarised(group, {topic: known}, members=1, now=0)

    @property
    def wanted(self) -> set[str]:
        """What groups ask for."""
        return self._plan.wanted()


@pytest.fixture
def watcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watcher:
    """One that is connected to nothing."""
    monkeypatch.chdir(tmp_path)
    usual = options(load().settings, bootstrap_servers="127.0.0.1:1", jars=tmp_path)
    return Watcher(usual, GroupGauges(Metrics()), PacePlan(3_000, 60_000, 1_000))


def test_a_join_that_the_cell_refuses_asks_for_nothing(watcher: Watcher) -> None:
    """It stands in another partition than its group's."""
    watcher.hear("billing", ["orders"], astray=1)
    assert set() == watcher.wanted

    watcher.hear("billing", ["orders"])
    assert {"orders"} == watcher.wanted


def test_many_routes_of_one_group_are_counted_in_the_log(watcher: Watcher) -> None:
    """Twenty are named; one member that asks for a thousand topics writes no thousand lines."""
    watcher.hear("billing", [f"{number:04}" for number in range(1_000)])
    watcher.hear("shipping", ["orders"])
    with capture_logs() as lines:
        watcher.tell()

    told = [(it["group"], it["topic"]) for it in lines if it["event"] == "announced a route"]
    assert [*(("billing", f"{number:04}") for number in range(20)), ("shipping", "orders")] == told
    assert [("billing", 980)] == [
        (it["group"], it["more"]) for it in lines if it["event"] == "announced more routes"
    ]


@pytest.mark.parametrize("content", ["legacy: {broker-a: 8}", "other: {broker-a: 8}"])
def test_a_topic_is_missed_when_all_that_may_know_it_was_read(tmp_path: Path, content: str) -> None:
    """While the route file is unread, that is what the log says, and not that it is not set."""
    file = tmp_path / "routes.yaml"
    settings = load(key_values=[f"home={tmp_path}", f"routes.file={file}"], environment={}).settings
    chosen = options(settings, bootstrap_servers="127.0.0.1:1", jars=tmp_path)
    watcher = Watcher(chosen, GroupGauges(Metrics()), PacePlan(3_000, 60_000, 1_000))
    watcher.knows("billing", "legacy")
    assert [] == watcher.warns() == watcher.warns()

    file.write_text(content)
    assert [it for it in ["legacy"] if it not in content] == watcher.warns()
    assert [] == watcher.warns()
