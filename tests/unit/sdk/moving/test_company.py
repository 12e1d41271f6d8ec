"""Who else is in Kafka's group: nobody works on trimtab's side beside one that cannot move."""

import time
from collections.abc import Mapping
from concurrent.futures import Future
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaException

from tests.builders.application import until
from tests.builders.half_written import HalfWritten
from trimtab.errors import SharedGroupError
from trimtab.moving.company import Company, client_id
from trimtab.moving.sides import Asking, Others


class Kafka:
    """A client that knows who is in the group, or does not answer."""

    def __init__(self) -> None:
        self.members = [client_id("a"), client_id("b")]
        self.failure: KafkaException | None = None
        self.misled = 1_000  # so many clients get that, for good; others ask another broker
        self.hangs = False
        self.now = 1_000.0
        self.woken = 0
        self.made = self.asked = self.dropped = 0
        self.troubles: list[Exception] = []

    def connect(self, _settings: Mapping[str, Any]) -> SimpleNamespace:
        """Make a client."""
        self.made += 1
        return SimpleNamespace(describe_consumer_groups=partial(self.describe, self.made))

    def drop(self, held: list[object]) -> None:
        """Let go of one."""
        self.dropped += len(held)

    def has_dropped(self, count: int) -> bool:
        """Tell whether so many have gone."""
        return self.dropped == count

    def wake(self) -> None:
        """Wake who asks."""
        self.woken += 1

    def describe(self, client: int, groups: list[str], **_: Any) -> dict[str, Future[Any]]:  # noqa: ANN401 - as of it
        """Describe a group."""
        self.asked += 1
        self.answer = answer = Future[Any]()
        if self.hangs:
            pass
        elif self.failure is not None and client <= self.misled:
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
    monkeypatch.setattr("trimtab.moving.company.discard", kafka.drop)
    monkeypatch.setattr("trimtab.moving.company.now_s", lambda: kafka.now)
    return kafka


class Asker:
    """A mover."""

    def __init__(self, kafka: Kafka) -> None:
        self._kafka, self.company = kafka, Company({}, "billing")

    def __call__(self, asking: Asking = "now") -> Others:
        """It looks again when the answer wakes it."""
        look = partial(self.company.others, asking, self._kafka.troubles.append, self._kafka.wake)
        look()
        return look()


@pytest.mark.parametrize("asking", ["now", "later"])
def test_who_else_is_there_is_asked_if_it_counts(kafka: Kafka, asking: Asking) -> None:
    """By who would move a queue to trimtab's side, or begin it there; nobody waits."""
    assert Asker(kafka)(asking) == "can"
    assert (1, 1) == (kafka.asked, kafka.woken)
    kafka.members.append("old-one")
    assert Asker(kafka)("never") == "unknown"
    assert (1, []) == (kafka.asked, kafka.troubles)


def test_one_that_cannot_move_is_named(kafka: Kafka) -> None:
    """The application hears what becomes of its queues."""
    kafka.members.append("old-one")

    assert Asker(kafka)() == "cannot"
    (trouble,) = kafka.troubles
    assert isinstance(trouble, SharedGroupError)
    assert str(trouble) == (
        "billing: nothing begins on trimtab's side, and what rests there goes to Kafka's: 1 of its "
        "members cannot move: old-one at /10.0.0.7; make each a MovingConsumer, or stop it"
    )


def test_what_is_not_answered_is_not_known(kafka: Kafka) -> None:
    """Kafka says why."""
    kafka.failure = KafkaException("away")

    assert Asker(kafka)() == "unknown"
    assert [kafka.failure] == kafka.troubles


@pytest.mark.parametrize("failure", [None, KafkaException("away")])
def test_what_was_heard_counts_while_kafka_does_not_answer(
    kafka: Kafka, failure: KafkaException | None
) -> None:
    """For what begins, however long; for what moves it is too old."""
    asker = Asker(kafka)
    assert asker("later") == "can"
    kafka.failure, kafka.hangs = failure, failure is None
    for after_s in (4, 30, 60, 3_600):
        kafka.now += after_s
        assert asker("later") == "could"
    assert asker("never") == "unknown"
    assert asker("later") == "unknown"  # it was another group since


