"""Refusals: why Kafka refuses when it does not say so: a right, another program, a lost topic.

Kafka names the kind of thing that it denies, but neither the thing nor the operation. So the module
that asked adds them. Used by `upkeep` and `assembly`. Its one rule: what it does not know it leaves
as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trimtab.consuming.contract import RefusedError
from trimtab.errors import SharedGroupError, TransportError
from trimtab.transports.link import Link
from trimtab.transports.rights import lacking

_TOPIC: Final = 29
_GROUP: Final = 30
_TRANSACTIONAL_ID: Final = 53
"""Kafka's own numbers of what it denies (`Errors` of its protocol), the same in each client."""
_NOT_THERE: Final = {3, -190, -188}
"""UNKNOWN_TOPIC_OR_PARTITION, and librdkafka's own `_UNKNOWN_PARTITION` and `_UNKNOWN_TOPIC`."""
_MOVING: Final = {5, 6, 14, 15, 16}
"""LEADER_NOT_AVAILABLE, NOT_LEADER_OR_FOLLOWER, COORDINATOR_LOAD_IN_PROGRESS,
COORDINATOR_NOT_AVAILABLE and NOT_COORDINATOR: a broker has gone or come."""


@dataclass(frozen=True, slots=True)
class Refusals:
    """Explains what one consumer is refused."""

    link: Link
    group: str
    topics: Sequence[str]
    """Those it reads, as far as their names are known."""

    def explained(self, error: Exception) -> Exception:
        """Say what is behind it."""
        if not isinstance(error, RefusedError):
            error = RefusedError(error)
        if error.is_subscribed:
            return SharedGroupError(
                "Kafka refuses to commit, because other programs have subscribed under the name of "
                f'this group, "{self.group}" (Kafka at {self.link.place}). They get messages that '
                "members of trimtab get as well: stop them, or give the members another group"
            )
        text = self._right(error) or self._lack(error) or self._delay(error.said)
        return error.said if text is None else TransportError(text)

    def _delay(self, said: Exception) -> str | None:
        """Say that there is none who answers now."""
        if isinstance(said, TimeoutError):
            return f"{said} (Kafka at {self.link.place}): is it overloaded, or frozen?"
        if _code(said) in _MOVING:
            return f"Kafka at {self.link.place} is between two of its brokers: {said}"
        return None

    def _lack(self, error: RefusedError) -> str | None:
        """Name the topic that is not there, or not as a whole."""
        topics = error.topics or self.topics
        if _code(error.said) not in _NOT_THERE or not topics:
            return None
        return (
            f"Kafka at {self.link.place} does not have all that is to be read of "
            f"{', '.join(topics)}: was the topic deleted, or created again? What is there is read"
        )

    def _right(self, error: RefusedError) -> str | None:
        """Name the right that is missing, if it is one."""
        code, topics = _code(error.said), error.topics or self.topics
        if code == _TOPIC and topics:
            return lacking(self.link, "topic", topics, "Read")
        if code == _GROUP:
            return lacking(self.link, "group", [self.group], "Read")
        if code == _TRANSACTIONAL_ID:
            ids = [f"trimtab:{self.group}:"]
            return lacking(self.link, "transactional-id", ids, "Describe", "Write")
        return None


def may_pass(error: Exception) -> bool:
    """Say whether it is so for a moment each time that a topic grows, or a broker comes or goes.

    Not all brokers hear of that at once.
    """
    return isinstance(error, RefusedError) and _code(error.said) in _NOT_THERE | _MOVING


def _code(error: Exception) -> int:
    """The number that Kafka gave it, whichever client says so; 0: none."""
    if isinstance(number := getattr(error, "errno", None), int):  # kafka-python's
        return number
    code = getattr(error.args[0] if error.args else None, "code", None)
    return int(code()) if callable(code) else 0
