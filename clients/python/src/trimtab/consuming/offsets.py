"""Where a group's queues begin in Kafka: what is committed, and the ends of what there is.

Used by `handover`, `upkeep` and `leaders`, which take turns.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from trimtab.clock import now_s
from trimtab.consuming.choice import Start
from trimtab.consuming.contract import Client, Committed, Ends, RefusedError
from trimtab.protocol import QueueRef
from trimtab.protocol.limits import SAFE_INTEGER

_ASK_S: Final = 2.0
"""One question to Kafka. No other thread uses the consumer meanwhile."""
_OURS: Final = "trimtab"
_DIGITS: Final = 16
"""Of the greatest token."""
_ASK_AGAIN_S: Final = 0.1
"""librdkafka's own first pause before a retry (`retry.backoff.ms`)."""
_PAUSE: Final = 4
"""A question without an answer is asked again after so many times as long as it took: nothing is
read meanwhile, so that what can be read is read for four fifths of the time."""


@dataclass(slots=True)
class Asked:
    """When Kafka is asked again what it could not say, by `trimtab.clock.now_s`."""

    again_at: float = 0.0
    _in_vain: frozenset[QueueRef] = frozenset()

    def resting(self, queues: frozenset[QueueRef], now: float) -> frozenset[QueueRef]:
        """Those of which it was asked in vain, and not long ago; what has come since is not."""
        self._in_vain &= queues
        return self._in_vain if now < self.again_at else frozenset()

    @contextmanager
    def answered(
        self, queues: Callable[[], frozenset[QueueRef]], report: Callable[[Exception], object]
    ) -> Iterator[None]:
        """Ask about these in this block; if there is no answer, say so and go on without it."""
        began, before = now_s(), queues()
        try:
            yield
        except RefusedError as error:
            now = now_s()
            self.again_at = now + max(_ASK_AGAIN_S, _PAUSE * (now - began))
            self._in_vain = before & queues()
            report(error)


class GroupOffsets:
    """Asks what a consumer's group has committed, and where queues begin and end."""

    def __init__(self, client: Client, start: Start) -> None:
        self._client = client
        self._start = start

    def committed(self, queues: list[QueueRef]) -> Ends:
        """Read what is committed; less than 0 where nothing is."""
        signed, refused = self.signed(queues)
        return Ends({queue: at for queue, (at, _) in signed.items()}, refused)

    def signed(
        self, queues: list[QueueRef]
    ) -> tuple[dict[QueueRef, tuple[int, int]], RefusedError | None]:
        """Read the same, each with the token under which it was committed; 0: under none."""
        found = self._client.committed(queues, _ASK_S) if queues else Committed({})
        signed = {queue: (at, token_of(said)) for queue, (at, said) in found.at.items()}
        return signed, found.refused

    def first(self, queues: list[QueueRef]) -> Ends:
        """Find where to begin with queues that have no committed offset."""
        return self._ends(queues, self._start)

    def earliest(self, queues: list[QueueRef]) -> Ends:
        """Find the earliest messages that there still are."""
        return self._ends(queues, "earliest")

    def touch(self, queues: list[QueueRef], timeout_s: float) -> Ends:
        """Ask for nothing but to be connected to their leaders."""
        return self._client.found(queues, "earliest", timeout_s)

    def latest(self, queues: list[QueueRef]) -> Ends:
        """Find where they end."""
        return self._ends(queues, "latest")

    def _ends(self, queues: list[QueueRef], end: Start) -> Ends:
        latest = Ends({})
        if isinstance(end, datetime):
            # Asked first: what is written between both may be since that time, and is read.
            latest = self._ends(queues, "latest")
            queues = [it for it in queues if it in latest.at]  # of others, who leads them is silent
        if not queues:
            return latest
        began = now_s()
        found = self._client.found(queues, end, _ASK_S)
        is_silent = not found.at and now_s() - began > _ASK_S / 2
        if is_silent:  # one leader may keep back what others say, or the client have lost it
            apart = self._client.found_apart(queues, end, _ASK_S)
            found = Ends(apart, found.refused if len(apart) < len(queues) else None)
        known = {queue: at for queue, at in found.at.items() if at >= 0}
        ends = {it: at for it, at in latest.at.items() if it in found.at}
        return Ends(ends | known, found.refused or latest.refused)


def signature(token: int, life: str) -> str:
    """What is said with a commit: for people, tools, and those who fence."""
    return f"{_OURS}:{token}:{life}"


def token_of(said: str) -> int:
    """The token in what was said with a commit; 0 if it was not one of ours."""
    ours, _, rest = said.partition(":")
    return token_in(rest) if ours == _OURS else 0


def token_in(text: str) -> int:
    """The token that this begins with; 0 if it does with none: anybody may commit anything."""
    token, _, _ = text.partition(":")
    is_one = token.isdecimal() and len(token) <= _DIGITS and int(token) <= SAFE_INTEGER
    return int(token) if is_one else 0
