"""Refusals: why Kafka refuses when it does not say so: a missing right, or another program.

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
        text = self._right(error)
        return error.said if text is None else TransportError(text)

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


def _code(error: Exception) -> int:
    """The number that Kafka gave it, whichever client says so; 0: none."""
    if isinstance(number := getattr(error, "errno", None), int):  # kafka-python's
        return number
    code = getattr(error.args[0] if error.args else None, "code", None)
    return int(code()) if callable(code) else 0
