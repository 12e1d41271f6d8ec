"""Reading one partition for as long as a program lives, whatever becomes of a client.

A client that says nothing is replaced, and the next one goes on where that was; after so long that
something may have been deleted it begins anew. Used by `following`. Its one rule: nothing is
skipped, and whoever reads it hears that it began anew.
"""

from typing import TYPE_CHECKING, Any, Final

from trimtab.clock import now_s
from trimtab.errors import TransportError
from trimtab.protocol import partition_of
from trimtab.transports.confluent_discarding import discard

if TYPE_CHECKING:
    from confluent_kafka import Consumer, KafkaError, Message, TopicPartition

_PATIENCE_S: Final = 10.0
_LOOK_S: Final = 0.5
"""How late it ends when it is told to."""
_WORN_S: Final = 60.0
"""A client that has said nothing for so long is replaced: it may never again (fault H15)."""
_FRESH_S: Final = 43_200.0
"""For so long what was read may be continued: half as long as ``delete.retention.ms``."""
END: Final = "_PARTITION_EOF"
"""How librdkafka calls it."""


class PartitionReading:
    """Reads one partition, with one client after the other if need be."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._settings = settings
        self._consumer = self._made()
        self._next: TopicPartition
        self._heard_at = self._fresh_at = now_s()
        self.anew = False
        """It has begun at the beginning once more: whoever notices takes that back."""

    def begin(self, topic: str, group: str) -> int:
        """Read from the beginning what concerns this group; return where it ends."""
        from confluent_kafka import OFFSET_BEGINNING, TopicPartition  # noqa: PLC0415 - optional

        count = len(self._consumer.list_topics(topic, _PATIENCE_S).topics[topic].partitions)
        if not count:
            raise TransportError(
                f"topic {topic} does not exist, or you lack the right to describe it"
            )
        partition = partition_of(group, count)
        place = TopicPartition(topic, partition)
        _, end = self._consumer.get_watermark_offsets(place, _PATIENCE_S)
        self._next = TopicPartition(topic, partition, OFFSET_BEGINNING)
        self._consumer.assign([self._next])
        self._heard_at = self._fresh_at = now_s()
        return end

    def poll(self) -> "Message | None":
        """Wait for what comes next."""
        if now_s() - self._heard_at > _WORN_S:
            self._renew()
        began = now_s()
        message = self._consumer.poll(_LOOK_S)
        if now_s() - began > _FRESH_S:  # the process was frozen, or the machine slept
            self._renew()
            return None
        if message is not None:
            if (error := message.error()) is None:
                self._next.offset = (message.offset() or 0) + 1
            elif error.name() == END:
                self._fresh_at = now_s()
            if _is_foreign(error):
                return None
            if _is_heard(error):
                self._heard_at = now_s()
        return message

    def close(self) -> None:
        """Disconnect."""
        self._consumer.close()

    def _made(self) -> "Consumer":
        from confluent_kafka import Consumer  # noqa: PLC0415 - optional

        return Consumer(self._settings)

    def _renew(self) -> None:
        """Go on with a new client; if all is well, it only says once more where the end is."""
        from confluent_kafka import OFFSET_BEGINNING  # noqa: PLC0415 - optional

        if now_s() - self._fresh_at > _FRESH_S:
            self._next.offset, self._fresh_at, self.anew = OFFSET_BEGINNING, now_s(), True
        held: list[object] = [self._consumer]
        self._consumer = self._made()
        self._consumer.assign([self._next])
        self._heard_at = now_s()
        discard(held)


def _is_foreign(error: "KafkaError | None") -> bool:
    """Whether it is about the group that a client must have: it is no trouble, and no sign of life.

    It is never needed, and the broker that has the topic may be silent all the same.
    """
    return error is not None and error.name() == "GROUP_AUTHORIZATION_FAILED"


def _is_heard(error: "KafkaError | None") -> bool:
    """Whether this is what a broker says, and not that none is reached."""
    return error is None or error.code() >= 0 or error.name() == END
