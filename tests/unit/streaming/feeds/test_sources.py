"""Whose word counts on a topic: the route file's, Kafka's, or that of RocketMQ's name servers."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import structlog

from streaming.feeds.announcements import Seen
from streaming.feeds.route_plan import RoutePlan
from streaming.feeds.sources import Sources
from streaming.options import FeedOptions
from tests.builders.name_server import KNOWN, NONE_KNOWN, answering, framed
from tests.unit.streaming.feeds.test_name_server import OF_4, server
from trimtab.protocol import RunRef, TopicSummary

NOBODY = ("127.0.0.1", 1)
OF_3 = Seen((RunRef("", 0, 3),), "a")
BY_NAME = Seen((RunRef("broker-a", 0, 2), RunRef("broker-b", 0, 4)))
MISSING = Seen(None)


class Kafka:
    """One that has these topics, and answers for all others that they do not exist."""

    def __init__(self, **topics: Seen) -> None:
        self._topics = topics

    def look(self, topics: Iterable[str]) -> dict[str, Seen]:
        """Return what they are like."""
        return {topic: self._topics.get(topic, MISSING) for topic in topics}


@contextmanager
def sources(*names: tuple[str, int], file: Path | None = None) -> Iterator[Sources]:
    """Those with these name servers."""
    options = FeedOptions(
        tick_interval_ms=1_000,
        route_poll_interval_ms=1_000,
        route_file=file,
        name_servers=(names,) if names else (),
        racks=False,
        cluster=None,
        heartbeat_budget=10_000,
    )
    found = Sources(options, structlog.get_logger())
    yield found
    found.close()


def test_the_file_comes_first_and_name_servers_last(tmp_path: Path) -> None:
    """What Kafka has, a name server is not asked for."""
    file = tmp_path / "routes.yaml"
    file.write_text(json.dumps({"written": {"broker-c": 5}}))
    with answering({"orders": OF_4}) as good, sources(good, file=file) as found:
        seen = found.look(Kafka(visits=OF_3), {"orders", "visits", "written"}, {})

    written = Seen((RunRef("broker-c", 0, 5),))
    assert {"orders": BY_NAME, "visits": OF_3, "written": written} == seen


@pytest.mark.parametrize("asks", [True, False], ids=["name servers", "none"])
def test_a_route_file_that_was_never_read_takes_nothing(tmp_path: Path, *, asks: bool) -> None:
    """It may name any topic: what is not Kafka's for sure stays with whoever has it.

    Who has nothing of a topic is told what others say, and of Kafka's own topics all is told.
    """
    plan, file = RoutePlan(), tmp_path / "routes.yaml"
    legacy = TopicSummary(version=1, queues=8, awaited=False)
    kafkas = legacy.model_copy(update={"generation": "a"})
    topics = {"gone": legacy, "of-kafka": legacy, "visits": kafkas}
    plan.summarised("billing", topics, members=1, now=0)
    plan.joined("shipping", ["visits"], 0)

    def told(found: Sources) -> set[tuple[str, str, int]]:
        kafka = Kafka(**{"of-kafka": OF_3, "visits": OF_3})
        for topic, it in found.look(kafka, plan.wanted(), plan.seen).items():
            plan.saw(topic, it)
        return {(it.group, it.route.topic, len(it.route.runs)) for it in plan.due(0)}

    with answering({}) as good, sources(*([good] if asks else []), file=file) as found:
        assert {("billing", "visits", 1), ("shipping", "visits", 1)} == told(found)
        assert not found.are_known

        file.write_text(json.dumps({"gone": {"broker-a": 4, "broker-b": 4}}))
        assert {("billing", "gone", 2), ("billing", "of-kafka", 1)} <= told(found)
        assert (True, []) == (found.are_known, plan.disputes())


def test_without_name_servers_kafkas_word_is_final() -> None:
    """Most controllers have no RocketMQ."""
    with sources() as found:
        assert found.look(Kafka(), {"orders"}, {})["orders"].runs is None


def test_without_name_servers_what_nobody_has_seen_is_hearsay() -> None:
    """It may be RocketMQ's, and the controller is not told of its name servers any more."""
    with sources() as found:
        once = found.look(Kafka(), {"orders"}, {})
        again = found.look(Kafka(), {"orders"}, once)
        gone = found.look(Kafka(), {"visits"}, {"visits": BY_NAME})

    assert {"orders": Seen(None, by_hearsay=True)} == once == again
    assert {"visits": MISSING} == gone, "it was in the file"


def test_what_both_say_does_not_exist_does_not() -> None:
    """A name server that knows its brokers is an authority on what they have."""
    with answering({}) as good, sources(good) as found:
        assert {"orders": MISSING} == found.look(Kafka(), {"orders"}, {})


def test_kafkas_word_counts_on_what_it_had() -> None:
    """A topic of Kafka's that was deleted is gone, wherever the name servers are."""
    with sources(NOBODY) as found:
        assert {"visits": MISSING} == found.look(Kafka(), {"visits"}, {"visits": OF_3})


@pytest.mark.parametrize(
    "says",
    [
        pytest.param(None, id="away"),
        pytest.param(framed(NONE_KNOWN) + framed(b"", 2, code=17), id="started anew"),
        pytest.param(framed(KNOWN) + framed(b"", 2, code=1), id="at a loss"),
    ],
)
def test_what_a_name_server_does_not_answer_is_unknown_and_not_gone(says: bytes | None) -> None:
    """Kafka's "no such topic" would take all of RocketMQ's queues from everybody."""
    plan = RoutePlan()
    plan.joined("billing", ["orders", "visits"], 0)
    with answering({"orders": OF_4}) as good, sources(good) as found:
        for topic, seen in found.look(Kafka(visits=OF_3), plan.wanted(), plan.seen).items():
            plan.saw(topic, seen)
    assert {"orders", "visits"} == {it.route.topic for it in plan.due(0)}

    with server(says or b"") as bad, sources(bad if says else NOBODY) as found:
        known = found.look(Kafka(visits=OF_3), plan.wanted(), plan.seen)
    for topic, seen in known.items():
        plan.saw(topic, seen)

    assert {"visits": OF_3} == known
    assert [] == plan.due(1)
