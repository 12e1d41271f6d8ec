"""Sends: what the application writes as an effect of a message, kept until that is committed.

Then all of it is written in one transaction with the commit. Until then nothing has left the
process, so there is nothing to take back of a message that others get again. Used by
`transactions`, which writes, and by `assembly`, which is asked to.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final, NamedTuple

from trimtab.errors import CommitError
from trimtab.session import Grant

MOST: Final = 10_000
_BYTES: Final = 10_000_000
"""In one transaction: on a slow line it takes a second."""
_FULL: Final = 100_000_000
"""Bytes that a consumer keeps of what Kafka does not take. What it takes in time may be more."""
_BESIDE: Final = 200
"""Bytes of a send beside its value, key and headers."""


class Send(NamedTuple):
    """Something to write."""

    offset: int
    """Of the message whose effect it is."""
    arguments: dict[str, Any]
    """As confluent-kafka's `produce` takes them."""


class Piece(NamedTuple):
    """What is written in one transaction."""

    at: int
    """The position: of the message after those whose effects these are."""
    sends: list[Send]


def pieces(
    at: int, sends: Iterable[Send], most: Callable[[], int] = lambda: MOST
) -> Iterator[Piece]:
    """Divide what is to be written before a position: a transaction has only so much time.

    The effects of one message stay together.
    """
    piece, room = list[Send](), _BYTES
    for send in sorted(sends, key=lambda it: it.offset):
        if piece and send.offset > piece[-1].offset and (len(piece) >= most() or room < 0):
            yield Piece(send.offset, piece)
            piece, room = [], _BYTES
        piece.append(send)
        room -= _size(send)
    yield Piece(at, piece)


def _refused(grant: Grant, barred: int) -> str:
    name = f"{grant.queue.topic}/{grant.queue.id}"
    return f"send: refused since offset {barred} of {name}: seek back to it, or restart"


def _size(send: Send) -> int:
    contents = (send.arguments.get(name) for name in ("value", "key"))
    headers = chain.from_iterable(send.arguments.get("headers") or ())
    return _BESIDE + sum(len(it or b"") for it in chain(contents, headers))


class Sends:
    """Of one consumer, by the grants of their queues; in the order of the calls."""

    def __init__(self) -> None:
        self._line = threading.Lock()
        self._kept: dict[Grant, list[Send]] = {}
        self._gone: dict[Grant, int] = {}
        """Before which position those that were kept are on their way: no more are taken."""
        self._barred: dict[Grant, int] = {}
        """The first message of which an effect was not kept: nothing passes it until it is read
        again, or skipped, or its other effects would count alone."""
        self._bytes = 0
        self._sought = 0
        """How often some were forgotten, because their messages come again."""

    def together(
        self, look: Callable[[], Mapping[Grant, int]]
    ) -> tuple[Mapping[Grant, int], dict[Grant, list[Send]], str | None]:
        """Look for positions, and take the effects before each: those that there were by then.

        After a seek back a position would have lost the last ones, so it is looked again. Say also
        which position would have passed an effect that was not kept, and is less far.
        """
        while True:
            sought = self._sought
            places = look()
            with self._line:
                if sought == self._sought:
                    within = {it: min(at, self._barred.get(it, at)) for it, at in places.items()}
                    effects = {grant: self._take(grant, at) for grant, at in within.items()}
                    cut = [_refused(it, at) for it, at in within.items() if at < places[it]]
                    return within, effects, cut[0] if cut else None

    @property
    def is_full(self) -> bool:
        """Whether there is so much that a process may run out of memory."""
        return self._bytes > _FULL

    def add(self, grant: Grant, send: Send, trouble: str | None = None) -> bool:
        """Keep this; tell whether it is not too late. With trouble no more than there is room for.

        Raises:
            CommitError: There is no room, or there was none for one of before.
        """
        with self._line:
            if send.offset < self._gone.get(grant, 0):
                return False
            if (barred := self._barred.get(grant)) is not None and send.offset >= barred:
                raise CommitError(_refused(grant, barred))
            if trouble is not None and self.is_full:
                self._barred[grant] = send.offset
                raise CommitError(trouble)
            self._kept.setdefault(grant, []).append(send)
            self._bytes += _size(send)
            return True

    def _take(self, grant: Grant, at: int) -> list[Send]:
        self._gone[grant] = max(at, self._gone.get(grant, 0))
        return [it for it in self._kept.get(grant, ()) if it.offset < at]

    def written(self, grant: Grant, offset: int) -> None:
        """Kafka has the effects of all messages before this offset."""
        self._keep(grant, lambda it: it.offset >= offset)

    def read_again(self, grant: Grant, offset: int) -> None:
        """All messages from this offset on come again, and so do their effects."""
        with self._line:
            self._sought += 1
            self._gone[grant] = min(offset, self._gone.get(grant, 0))
            if self._barred.get(grant, -1) >= offset:
                del self._barred[grant]
        self._keep(grant, lambda it: it.offset < offset)

    def skip(self, grant: Grant) -> None:
        """The application reads on elsewhere: with the barred message all behind it is done."""
        with self._line:
            barred = self._barred.pop(grant, None)
        self._keep(grant, lambda it: barred is None or it.offset < barred)

    def drop(self, grant: Grant) -> None:
        """The queue is somebody else's."""
        with self._line:
            self._gone.pop(grant, None)
            self._barred.pop(grant, None)
        self._keep(grant, lambda _: False)

    def _keep(self, grant: Grant, stays: Callable[[Send], bool]) -> None:
        with self._line:
            before = self._kept.pop(grant, [])
            kept = [it for it in before if stays(it)]
            self._bytes += sum(map(_size, kept)) - sum(map(_size, before))
            if kept:
                self._kept[grant] = kept
