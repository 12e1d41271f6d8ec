"""What a client of kafka-python does with what it cannot read: the rest is read."""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import Mock

import pytest
from kafka import OffsetAndMetadata, TopicPartition
from kafka.errors import (
    CorruptRecordError,
    KafkaError,
    KafkaTimeoutError,
    LogTruncationError,
    OffsetOutOfRangeError,
    TopicAuthorizationFailedError,
)

from trimtab import QueueRef
from trimtab.consuming.contract import Client, RefusedError, Wish
from trimtab.consuming.kafka_python import KafkaPythonClient
from trimtab.consuming.offsets import GroupOffsets

ONE, OTHER = QueueRef("one", "", 0), QueueRef("other", "", 0)


class Refusing:
    """A consumer of kafka-python that raises what it is told, and keeps what it is asked."""

    def __init__(self, *errors: Exception) -> None:
        self._errors = [*errors]
        self.places: dict[str, int] = {}
        self.resting: set[Any] = set()
        self._fetcher = SimpleNamespace(
            _next_partition_records=None, _next_in_line_exception_metadata=None
        )

    def assign(self, places: Iterable[Any]) -> None:
        """Read these: what is new from nowhere yet, the others from where they are."""
        self.places = {it.topic: self.places.get(it.topic, -1) for it in places}

    def seek(self, place: Any, offset: int) -> None:  # noqa: ANN401 - as of it
        """Read it from there."""
        self.places[place.topic] = offset

    def pause(self, *places: Any) -> None:  # noqa: ANN401 - as of it
        """Do not read these."""
        self.resting.update(places)

    def resume(self, *places: Any) -> None:  # noqa: ANN401 - as of it
        """Read these again."""
        self.resting.difference_update(places)

    def paused(self) -> set[Any]:
        """What is not read."""
        return set(self.resting)

    def poll(self, **_: object) -> dict[Any, list[Any]]:
        """Refuse, as long as there is a reason."""
        if self._errors:
            raise self._errors.pop(0)
        return {}

    def rests(self) -> set[str]:
        """The topics that are not read."""
        return {it.topic for it in self.resting}


def a_client(monkeypatch: pytest.MonkeyPatch, consumer: Refusing) -> KafkaPythonClient:
    """A client that reads both queues, at offset 7."""
    monkeypatch.setattr("trimtab.consuming.kafka_python.connected", lambda *_: consumer)
    client = KafkaPythonClient(Wish("nowhere:1", "billing", {}, {}, 2.0))
    client.begin({ONE: 7, OTHER: 7})
    client.open()
    return client


def test_what_may_not_be_read_rests_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be refused again at once, and nothing else would be read."""
    error = TopicAuthorizationFailedError({"one"})
    now = [0.0]
    monkeypatch.setattr("trimtab.consuming.kafka_python.now_s", lambda: now[0])
    consumer = Refusing(error)
    client = a_client(monkeypatch, consumer)
    rests = []
    for now[0] in (0.0, 0.1, 0.9, 1.1):
        assert [] == client.take(10, 0.0)
        rests.append(consumer.rests())

    assert [set(), {"one"}, {"one"}, set()] == rests
    (trouble,) = client.troubles
    assert isinstance(trouble, RefusedError)
    assert (error, ["one"], {}) == (trouble.said, trouble.topics, client.astray)
    assert {"one": 7, "other": 7} == consumer.places


def a_client_that_met_garbage(
    monkeypatch: pytest.MonkeyPatch,
) -> tuple[Refusing, KafkaPythonClient]:
    """It has handed out what came before, and is to raise at its next look."""
    consumer = Refusing()
    client = a_client(monkeypatch, consumer)
    left = Mock(topic_partition=TopicPartition("one", 0))
    vars(consumer._fetcher).update(  # noqa: SLF001 - as kafka-python's
        _next_partition_records=left, _next_in_line_exception_metadata="an error"
    )
    client.take(500, 0.02)
    return consumer, client


def test_what_cannot_be_read_behind_what_can_rests_when_that_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is forgotten before, and would be fetched again and again."""
    consumer, client = a_client_that_met_garbage(monkeypatch)
    monkeypatch.setattr(consumer, "poll", Mock(side_effect=[CorruptRecordError, {}]))
    client.take(500, 0.02)
    client.take(500, 0.02)

    assert {"one"} == consumer.rests()
    assert 1 == len(client.troubles)


@pytest.mark.parametrize(("paused", "blamed"), [([ONE], [set()]), ([], [{ONE}, set()])])
def test_what_could_not_be_read_once_is_not_blamed_for_others(
    monkeypatch: pytest.MonkeyPatch, paused: list[QueueRef], blamed: list[set[QueueRef]]
) -> None:
    """It would rest, and what cannot be read would be asked for again and again."""
    consumer, client = a_client_that_met_garbage(monkeypatch)
    vars(consumer._fetcher).update(_next_in_line_exception_metadata=None)  # noqa: SLF001 - as above
    client.pause(paused)
    monkeypatch.setattr(consumer, "poll", Mock(side_effect=CorruptRecordError))
    monkeypatch.setattr("trimtab.consuming.kafka_python._REST_S", 0.0)
    rests = []
    for _ in blamed:
        client.take(500, 0.02)
        rests.append(set(client._rests))  # noqa: SLF001 - whom it blames

    assert blamed == rests


