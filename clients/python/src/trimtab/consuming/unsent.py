"""What was not sent: why a transaction has failed, by the record or the topic that is the reason.

The client names neither. Used by `attempt`. Its one rule: what may pass is not told as what never
will.
"""

from collections.abc import Collection
from typing import Final, NamedTuple

from confluent_kafka import KafkaError, KafkaException, Producer

from trimtab.consuming.sends import Send
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


class Refusal(NamedTuple):
    """Why a broker does not take a record."""

    send: Send
    error: KafkaError

    @property
    def is_of_batch(self) -> bool:
        """Whether the client says so of each record that went to the broker together with it."""
        return self.error.code() == KafkaError.MSG_SIZE_TOO_LARGE


def refusal(send: Send, error: KafkaError | None) -> Refusal | None:
    """Hear what became of a record: keep why it will never be taken."""
    return None if error is None or error.code() not in _POISON else Refusal(send, error)


def named(grant: Grant) -> str:
    """Name its queue, for people."""
    return f"{grant.queue.topic}/{grant.queue.id}"


def untaken(grant: Grant, refusals: list[Refusal], *, alone: bool) -> str | None:
    """Say which record is not taken, if one never will be; `alone`: each went by itself."""
    for send, error in [it for it in refusals if alone or not it.is_of_batch][:1]:
        return (
            f"send: Kafka does not take what goes with {named(grant)}, nor is a commit after it: "
            f"offset {send.offset}, to topic {send.arguments['topic']}: {error.str()}"
        )
    return None


def unsent(producer: Producer, sends: Collection[Send]) -> str | None:
    """Say which topic cannot be written to, if one is the reason; the client does not name it."""
    for topic in sorted({it.arguments["topic"] for it in sends})[:_ASKED]:
        try:
            error = producer.list_topics(topic, _ASK_S).topics[topic].error
        except KafkaException:
            return None  # it is Kafka that does not answer
        if error is not None:
            return f"send: nothing goes to topic {topic}, nor is a commit after it: {error.str()}"
    return None
