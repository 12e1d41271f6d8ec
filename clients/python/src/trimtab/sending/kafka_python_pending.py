"""What kafka-python's client has not settled, and what waits until it may have it.

Whoever sends to a topic that the client does not know waits for the client's thread, which asks
Kafka. A callback runs on that thread: it would wait for itself, for a minute, and all other
messages with it. So what it sends is put off until the topic is known.

Used by ``kafka_python``. Its one rule: what is put off stays in its order, topic by topic.
"""

from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_Untyped = Any
"""What comes from kafka-python, which ships no types."""
Callback = Callable[[Exception | None, _Untyped], object]


@dataclass(frozen=True, slots=True)
class Pending:
    """A message that is not settled."""

    topic: str
    value: bytes | None
    key: bytes | None
    headers: _Untyped
    """A copy: who sent them may change them before another try."""
    on_delivery: Callback | None
    begun_s: float
    sent_s: float
    tries: int = 1
    error: Exception | None = None
    """What the last try has met."""


class PutOff:
    """Messages of callbacks whose topic is not known yet."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[Pending]] = defaultdict(deque)

    def add(self, pending: Pending) -> None:
        """Put a message off."""
        self._waiting[pending.topic].append(pending)

    def holds(self, topic: str) -> bool:
        """Return whether others of that topic wait, which go first."""
        return bool(self._waiting.get(topic))

    def offer(self, send: Callable[[Pending], bool]) -> None:
        """Offer those of each topic, until one is not taken."""
        for waiting in list(self._waiting.values()):
            for _ in range(len(waiting)):
                if not send(waiting[0]):
                    break
                waiting.popleft()
