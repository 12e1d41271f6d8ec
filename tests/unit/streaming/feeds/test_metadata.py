"""Looking at topics: who has failed is not asked again, since it may fail for minutes."""

from collections.abc import Iterable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from rebalance.ids import TopicName
from streaming.feeds import metadata
from streaming.feeds.metadata import Metadata
from tests.builders.half_written import HalfWritten
from trimtab.protocol import RunRef

ORDERS = TopicName("orders")
Answer = SimpleNamespace | KafkaError | None


class Asked:
    """An admin client that says what it is told to; None: nothing, ever."""

    answers: Iterable[Answer] = ()
    made = 0

    def __init__(self, _config: object) -> None:
        Asked.made += 1

    def list_topics(self, timeout: float) -> SimpleNamespace:
        """List none."""
        assert timeout > 0
        return SimpleNamespace(topics={}, brokers={}, cluster_id="c")

    def describe_topics(self, _names: object, request_timeout: float) -> dict[str, Future[Any]]:
        """Answer for the one topic."""
        assert request_timeout > 0
        future = Future[Any]()
        match next(iter(Asked.answers)):
            case None:
                pass
            case KafkaError() as error:
                future.set_exception(KafkaException(error))
            case found:
                future.set_result(found)
        return {ORDERS: future}


class Told:
    """What was said of the trouble."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.steps: list[Told] = []

    def with_a_step(self, _: str) -> "Told":
        """Keep what is said of that apart."""
        self.steps.append(Told())
        return self.steps[-1]

    def met(self, reason: object) -> None:
        """Keep it."""
        self.said.append(str(reason))

    def over(self) -> None:
        """Keep that."""
        self.said.append("over")


@pytest.fixture
def told() -> Told:
    """Of one test."""
    return Told()


@pytest.fixture
def looking(monkeypatch: pytest.MonkeyPatch, told: Told) -> Metadata:
    """One whose clients are ours, and who waits for nothing."""
    monkeypatch.setattr(metadata, "AdminClient", Asked)
    monkeypatch.setattr(metadata, "TopicCollection", list)
    monkeypatch.setattr(metadata, "_TIMEOUT_S", 0.001)
    monkeypatch.setattr(Asked, "made", 0)
    return Metadata({}, told)  # type: ignore[arg-type]  # as far as it is used


FOUND = SimpleNamespace(partitions=[0, 1, 2], topic_id="id")


@pytest.mark.parametrize("failure", [KafkaError(KafkaError._TIMED_OUT), None])  # noqa: SLF001 - its name
def test_a_client_that_gives_no_answer_is_replaced(
    looking: Metadata, told: Told, monkeypatch: pytest.MonkeyPatch, failure: Answer
) -> None:
    """Whether it says so itself, or nothing at all; what was seen stays as it is."""
    monkeypatch.setattr(Asked, "answers", iter([failure, FOUND]))

    assert {} == looking.look([ORDERS])
    assert 2 == Asked.made
    assert "_TIMED_OUT" in told.said[0]

    (seen,) = looking.look([ORDERS]).values()
    assert (RunRef("", 0, 3),) == seen.runs
    assert 2 == Asked.made
    assert "over" == told.said[-1]


def test_a_client_that_cannot_be_replaced_is_asked_again(
    looking: Metadata, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody is just replacing the files of its certificate."""
    made = HalfWritten(Asked)
    made({})  # stands for the one that it has
    monkeypatch.setattr(metadata, "AdminClient", made)
    monkeypatch.setattr(Asked, "answers", iter([KafkaError(KafkaError._TIMED_OUT)] * 2))  # noqa: SLF001 - its name

    assert {} == looking.look([ORDERS]) == looking.look([ORDERS])
    assert 3 == made.asked
    assert "key values mismatch" in told.steps[0].said[0]


def test_what_kafka_refuses_needs_no_other_client(
    looking: Metadata, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A right that is missing is missing for all of them: each second would make one more."""
    refused = KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)
    too_many = SimpleNamespace(partitions=range(10**9), topic_id="id")
    monkeypatch.setattr(Asked, "answers", iter([refused, too_many]))

    assert {} == looking.look([ORDERS]) == looking.look([ORDERS])
    assert 1 == Asked.made
    assert "TOPIC_AUTHORIZATION_FAILED" in told.said[0]
    assert "1000000000 partitions, more than" in told.said[1]


@pytest.mark.parametrize(
    ("answer", "topics"),
    [
        (KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED), {ORDERS: {}}),
        (KafkaError(KafkaError._TIMED_OUT), {ORDERS: {}}),  # noqa: SLF001 - its name
        (FOUND, {ORDERS: {}}),
        (KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART), {}),
    ],
)
def test_a_topic_that_is_not_listed_is_gone_only_if_kafka_says_so(
    looking: Metadata, monkeypatch: pytest.MonkeyPatch, answer: Answer, topics: dict[str, object]
) -> None:
    """A right that was withdrawn hides it; the jury would take its last broker from it."""
    monkeypatch.setattr(Asked, "answers", iter([answer]))
    seen = looking.whereabouts({ORDERS})

    assert seen is not None
    assert topics == seen.topics


def test_a_right_that_stays_away_is_said_once(
    looking: Metadata, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though the list comes each time."""
    refused = KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)
    monkeypatch.setattr(Asked, "answers", iter([refused, refused]))
    for _ in range(2):
        looking.whereabouts({ORDERS})

    assert "over" not in told.said

    looking.whereabouts()
    assert "over" == told.said[-1]