def test_nothing_moves_by_an_answer_that_was_not_looked_at_for_long(kafka: Kafka) -> None:
    """Who moves may have waited for a message in hand; it asks anew, and hears at once."""
    asker = Asker(kafka)
    asker.company.others("now", kafka.troubles.append, kafka.wake)
    kafka.now += 60
    kafka.members.append("old-one")

    assert asker.company.others("now", kafka.troubles.append, kafka.wake) == "could"
    assert asker() == "cannot"


def test_queues_with_an_owner_do_not_rest_for_ever(kafka: Kafka) -> None:
    """Kafka has not said, and does not say, who else is there."""
    kafka.hangs, asker = True, Asker(kafka)
    found = []
    for _ in range(4):
        found.append(asker("later"))
        kafka.now += 4

    assert ["unknown"] * 3 + ["could"] == found
    assert {"Kafka's group cannot be asked: it has not said in 2 s who is in it"} == {
        *map(str, kafka.troubles)
    }


def test_a_client_that_has_to_connect_first_is_given_time(kafka: Kafka) -> None:
    """A new one would begin anew, and knows no broker but those in the settings; it is kept."""
    kafka.hangs, asker = True, Asker(kafka)
    asker("later")
    kafka.now += 20
    asker("later")
    kafka.hangs = False
    kafka.answer.set_result(SimpleNamespace(members=[]))

    assert asker("later") == "could"
    kafka.now += 40
    assert asker("later") == "can"
    assert (1, 2) == (kafka.made, kafka.asked)


def test_a_client_that_asks_the_wrong_broker_is_let_go_of(kafka: Kafka) -> None:
    """The group has another coordinator; a client looks for it only where none answers."""
    asker = Asker(kafka)
    assert asker() == "can"
    kafka.failure, kafka.misled = KafkaException("not coordinator"), 1
    kafka.now += 1
    asker()
    kafka.members.append("old-one")
    kafka.now += 1

    assert asker() == "cannot"
    assert (2, 1) == (kafka.made, kafka.dropped)


def test_who_can_have_no_client_to_ask_goes_on(
    kafka: Kafka, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files of its certificate are just being replaced: what was heard before counts."""
    asker = Asker(kafka)
    assert asker() == "can"
    kafka.failure, kafka.misled = KafkaException("not coordinator"), 1
    made = HalfWritten(kafka.connect)
    made({})  # so the next one is the second
    monkeypatch.setattr("trimtab.moving.company.AdminClient", made)
    for _ in range(3):
        kafka.now += 1
        assert asker() == "can"

    refused, unmade = map(str, kafka.troubles)
    assert "not coordinator" in refused
    assert "key values mismatch" in unmade


def test_a_question_without_an_answer_is_taken_back(
    kafka: Kafka, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its client, before its time ends, though nobody looks; the next one is another's."""
    monkeypatch.setattr("trimtab.moving.company._DROP_S", 0.02)
    kafka.hangs, asker = True, Asker(kafka)
    for count in (1, 2, 3):
        asker.company.others("now", kafka.troubles.append, kafka.wake)
        until(partial(kafka.has_dropped, count))
        kafka.now += 1
    kafka.hangs = False

    assert asker() == "can"
    time.sleep(0.05)  # what has an answer takes nothing back
    assert (4, 3) == (kafka.made, kafka.dropped)


def test_who_comes_is_seen_at_once(kafka: Kafka) -> None:
    """Kafka assigns anew then."""
    asker = Asker(kafka)
    assert asker("later") == "can"
    kafka.members.append("old-one")
    assert asker("later") == "can"
    asker.company.change()

    assert (asker("later"), kafka.asked) == ("cannot", 2)


@pytest.mark.parametrize(
    ("asking", "is_old_there", "count"),
    [("now", False, 3), ("later", False, 1), ("later", True, 3)],
)
def test_it_asks_once_a_second_at_most(
    kafka: Kafka, asking: Asking, count: int, *, is_old_there: bool
) -> None:
    """Who moves looks at its queues twenty times in that; who stays asks now and then."""
    kafka.members += ["old-one"] * is_old_there
    asker = Asker(kafka)
    for _ in range(60):
        asker(asking)
        kafka.now += 1 / 20

    assert kafka.asked == count
