"""Who else is in Kafka's group: nobody works on trimtab's side beside one that cannot move."""

from collections.abc import Mapping
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaException

from trimtab.errors import SharedGroupError, TransportError
from trimtab.moving.company import Company, client_id


class Kafka:
    """A client that knows who is in the group, or does not answer."""

    def __init__(self) -> None:
        self.members = [client_id("a"), client_id("b")]
        self.failure: KafkaException | None = None
        self.hangs = False
        self.made = self.asked = 0
        self.troubles: list[Exception] = []

    def connect(self, _settings: Mapping[str, Any]) -> "Kafka":
        """Make a client."""
        self.made += 1
        return self

    def describe_consumer_groups(self, groups: list[str], **_: Any) -> dict[str, Future[Any]]:  # noqa: ANN401 - as of it
        """Describe a group."""
        self.asked += 1
        answer = Future[Any]()
        if self.hangs:
            pass
        elif self.failure is not None:
            answer.set_exception(self.failure)
        else:
            members = [SimpleNamespace(client_id=it, host="/10.0.0.7") for it in self.members]
            answer.set_result(SimpleNamespace(members=members))
        return dict.fromkeys(groups, answer)


@pytest.fixture
def kafka(monkeypatch: pytest.MonkeyPatch) -> Kafka:
    """What the company asks."""
    kafka = Kafka()
    monkeypatch.setattr("trimtab.moving.company.AdminClient", kafka.connect)
    monkeypatch.setattr("trimtab.moving.company._ASK_S", 0.05)
    return kafka


def all_can(kafka: Kafka, *, is_asked: bool = True) -> bool | None:
    """What a mover hears that has just begun."""
    return Company({}, "billing").all_can(kafka.troubles.append, is_asked=is_asked)


def test_who_else_is_there_is_asked_if_it_counts(kafka: Kafka) -> None:
    """By who would move a queue to trimtab's side, or begin it there."""
    assert all_can(kafka) is True
    assert kafka.asked == 1
    kafka.members.append("old-one")
    assert all_can(kafka, is_asked=False) is None
    assert (1, []) == (kafka.asked, kafka.troubles)


def test_one_that_cannot_move_is_named(kafka: Kafka) -> None:
    """The application hears why all stays on Kafka's side."""
    kafka.members.append("old-one")

    assert all_can(kafka) is False
    (trouble,) = kafka.troubles
    assert isinstance(trouble, SharedGroupError)
    assert "1 of its members cannot move: old-one at /10.0.0.7" in str(trouble)


def test_what_is_not_answered_is_not_known(kafka: Kafka) -> None:
    """Kafka says why."""
    kafka.failure = KafkaException("away")

    assert all_can(kafka) is None
    assert [kafka.failure] == kafka.troubles


def test_a_question_without_an_answer_is_taken_back(
    kafka: Kafka, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its client, which is dropped; the next one is asked by another."""
    monkeypatch.setattr("trimtab.moving.company._SURE_S", 0.0)
    company = Company({}, "billing")
    kafka.hangs = True
    for count in (1, 2):
        assert company.all_can(kafka.troubles.append, is_asked=True) is None
        assert count == kafka.made
    kafka.hangs = False
    for _ in range(2):
        assert company.all_can(kafka.troubles.append, is_asked=True) is True

    assert (3, [TransportError] * 2) == (kafka.made, [type(it) for it in kafka.troubles])
    assert "it has not said in 0 s who is in it" in str(kafka.troubles[0])


def test_it_asks_once_a_second(kafka: Kafka, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who moves looks at its queues twenty times in that."""
    now = [0.0]
    monkeypatch.setattr("trimtab.moving.company.now_s", lambda: now[0])
    company = Company({}, "billing")
    for at in range(60):
        now[0] = 100 + at / 20
        company.all_can(kafka.troubles.append, is_asked=True)

    assert kafka.asked == 3
