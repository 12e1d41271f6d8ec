"""What was not sent: why a transaction has failed, by the record or the topic that is the reason.

The client names neither. Used by `transactions`. Its one rule: what may pass is not told as what
never will.
"""

from collections.abc import Collection
from typing import Final

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from trimtab.consuming.contract import RefusedError
from trimtab.consuming.sends import Send
from trimtab.errors import TransportError
from trimtab.session import Grant

_ASKED: Final = 3
"""Topics that are looked at after a failure."""
_ASK_S: Final = 1.0
_POISON: Final = {
    KafkaError.INVALID_RECORD,
    KafkaError.INVALID_TIMESTAMP,
    KafkaError.MSG_SIZE_TOO_LARGE,
    KafkaError.POLICY_VIOLATION,
    KafkaError._UNKNOWN_PARTITION,  # noqa: SLF001 - its public name
}
"""Why a broker takes no such record, however often it is sent."""


def note(refusals: list[str], offset: int, error: KafkaError | None, message: Message) -> None:
    """Hear what became of a record: keep why it will never be taken."""
    if error is not None and error.code() in _POISON:
        refusals.append(f"offset {offset}, to topic {message.topic()}: {error.str()}")


def named(grant: Grant) -> str:
    """Name its queue, for people."""
    return f"{grant.queue.topic}/{grant.queue.id}"


def untaken(grant: Grant, refusals: list[str]) -> RefusedError | None:
    """Say which record is not taken, if one never will be."""
    if not refusals:
        return None
    text = f"send: Kafka does not take what goes with {named(grant)}, nor is a commit after it: "
    return RefusedError(TransportError(text + refusals[0]))


def unsent(producer: Producer, sends: Collection[Send]) -> RefusedError | None:
    """Say which topic cannot be written to, if one is the reason; the client does not name it."""
    for topic in sorted({it.arguments["topic"] for it in sends})[:_ASKED]:
        try:
            error = producer.list_topics(topic, _ASK_S).topics[topic].error
        except KafkaException:
            return None  # it is Kafka that does not answer
        if error is not None:
            text = f"send: nothing goes to topic {topic}, nor is a commit after it: {error.str()}"
            return RefusedError(TransportError(text))
    return None
