"""Why a query ended, in one line, and whether it may be started again.

Spark wraps a cause in a page of Java's and Python's stack traces. The cause is the last line of a
worker's traceback, if there is one, or else the last exception that Java names. An exception that a
worker's code raised comes back with the same rows: state of another version, a package that is
missing, a newer controller, a defect. Everything else is outside (a worker that was killed, a Kafka
that does not answer, a full disk) and may be over in a moment.

Used by ``query``.
"""

import builtins
import re
from dataclasses import dataclass
from typing import Final

_TRACEBACK: Final = "Traceback (most recent call last):"
_RAISED: Final = re.compile(r"^(?P<name>[A-Za-z_][\w.]*)(?:: (?P<text>.*))?$", re.MULTILINE)
"""The line that ends a traceback; those of code and of carets are indented."""
_CAUSED: Final = re.compile(r"^Caused by: (?P<cause>.*)$", re.MULTILINE)
_OUTSIDE: Final = (OSError, EOFError, MemoryError)
"""What Python raises for the state of the machine."""
_MISSING: Final = {"ImportError", "ModuleNotFoundError"}
_TOLD: Final = {"streaming.cell.codec.UnreadableState", "streaming.startup.succession.Superseded"}
"""Ours, whose text says all that there is to say."""


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a query."""

    cause: str
    passes: bool
    """Whether it is worth another try."""


def ending_of(page: str) -> Ending:
    """Find the cause in what Spark says of a failure."""
    _, traceback, tail = page.rpartition(_TRACEBACK)
    raised = _RAISED.search(tail) if traceback else None
    if raised is not None:
        return _of_python(raised["name"], (raised["text"] or "").strip())
    first = next(
        (line.strip() for line in page.splitlines() if line.strip()), "the reason is unknown"
    )
    telling = [cause for cause in _CAUSED.findall(page) if ": " in cause]
    return Ending(telling[-1].strip() if telling else first, passes=True)


def _of_python(name: str, text: str) -> Ending:
    if name in _TOLD:
        return Ending(text, passes=False)
    cause = f"{name}: {text}" if text else name
    if name in _MISSING:
        remedy = "the Python of Spark's workers lacks a package: install trimtab's there"
        return Ending(f"{cause}; {remedy}", passes=False)
    kind = getattr(builtins, name, None)
    return Ending(cause, passes=isinstance(kind, type) and issubclass(kind, _OUTSIDE))
