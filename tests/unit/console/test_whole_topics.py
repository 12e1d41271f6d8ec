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
from console.errors import Away, ExitCode, Failure, Leaderless
from console.settings import load
from console.whole_topics import ends, messages, offsets, partitions
from tests.builders.played_time import PlayedTime
from trimtab.protocol import partition_of

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

    def __init__(self, *errors: int | None, leaders: tuple[int, ...] = (1, 1, 1)) -> None:
        self._errors, self._leaders = [*errors], leaders

    def list_topics(self, topic: str, _timeout: float) -> ClusterMetadata:
        """Answer; the last answer stays."""
        error = self._errors.pop(0) if len(self._errors) > 1 else self._errors[0]
        found, whole = TopicMetadata(), ClusterMetadata()
        found.partitions = {it: PartitionMetadata() for it in range(3)}
        for it, leader in enumerate(self._leaders):
            found.partitions[it].leader = leader
        found.error = None if error is None else KafkaError(error)
        whole.topics = {topic: found}
        return whole


@pytest.fixture
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_topics, "time", PlayedTime())


@pytest.mark.usefixtures("_quickly")
def test_a_topic_that_has_no_leader_yet_is_asked_for_again() -> None:
    """A broker says so of one that is there, while another takes it over; in the end it is away."""
    assert 3 == len(partitions(Described(KafkaError.LEADER_NOT_AVAILABLE, None), "orders"))
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
        ({0: 7, 1: 9, 2: 0}, {("t", 0): (7, 9), ("t", 2): (4, 9)}),
        (dict.fromkeys(range(3), 2), {("t", 0): (4, 9), ("t", 1): (4, 9), ("t", 2): (4, 9)}),
        ({0: 2}, {("t", 0): (4, 9)}),
    ],
)
def test_reading_goes_on_where_one_has_been(
    since: dict[int, int], left: dict[tuple[str, int], tuple[int, int]]
) -> None:
    """What is new is found without any clock; what retention has taken since is not waited for.

    Where one has not been there may be a day of beats, which nobody has asked for.
    """
    places = dict.fromkeys([("t", it) for it in range(3)], (4, 9))

    assert left == whole_topics._younger(None, places, since)  # type: ignore[arg-type]  # noqa: SLF001 - asks nobody


class Answering:
    """A consumer whose broker answers a fetch so, of one partition after the other."""

    def __init__(self, error: int, leaders: tuple[int, ...] = (1, 1, 1)) -> None:
        self._error, self._leaders, self._left = error, leaders, list[TopicPartition]()

    def list_topics(self, topic: str, timeout: float) -> ClusterMetadata:
        """Know the topic."""
        return Described(None, leaders=self._leaders).list_topics(topic, timeout)

    def get_watermark_offsets(self, *_: object) -> tuple[int, int]:
        """Have something to read."""
        return 0, 1

    def assign(self, places: list[TopicPartition]) -> None:
        """Take them."""
        self._left = [*places]

    def poll(self, _timeout: float) -> "Answering":
        """Answer."""
        return self

    def topic(self) -> str:
        """Whose answer it is."""
        return "orders"

    def partition(self) -> int:
        """Of the next one."""
        return self._left.pop(0).partition

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


@pytest.mark.usefixtures("_quickly")
def test_what_is_left_is_read_where_kafka_deletes_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its client would go on at the end of the partition, and say nothing."""
    asked = list[dict[str, Any]]()

    def consumer(options: dict[str, Any]) -> Answering:
        asked.append(options)
        return Answering(KafkaError._PARTITION_EOF)  # noqa: SLF001 - its documented name

    monkeypatch.setattr(whole_topics, "Consumer", consumer)

    assert [] == list(messages(load(environment={}).settings, "here:1", ["orders"]))
    assert ["earliest"] == [it.get("auto.offset.reset") for it in asked]


@pytest.fixture
def _half_led(monkeypatch: pytest.MonkeyPatch) -> None:
    def consumer(_options: Any) -> Answering:  # noqa: ANN401 - as Kafka's own
        return Answering(KafkaError._PARTITION_EOF, leaders=(1, -1, 1))  # noqa: SLF001 - its documented name

    monkeypatch.setattr(whole_topics, "Consumer", consumer)


@pytest.mark.usefixtures("_quickly", "_half_led")
def test_a_partition_that_nobody_leads_is_named() -> None:
    """Kafka answers, so that is not denied; a group whose partition has a leader is shown."""
    settings = load(environment={}).settings
    with pytest.raises(Leaderless, match=r"^no broker leads these partitions of orders: 1; "):
        list(messages(settings, "here:1", ["orders"]))

    led, lost = (next(key for key in "abcdefgh" if partition_of(key, 3) == it) for it in (0, 1))
    assert [] == list(messages(settings, "here:1", ["orders"], key=led))
    with pytest.raises(Leaderless):
        list(messages(settings, "here:1", ["orders"], key=lost))


@pytest.mark.usefixtures("_quickly", "_half_led")
def test_who_can_do_without_it_reads_the_rest() -> None:
    """The doctor would else not find the partitions in which nobody decides."""
    settings = load(environment={}).settings

    assert {0: 1, 1: None, 2: 1} == ends(settings, "here:1", "orders")
    assert [] == list(messages(settings, "here:1", ["orders"], led_only=True))
