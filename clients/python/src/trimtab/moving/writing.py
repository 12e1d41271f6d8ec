"""Writing by the subscription: how a consumer commits while its group moves.

Kafka takes the commits of a group that has members from them alone, so a moving consumer's go by
its member there. Put in place by `assembly`. See `trimtab.consuming.contract.Writer`. Its one rule:
a commit that is dropped before it is sent is never sent.
"""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

from confluent_kafka import KafkaException

from trimtab.consuming.confluent import refused
from trimtab.moving.subscription import Subscription
from trimtab.protocol import QueueRef

Said = Callable[[QueueRef, int, str], str]
"""What is said with a commit of a queue and a place, from what would be said on trimtab's side."""


class Sender:
    """What `Commits` writes by here."""

    def __init__(self, subscription: Subscription, said: Said) -> None:
        self._subscription, self._said = subscription, said
        self._dropped = threading.Event()

    def write(self, places: Mapping[QueueRef, tuple[int, str]]) -> "Future[Any]":
        """Send these."""
        saying = {it: (at, self._said(it, at, said)) for it, (at, said) in places.items()}
        return self._subscription.send(saying, self._dropped.is_set)

    def check(self, answer: "Future[Any]") -> None:
        """Look at an answer."""
        try:
            answer.result()
        except KafkaException as error:
            raise refused(error) from error

    def drop(self) -> None:
        """Let go of what was written."""
        self._dropped.set()
        self._dropped = threading.Event()
