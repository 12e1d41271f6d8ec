"""Reading whole topics: what passes by itself is asked again, what does not is told."""

from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but only for Python
    ClusterMetadata,
    PartitionMetadata,
    TopicMetadata,
)

from console import whole_topics
from console.errors import Away, ExitCode, Failure
from console.settings import load
from console.whole_topics import messages, offsets, partitions

PLACE = TopicPartition("orders", 0)


class Moving:
    """A consumer whose broker does not know at first who leads a partition."""

    def __init__(self, *errors: int) -> None:
        self._errors = list(errors)

    def get_watermark_offsets(self, place: TopicPartition, timeout: float) -> tuple[int, int]:
        """Answer as that broker does."""
        assert (PLACE, True) == (place, timeout > 0)
        if self._errors:
            raise KafkaException(KafkaError(self._errors.pop(0)))
        return 0, 3


def test_a_partition_that_moves_is_asked_for_again() -> None:
    """A topic that is new has no leader yet for some milliseconds."""
    moving = Moving(KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.UNKNOWN_TOPIC_OR_PART)

    assert (0, 3) == offsets(moving, PLACE)


def test_what_does_not_pass_is_told_at_once() -> None:
    """Who may not read will not be allowed to a moment later."""
    with pytest.raises(KafkaException):
        offsets(Moving(KafkaError.TOPIC_AUTHORIZATION_FAILED), PLACE)


class Described:
    """A consumer whose broker answers so about a topic of three partitions."""

    def __init__(self, *errors: int | None) -> None:
        self._errors = [*errors]

    def list_topics(self, topic: str, _timeout: float) -> ClusterMetadata:
        """Answer; the last answer stays."""
        error = self._errors.pop(0) if len(self._errors) > 1 else self._errors[0]
        found, whole = TopicMetadata(), ClusterMetadata()
        found.partitions = {it: PartitionMetadata() for it in range(3)}
        found.error = None if error is None else KafkaError(error)
        whole.topics = {topic: found}
        return whole


@pytest.fixture
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_topics, "_PAUSE_S", 0)
    monkeypatch.setattr(whole_topics, "_TIMEOUT_S", 0.01)


@pytest.mark.usefixtures("_quickly")
def test_a_topic_that_has_no_leader_yet_is_asked_for_again() -> None:
    """A broker says so of one that is there, while another takes it over; in the end it is away."""
    assert 3 == partitions(Described(KafkaError.LEADER_NOT_AVAILABLE, None), "orders")
    with pytest.raises(KafkaException):
        partitions(Described(KafkaError.LEADER_NOT_AVAILABLE), "orders")


@pytest.mark.parametrize(
    ("error", "said", "code"),
    [
        (KafkaError.UNKNOWN_TOPIC_OR_PART, "there is no topic orders; `", ExitCode.NOT_FOUND),
        (
            KafkaError.TOPIC_AUTHORIZATION_FAILED,
            "no right to Describe topic orders: docs/rights.md says",
            ExitCode.ERROR,
        ),
        (
            KafkaError.TOPIC_EXCEPTION,
            "topic orders cannot be read: Broker: Invalid topic",
            ExitCode.ERROR,
        ),
    ],
)
def test_only_a_topic_that_is_not_there_is_missing(error: int, said: str, code: ExitCode) -> None:
    """Whoever lacks a right would make topics that exist, and would learn nothing from it."""
    with pytest.raises(Failure) as failure:
        partitions(Described(error), "orders")

    assert (True, code) == (str(failure.value).startswith(said), failure.value.exit_code)
    assert not isinstance(failure.value, Away)


@pytest.mark.parametrize(
    ("since", "left"),
    [
        ({0: 7, 1: 9}, {("t", 0): (7, 9), ("t", 2): (4, 9)}),
        ({0: 2}, {("t", 0): (4, 9), ("t", 1): (4, 9), ("t", 2): (4, 9)}),
    ],
)
def test_reading_goes_on_where_one_has_been(
    since: dict[int, int], left: dict[tuple[str, int], tuple[int, int]]
) -> None:
    """What is new is found without any clock; what retention has taken since is not waited for."""
    places = dict.fromkeys([("t", it) for it in range(3)], (4, 9))

    assert left == whole_topics._younger(None, places, since)  # type: ignore[arg-type]  # noqa: SLF001 - asks nobody


class Answering:
    """A consumer of one partition whose broker answers a fetch so."""

    def __init__(self, error: int) -> None:
        self._error = error

    def list_topics(self, topic: str, timeout: float) -> ClusterMetadata:
        """Know the topic."""
        return Described(None).list_topics(topic, timeout)

    def get_watermark_offsets(self, *_: object) -> tuple[int, int]:
        """Have something to read."""
        return 0, 1

    def assign(self, _places: object) -> None:
        """Take it."""

    def poll(self, _timeout: float) -> "Answering":
        """Answer."""
        return self

    def topic(self) -> str:
        """Whose answer it is."""
        return "orders"

    def partition(self) -> int:
        """Of the first one."""
        return 0

    def error(self) -> KafkaError:
        """What the broker says."""
        return KafkaError(self._error)

    def close(self) -> None:
        """Leave."""


@pytest.mark.parametrize(
    ("error", "said", "kind"),
    [
        (KafkaError.TOPIC_AUTHORIZATION_FAILED, "no right to Read topic orders: docs", Failure),
        (KafkaError.CLUSTER_AUTHORIZATION_FAILED, "no right to read orders: Broker:", Failure),
        (KafkaError._TRANSPORT, "Kafka does not answer at here:1: ", Away),  # noqa: SLF001 - its documented name
    ],
)
def test_who_may_not_read_does_not_ask_for_ever(
    monkeypatch: pytest.MonkeyPatch, error: int, said: str, kind: type[Failure]
) -> None:
    """`--watch` asks again where Kafka is away, and only there."""

    def consumer(_options: Any) -> Answering:  # noqa: ANN401 - as Kafka's own
        return Answering(error)

    monkeypatch.setattr(whole_topics, "Consumer", consumer)
    with pytest.raises(Failure, match=said) as failure:
        list(messages(load(environment={}).settings, "here:1", ["orders"]))

    assert kind is type(failure.value)
