"""The end of a moving consumer: it ends when a callback of the application raises, on either side.

On trimtab's side the member ends by itself, but it does not run the callbacks for Kafka's side.
Used by `Mover`. Its one rule: after it no queue is handed over in good order, because nobody knows
what is worked on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from trimtab.callbacks import mistaken
from trimtab.engine import State
from trimtab.errors import MemberFailedError


class Mortal(Protocol):
    """The member, as far as its end goes."""

    @property
    def state(self) -> State:
        """Where it is in its life."""

    def fail(self, failure: MemberFailedError) -> None:
        """End at once."""


class Ending:
    """Ends a member, and knows when it has ended."""

    def __init__(self, member: Mortal) -> None:
        self._member = member

    @property
    def is_over(self) -> bool:
        """Whether the member has ended."""
        return self._member.state in ("ended", "failed")

    @property
    def is_failure(self) -> bool:
        """Whether it has ended by itself."""
        return self._member.state == "failed"

    @contextmanager
    def after_a_mistake(self) -> Iterator[None]:
        """End the member if the application's code raises in this block.

        Raises:
            CallbackError: It has; the member has heard of it.
        """
        try:
            yield
        except BaseException as error:
            failure = mistaken(error)
            self._member.fail(failure)
            raise failure from error
