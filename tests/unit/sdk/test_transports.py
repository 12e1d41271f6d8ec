"""What the transports share, and how one is chosen."""

import importlib.util

import pytest

from trimtab import ConfigurationError, TransportError
from trimtab.protocol import partition_of
from trimtab.transports import choose
from trimtab.transports.progress import Progress
from trimtab.transports.topics import TOUCHED, group_partition


def absent(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    """Take some client libraries away."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "trimtab.transports.find_spec", lambda name: None if name in modules else find(name)
    )


@pytest.mark.filterwarnings(
    "ignore:(read|open)_text is deprecated:DeprecationWarning"
)  # kafka-python's
def test_confluent_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """And kafka-python where it is all there is."""
    first = choose(None, "localhost:1", "t.", 1_000, {})
    absent(monkeypatch, "confluent_kafka")
    second = choose(None, "localhost:1", "t.", 1_000, {})

    assert "ConfluentTransport" == type(first).__name__
    assert "KafkaPythonTransport" == type(second).__name__


@pytest.mark.parametrize(
    ("client", "extra"),
    [(None, "confluent"), ("confluent", "confluent"), ("kafka-python", "kafka-python")],
)
def test_a_missing_client_is_named_with_its_cure(
    monkeypatch: pytest.MonkeyPatch, client: str | None, extra: str
) -> None:
    """One line says what to install."""
    absent(monkeypatch, "confluent_kafka", "kafka")
    with pytest.raises(ConfigurationError) as refusal:
        choose(client, "localhost:1", "t.", 1_000, {})  # type: ignore[arg-type]  # wrong ones

    assert f"no Kafka client is installed: pip install 'trimtab[{extra}]'" == str(refusal.value)


def test_an_unknown_client_is_refused() -> None:
    """With the names of those there are."""
    with pytest.raises(ConfigurationError, match=r'^client: "kafka" is none of confluent, kafka-'):
        choose("kafka", "localhost:1", "t.", 1_000, {})  # type: ignore[arg-type]  # wrong ones


def test_options_go_through_and_their_mistakes_come_back() -> None:
    """The client knows its options best; what it says is shown."""
    with pytest.raises(ConfigurationError, match=r'^kafka: .*"no.such.option"'):
        choose("confluent", "localhost:1", "t.", 1_000, {"no.such.option": 1})


def test_the_group_has_one_partition_in_all_topics() -> None:
    """That of its name."""
    counts = {f"t.{name}": 8 for name in TOUCHED}

    assert partition_of("billing", 8) == group_partition("billing", "t.", counts)


@pytest.mark.parametrize("missing", TOUCHED)
def test_a_missing_topic_is_named(missing: str) -> None:
    """With the command that makes it."""
    counts = {f"t.{name}": 8 for name in TOUCHED if name != missing}
    with pytest.raises(TransportError, match=f"t.{missing} does not exist: run `trimtab topics i"):
        group_partition("billing", "t.", counts)


def test_topics_of_different_sizes_are_refused() -> None:
    """A group would be in one partition here and in another there."""
    counts = {f"t.{name}": 8 for name in TOUCHED} | {"t.releases": 4}
    with pytest.raises(TransportError, match="differ in their number of partitions"):
        group_partition("billing", "t.", counts)


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