def test_what_kafka_has_deleted_rests_until_it_is_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    """The upkeep finds where to go on."""
    consumer = Refusing(OffsetOutOfRangeError({TopicPartition("one", 0): 7}))
    client = a_client(monkeypatch, consumer)
    client.take(10, 0.0)
    client.take(10, 0.0)
    before = consumer.rests()
    assert {ONE: None} == client.astray
    client.end([ONE])
    client.begin({ONE: 9})
    client.take(10, 0.0)

    assert ({"one"}, set(), []) == (before, consumer.rests(), client.troubles)
    assert {"one": 9, "other": 7} == consumer.places


@pytest.mark.parametrize("not_known", [None, OffsetAndMetadata(5, "", 0)])
def test_it_says_where_a_log_was_cut_if_kafka_does(
    monkeypatch: pytest.MonkeyPatch, not_known: OffsetAndMetadata | None
) -> None:
    """Also if the next fetch is refused, too; in the first epoch it may be another topic."""
    one, other, left = (TopicPartition(it, 0) for it in ("one", "other", "left"))
    cut = OffsetAndMetadata(5, "", 2)
    truncation = LogTruncationError({one: cut, other: not_known, left: cut})
    client = a_client(monkeypatch, Refusing(truncation))
    client.take(10, 0.0)
    client._hear(OffsetOutOfRangeError({one: 7}), None)  # noqa: SLF001 - as `take` does

    assert {ONE: 5, OTHER: None} == client.astray


def test_what_is_paused_stays_so_until_it_is_resumed_or_moved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As with confluent-kafka, of which a queue that is begun anew forgets it."""
    consumer = Refusing()
    client = a_client(monkeypatch, consumer)
    client.pause([ONE, OTHER])
    client.take(10, 0.0)
    both = consumer.rests()
    client.resume([OTHER])
    one = consumer.rests()
    client.end([ONE])
    client.begin({ONE: 9})
    client.take(10, 0.0)

    assert ({"one", "other"}, {"one"}, set()) == (both, one, consumer.rests())


def test_before_it_has_connected_nothing_is_read() -> None:
    """And nothing is forgotten: it says where it would begin."""
    client = KafkaPythonClient(Wish("nowhere:1", "billing", {}, {}, 2.0))
    client.begin({ONE: 7})
    client.pause([ONE])

    assert ([], {ONE: 7}) == (client.take(10, 0.0), client.positions([ONE, OTHER]))
    assert "not connected yet" in str(client.found([ONE], "earliest", 0.1).refused)


def about(
    client: KafkaPythonClient, monkeypatch: pytest.MonkeyPatch, **answers: Callable[[Any], object]
) -> None:
    """Have its questions about the group answered so."""

    def ask(question: Callable[[Any], object]) -> Future[object]:
        answer = Future[object]()
        try:
            answer.set_result(question(SimpleNamespace(**answers)))
        except KafkaError as error:
            answer.set_exception(error)
        return answer

    monkeypatch.setattr(client._about, "ask", ask)  # noqa: SLF001 - it would connect


def test_of_a_topic_that_may_not_be_read_alone_it_is_not_known_what_is_committed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """kafka-python says nothing of all those that were asked for with it."""
    client = KafkaPythonClient(Wish("nowhere:1", "billing", {}, {}, 2.0))
    asked: list[list[str]] = []

    def offsets(specs: dict[str, list[Any]]) -> dict[str, dict[Any, Any]]:
        places = specs["billing"]
        asked.append([it.topic for it in places])
        if "one" in asked[-1]:
            raise TopicAuthorizationFailedError
        return {"billing": dict.fromkeys(places, SimpleNamespace(offset=7, metadata=None))}

    about(client, monkeypatch, list_group_offsets=offsets)
    found = client.committed([ONE, OTHER], 2.0)

    assert ({OTHER: (7, "")}, [["one", "other"], ["one"], ["other"]]) == (found.at, asked)
    assert found.refused is not None
    assert ["one"] == found.refused.topics


def test_a_broker_that_says_nothing_keeps_no_queue_of_others_from_being_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """kafka-python drops what the others have said."""
    asked: list[set[str]] = []

    def offsets(places: list[Any], timeout_ms: int) -> dict[Any, int]:
        asked.append({it.topic for it in places})
        if "one" in asked[-1]:
            time.sleep(timeout_ms / 1_000)
            raise KafkaTimeoutError
        return dict.fromkeys(places, 7)

    def topics(names: list[str]) -> list[dict[str, Any]]:
        partitions = {it: [{"partition_index": 0, "leader_id": len(it)}] for it in names}
        return [{"name": it, "partitions": partitions[it]} for it in names]

    monkeypatch.setattr("trimtab.consuming.offsets._ASK_S", 0.1)
    consumer = Refusing()
    vars(consumer)["beginning_offsets"] = offsets
    client = a_client(monkeypatch, consumer)
    about(client, monkeypatch, describe_topics=topics)
    found = GroupOffsets(cast("Client", client), "earliest").first([ONE, OTHER])

    assert {OTHER: 7} == found.at
    assert found.refused is not None
    assert {"one", "other"} == asked[0]
