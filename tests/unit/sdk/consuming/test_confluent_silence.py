"""When librdkafka is taken to have lost a broker for good, by its silence (fault H15)."""

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException

from tests.builders.half_written import HalfWritten
from tests.builders.sessions import queue
from trimtab.consuming import confluent, confluent_silence
from trimtab.consuming.confluent import ConfluentClient
from trimtab.consuming.confluent_silence import PATIENCE_S, Silence
from trimtab.consuming.contract import Committed, RefusedError, Wish
from trimtab.protocol import QueueRef

A, B = queue(0), queue(1)


class Asked:
    """A client that is asked of two queues, again and again, at times of its own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.silence = 1_000.0, Silence()
        monkeypatch.setattr(confluent_silence, "now_s", lambda: self.now)

    def asks(
        self,
        times: int,
        *answered: QueueRef,
        code: int = KafkaError._TIMED_OUT,  # noqa: SLF001 - its public name
    ) -> set[QueueRef]:
        """Ask so often; return of which queues another client should be asked then."""
        refused = RefusedError(KafkaException(KafkaError(code)))
        for _ in range(times):
            self.now += PATIENCE_S
            self.silence.noted([A, B], Committed(dict.fromkeys(answered, (0, "")), refused))
        return self.silence.found()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """One that has been asked nothing yet."""
    return Asked(monkeypatch)


def test_one_question_without_an_answer_is_no_silence(asked: Asked) -> None:
    """However long ago: a broker may be slow, and connects meanwhile."""
    assert set() == asked.asks(1)
    asked.now += PATIENCE_S

    assert set() == asked.silence.found()


def test_what_is_asked_in_vain_for_long_is_silence(asked: Asked) -> None:
    """Of those queues alone that have no answer."""
    assert {B} == asked.asks(2, A)


def test_a_refusal_is_an_answer(asked: Asked) -> None:
    """Another client would be refused as well."""
    assert set() == asked.asks(3, code=KafkaError.TOPIC_AUTHORIZATION_FAILED)


def test_what_is_not_asked_any_more_is_none(asked: Asked) -> None:
    """Its queue is another member's."""
    assert {A, B} == asked.asks(2)
    asked.now += 60.0

    assert set() == asked.silence.found()


def test_clients_that_are_replaced_in_vain_are_so_ever_more_rarely(asked: Asked) -> None:
    """Until there is an answer: the next client may be trusted as little as the first one."""
    asked.asks(2)
    asked.silence.replaced()
    assert [set(), {A, B}] == [asked.asks(1), asked.asks(1)]
    asked.silence.replaced()
    assert [set(), {A, B}] == [asked.asks(3), asked.asks(1)]
    asked.silence.replaced()
    asked.asks(1, A, B)

    assert [set(), {A, B}] == [asked.asks(1), asked.asks(1)]


def test_what_is_replaced_for_another_reason_costs_no_patience(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reads nothing, again and again, and Kafka answers all the time."""
    client = ConfluentClient(Wish("127.0.0.1:1", "billing", {"log_level": 0}, {}, 1.0))
    client._silence = asked.silence  # noqa: SLF001 - what it goes by
    client.begin({A: 0})
    monkeypatch.setattr(client._stall, "found", lambda _: {A})  # noqa: SLF001 - as above
    asked.asks(2)
    for _ in range(6):
        client.look()

    assert set() == asked.silence.found()
    assert {A, B} == asked.asks(1)
    client.close()


def test_whoever_has_no_answer_either_takes_over_nothing(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It knows the brokers of `bootstrap.servers` alone, and the old one reads from others."""
    monkeypatch.setattr(confluent_silence, "_ASK_S", 0.1)
    client = ConfluentClient(Wish("127.0.0.1:1", "billing", {"log_level": 0}, {}, 1.0))
    client._silence, before = asked.silence, client._consumer  # noqa: SLF001 - what it goes on with
    asked.asks(2)
    client.look()

    assert before is client._consumer  # noqa: SLF001 - as above
    assert [set(), {A, B}] == [asked.asks(1), asked.asks(1)]  # and the next is asked later
    client.close()


@pytest.mark.parametrize("stalls", [True, False])
def test_whoever_cannot_be_replaced_goes_on(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, *, stalls: bool
) -> None:
    """Somebody is just replacing the files of its certificate, which is no end of a consumer."""
    client = ConfluentClient(Wish("127.0.0.1:1", "billing", {"log_level": 0}, {}, 1.0))
    client._silence, before = asked.silence, client._consumer  # noqa: SLF001 - what it goes on with
    monkeypatch.setattr(client._stall, "found", lambda _: {A} if stalls else set())  # noqa: SLF001 - as above
    client.begin({A: 0})
    made = HalfWritten(Consumer)
    made({"group.id": "billing"})  # so the next one is the second
    for module in (confluent, confluent_silence):
        monkeypatch.setattr(module, "Consumer", made)
    asked.asks(2)
    client.look()

    assert (before, 2) == (client._consumer, made.asked)  # noqa: SLF001 - as above
    client.close()


def test_what_only_prepares_is_no_question(asked: Asked) -> None:
    """It has half a second, and may be about a queue of another member's."""
    client = ConfluentClient(Wish("127.0.0.1:1", "billing", {"log_level": 0}, {}, 1.0))
    client._silence = asked.silence  # noqa: SLF001 - what it goes by
    for _ in range(2):
        asked.now += PATIENCE_S
        assert client.found([A], "earliest", 0.05).refused

    assert set() == asked.silence.found()
    client.close()
