"""What the transports share, and how one is chosen."""

import importlib.util
from types import SimpleNamespace
from typing import Any, Literal

import pytest
from confluent_kafka import Consumer, Producer
from kafka import TopicPartition

from tests.builders.half_written import HalfWritten
from trimtab import ConfigurationError, TransportError
from trimtab.protocol import partition_of
from trimtab.transports import choose
from trimtab.transports.confluent import ConfluentTransport, soon
from trimtab.transports.contract import Trouble
from trimtab.transports.kafka_python import KafkaPythonTransport
from trimtab.transports.link import Link
from trimtab.transports.progress import Progress
from trimtab.transports.topics import TOUCHED, group_partition, missing, unusable


def absent(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    """Take some client libraries away."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "trimtab.transports.find_spec", lambda name: None if name in modules else find(name)
    )


def test_confluent_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """And kafka-python where it is all there is."""
    first = choose(None, "localhost:1", "t.", 1_000, {})
    absent(monkeypatch, "confluent_kafka")
    second = choose(None, "localhost:1", "t.", 1_000, {})

    assert "ConfluentTransport" == type(first).__name__
    assert "KafkaPythonTransport" == type(second).__name__


@pytest.mark.parametrize(
    ("client", "package"),
    [
        (None, "confluent-kafka"),
        ("confluent", "confluent-kafka"),
        ("kafka-python", "kafka-python"),
    ],
)
def test_a_missing_client_is_named_with_its_cure(
    monkeypatch: pytest.MonkeyPatch, client: str | None, package: str
) -> None:
    """One line says what to install."""
    absent(monkeypatch, "confluent_kafka", "kafka")
    with pytest.raises(ConfigurationError) as refusal:
        choose(client, "localhost:1", "t.", 1_000, {})  # type: ignore[arg-type]  # wrong ones

    assert f"no Kafka client is installed: pip install {package}" == str(refusal.value)


def test_an_unknown_client_is_refused() -> None:
    """With the names of those there are."""
    with pytest.raises(
        ConfigurationError, match=r'^client: "kafka" must be one of confluent, kafka-'
    ):
        choose("kafka", "localhost:1", "t.", 1_000, {})  # type: ignore[arg-type]  # wrong ones


def test_options_go_through_and_their_mistakes_come_back() -> None:
    """The client knows its options best; what it says is shown."""
    with pytest.raises(ConfigurationError, match=r'^kafka: .*"no.such.option"'):
        choose("confluent", "localhost:1", "t.", 1_000, {"no.such.option": 1})


@pytest.mark.parametrize("client", ["confluent", "kafka-python"])
def test_pauses_may_begin_where_ours_would_end(
    client: Literal["confluent", "kafka-python"],
) -> None:
    """No client of librdkafka takes a beginning above the end."""
    choose(client, "localhost:1", "t.", 1_000, {"reconnect.backoff.ms": 2_000})


def test_a_kafka_that_is_back_is_soon_noticed() -> None:
    """A pause of librdkafka's ten seconds would be a whole session."""
    assert 1_000 == soon({"client.id": "a"})["reconnect.backoff.max.ms"]


def test_the_group_has_one_partition_in_all_topics() -> None:
    """That of its name."""
    counts = {f"t.{name}": 8 for name in TOUCHED}

    assert partition_of("billing", 8) == group_partition("billing", "t.", counts)


@pytest.mark.parametrize("gone", TOUCHED)
def test_a_missing_topic_is_found(gone: str) -> None:
    """By its full name; one without partitions is none."""
    counts = {f"t.{name}": 8 for name in TOUCHED}

    assert () == missing("t.", counts)
    assert (f"t.{gone}",) == missing("t.", counts | {f"t.{gone}": 0})


def test_missing_topics_are_named() -> None:
    """With the command that makes them; what may not be seen is not said to be missing."""
    link = Link.of_confluent("kafka-1:9092", {"sasl.username": "ann"})
    error = unusable(["t.members"], ["t.releases", "t.assignments"], "t.", link)

    assert (
        "topic t.members does not exist on Kafka at kafka-1:9092: run `trimtab topics init` there, "
        "or say the `prefix` that trimtab's topics have; "
        'user "ann" has no right to Read and Write on topic t.releases, Read on topic '
        "t.assignments (Kafka at kafka-1:9092): run kafka-acls.sh --bootstrap-server kafka-1:9092 "
        "--add --allow-principal User:ann --operation Read --operation Write --topic t.releases "
        "(and so for each topic)"
    ) == str(error)


def test_topics_of_different_sizes_are_refused() -> None:
    """A group would be in one partition here and in another there."""
    counts = {f"t.{name}": 8 for name in TOUCHED} | {"t.releases": 4}
    with pytest.raises(TransportError, match="differ in their number of partitions"):
        group_partition("billing", "t.", counts)


class Leaderless:
    """A consumer of kafka-python, and a producer: one of its partitions has no leader."""

    _subscription = SimpleNamespace(assignment={})

    def partitions_for_topic(self, _name: str) -> set[int]:
        """There are some."""
        return {0}

    partitions_for = partitions_for_topic

    def assignment(self) -> set[TopicPartition]:
        """What is read."""
        return {TopicPartition("t.releases", 0)}

    def end_offsets(self, places: list[TopicPartition], **_: Any) -> dict[TopicPartition, int]:  # noqa: ANN401 - as of it
        """Look up what nobody was asked about, as that of the library does."""
        raise KeyError(places[-1])

    def poll(self, **_: Any) -> dict[TopicPartition, list[object]]:  # noqa: ANN401 - as above
        """Nothing comes."""
        return {}


def test_a_partition_without_a_leader_ends_nobody() -> None:
    """Neither a member at work nor one that starts: it is told, and asked again."""
    made = KafkaPythonTransport("a:1", "t.", 1_000, {})
    made._consumer = made._producer = Leaderless()  # noqa: SLF001 - no Kafka lacks one here
    with pytest.raises(TransportError, match=r"LeaderNotAvailable.*t\.releases"):
        made.open("billing")
    made.find_end(7)
    (trouble,) = made.poll(0)

    assert isinstance(trouble, Trouble)
    assert "the log's end is unknown" in trouble.reason
    assert "t.releases" in trouble.reason


def test_the_end_is_reached_when_every_partition_has_been_read() -> None:
    """As far as the log went when that was asked."""
    progress = Progress({"a": 0, "b": 5})
    reached = [progress.reached()]
    progress.aim(7, {"a": 2, "b": 5})
    reached.append(progress.reached())
    progress.reach("a", 1)
    reached.append(progress.reached())
    progress.reach("a", 2)
    reached += [progress.reached(), progress.reached()]

    assert [None, None, None, 7, None] == reached


def test_an_idle_log_is_at_its_end_at_once() -> None:
    """Silence is fine when one has asked."""
    progress = Progress({"a": 3})
    progress.aim(7, {"a": 3})

    assert 7 == progress.reached()


def test_clients_that_cannot_be_replaced_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who replaces the files of a certificate writes two: between them none can be made."""
    kinds = {"Consumer": Consumer, "Producer": Producer}
    made = {name: HalfWritten(kind) for name, kind in kinds.items()}
    for name, half in made.items():
        monkeypatch.setattr(f"trimtab.transports.confluent.{name}", half)
    now = [100.0]
    monkeypatch.setattr("trimtab.transports.confluent.now_s", lambda: now[0])
    transport = ConfluentTransport("127.0.0.1:1", "t.", 1_000, {"log_level": 0})
    old = transport._consumer, transport._producer  # noqa: SLF001 - what it goes on with
    transport._broken = True  # noqa: SLF001 - as after what is fatal
    transport._read = False  # noqa: SLF001 - as when nothing was heard
    transport.renew()
    told = [it.reason for it in transport.poll(0) if isinstance(it, Trouble)]
    transport.poll(0)  # as 20 times a second

    assert old == (transport._consumer, transport._producer)  # noqa: SLF001 - as above
    assert 2 == sum("key values mismatch" in it for it in told)
    now[0] += 1.0
    transport.renew()
    transport.poll(0)
    assert old[0] is not transport._consumer  # noqa: SLF001 - as above
    assert old[1] is not transport._producer  # noqa: SLF001 - as above
