"""What is said of bytes that mean nothing to this release.

Each function that reads state is ``understood``, so that no other error leaves it: whoever runs the
controller reads one sentence, with what to do. Used by all that read.
"""

from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

from msgspec import MsgspecError

Given = ParamSpec("Given")
Read = TypeVar("Read")

_SENSELESS: Final = (MsgspecError, ValueError, LookupError, TypeError, OverflowError)
"""What decoders and conversions raise at bytes that are no state: of another shape, cut off, with a
number of nothing, with columns of different lengths."""


class UnreadableState(Exception):  # noqa: N818 - it names what is at hand
    """The checkpoint holds what this release cannot read."""

    def __init__(self, held: str) -> None:
        super().__init__(
            f"the checkpoint holds {held}: start the release that wrote it, or move over with "
            "`trimtab run --new-checkpoint`: no queue moves"
        )


def understood(read: Callable[Given, Read]) -> Callable[Given, Read]:
    """Let a function that reads bytes end in ``UnreadableState`` if they make no sense."""

    @wraps(read)
    def reading(*given: Given.args, **named: Given.kwargs) -> Read:
        try:
            return read(*given, **named)
        except _SENSELESS as error:
            raise UnreadableState(
                f"state that makes no sense to this release ({type(error).__name__}: {error})"
            ) from error

    return reading
