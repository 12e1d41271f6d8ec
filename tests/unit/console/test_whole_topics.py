"""Reading whole topics: what passes by itself is asked again, what does not is told."""

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from console.whole_topics import offsets

PLACE = TopicPartition("orders", 0)


class Moving:
    """A consumer whose broker does not know at first who leads a partition."""

    def __init__(self, *errors: int) -> None:
        self._errors = list(errors)

    def get_watermark_offsets(self, place: TopicPartition, timeout: float) -> tuple[int, int]:
        """Answer as that broker does."""
        assert (PLACE, True) == (place, timeout > 0)
        if self._errors:
            raise KafkaException(KafkaError(self._errors.pop(0)))
        return 0, 3


def test_a_partition_that_moves_is_asked_for_again() -> None:
    """A topic that is new has no leader yet for some milliseconds."""
    moving = Moving(KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.UNKNOWN_TOPIC_OR_PART)

    assert (0, 3) == offsets(moving, PLACE)


def test_what_does_not_pass_is_told_at_once() -> None:
    """Who may not read will not be allowed to a moment later."""
    with pytest.raises(KafkaException):
        offsets(Moving(KafkaError.TOPIC_AUTHORIZATION_FAILED), PLACE)
