"""What a consumer is told when Kafka denies it something."""

import pytest
from confluent_kafka import KafkaError, KafkaException

from trimtab import TransportError
from trimtab.consuming.contract import RefusedError
from trimtab.consuming.refusals import Refusals
from trimtab.transports.link import Link

LINK = Link.of_confluent("kafka:9092", {"sasl.username": "ann"})
IDS = "--transactional-id trimtab:billing: --resource-pattern-type prefixed"
REFUSALS = Refusals(LINK, "billing", ["orders"])


class KafkaPythonError(Exception):
    """As that client has them, which cannot be imported without a warning."""

    def __init__(self, errno: int) -> None:
        super().__init__()
        self.errno = errno


def confluents(code: int) -> KafkaException:
    """As confluent-kafka says it."""
    return KafkaException(KafkaError(code))


@pytest.mark.parametrize(
    ("code", "right", "flags"),
    [
        (
            KafkaError.GROUP_AUTHORIZATION_FAILED,
            "Read on group billing",
            "--operation Read --group billing",
        ),
        (
            KafkaError.TOPIC_AUTHORIZATION_FAILED,
            "Read on topic orders",
            "--operation Read --topic orders",
        ),
        (
            KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
            "Describe and Write on transactional ids that begin with trimtab:billing:",
            f"--operation Describe --operation Write {IDS}",
        ),
    ],
)
def test_a_right_is_named(code: int, right: str, flags: str) -> None:
    """With who lacks it, where, and the command that gives it; the same for both clients."""
    said = (confluents(code), KafkaPythonError(code))
    told = [REFUSALS.explained(made) for it in said for made in (it, RefusedError(it))]
    lacks = f'user "ann" has no right to {right} (Kafka at kafka:9092)'
    place = "--bootstrap-server kafka:9092"
    command = f"run kafka-acls.sh {place} --add --allow-principal User:ann {flags}"

    assert {TransportError} == set(map(type, told))
    assert {f"{lacks}: {command}"} == set(map(str, told))


def test_the_topic_that_kafka_names_is_said() -> None:
    """Of several it may be one."""
    refused = RefusedError(confluents(KafkaError.TOPIC_AUTHORIZATION_FAILED), topics={"payments"})

    assert "Read on topic payments (" in str(REFUSALS.explained(refused))


def test_what_is_not_known_stays_as_it_is() -> None:
    """The client's own words are better than a guess."""
    others = (confluents(KafkaError._TIMED_OUT), KafkaPythonError(7), ValueError("x"))  # noqa: SLF001 - its public name

    assert list(others) == [REFUSALS.explained(RefusedError(it)) for it in others]
    assert list(others) == [REFUSALS.explained(it) for it in others]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (confluents(KafkaError._UNKNOWN_PARTITION), "all that is to be read of orders"),  # noqa: SLF001 - public
        (KafkaPythonError(3), "Kafka at kafka:9092 does not have all that is to be read of orders"),
        (confluents(KafkaError.NOT_COORDINATOR), "kafka:9092 is between two of its brokers"),
        (TimeoutError("no answer"), "no answer (Kafka at kafka:9092): is it overloaded"),
    ],
)
def test_no_client_s_own_words_are_left(error: Exception, said: str) -> None:
    """Whoever reads it knows the place, and what is to be looked at."""
    found = REFUSALS.explained(RefusedError(error))

    assert isinstance(found, TransportError)
    assert said in str(found)
