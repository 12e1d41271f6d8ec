"""Why a query ended, in one line, and whether it may be started again.

Spark wraps a cause in stack traces of Java and of Python. The cause is the last line of a
worker's traceback, if there is one, or else the last exception that Java names. An exception that a
worker's code raised comes back with the same rows: state of another version, a package that is
missing, a newer controller, a defect. A Kafka that refuses its user goes on refusing. Everything
else is outside (a worker that was killed, a Kafka that does not answer, a full disk) and may be
over in a moment. Some of it is Kafka's, and would be the same on any machine.

Used by ``query``.
"""

import builtins
import re
from dataclasses import dataclass
from typing import Final

from confluent_kafka import KafkaError

_TRACEBACK: Final = "Traceback (most recent call last):"
_RAISED: Final = re.compile(r"^(?P<name>[A-Za-z_][\w.]*)(?:: (?P<text>.*))?$", re.MULTILINE)
"""The line that ends a traceback; those of code and of carets are indented."""
_CAUSED: Final = re.compile(r"^Caused by: (?P<cause>.*)$", re.MULTILINE)
_OUTSIDE: Final = (OSError, EOFError, MemoryError)
"""What Python raises for the state of the machine."""
_MISSING: Final = {"ImportError", "ModuleNotFoundError"}
_OURS: Final = {
    "streaming.cell.stored.unreadable.UnreadableState": False,
    "streaming.startup.supersession.Superseded": False,
    "streaming.cell.gate.Untold": True,
}
"""Ours, whose text says all that there is to say; and whether they pass."""

_PERMANENT: Final = re.compile(
    r"\b(?:\w*(?:Authentication|Authorization)Exception|AnalysisException"
    r"|NoSuchMethodError|NoClassDefFoundError|UnsupportedClassVersionError)\b"
)
"""What Kafka's own clients never try again, and what lies in the installation."""
_KAFKAS: Final = re.compile(
    r"org\.apache\.kafka\.|\.kafka010\.\w+Exception|\bKafka\b|\bKAFKA_"
    r"|\bCannot fetch record|\boffset was changed"
)
"""What Kafka's clients say, Spark of Kafka, and this controller: in doubt it is Kafka's."""
_REFUSED: Final = {
    KafkaError._AUTHENTICATION,  # noqa: SLF001 - librdkafka's own name
    KafkaError.SASL_AUTHENTICATION_FAILED,
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.GROUP_AUTHORIZATION_FAILED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED,
}
"""The same, as librdkafka numbers it."""


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a query."""

    cause: str
    passes: bool
    """Whether it is worth another try."""
    is_kafkas: bool = False
    """Whether it comes of Kafka."""


def ending_of(text: str) -> Ending:
    """Find the cause in what Spark says of a failure."""
    _, traceback, tail = text.rpartition(_TRACEBACK)
    raised = _RAISED.search(tail) if traceback else None
    if raised is not None:
        return _of_python(raised["name"], (raised["text"] or "").strip())
    first = next(
        (line.strip() for line in text.splitlines() if line.strip()), "the reason is unknown"
    )
    telling = [cause for cause in _CAUSED.findall(text) if ": " in cause]
    cause = telling[-1].strip() if telling else first
    told = "\n".join([first, *telling])
    return Ending(cause, not _PERMANENT.search(told), bool(_KAFKAS.search(told)))


def may_pass(error: KafkaError) -> bool:
    """Tell whether what librdkafka met is worth another try."""
    return error.code() not in _REFUSED


def _of_python(name: str, text: str) -> Ending:
    if name in _OURS:
        return Ending(text, _OURS[name], bool(_KAFKAS.search(text)))
    cause = f"{name}: {text}" if text else name
    if name in _MISSING:
        remedy = "the Python of Spark's workers lacks a package: install trimtab's there"
        return Ending(f"{cause}; {remedy}", passes=False)
    # Those of numpy and Arrow have names of their own.
    kind = MemoryError if name.endswith("MemoryError") else getattr(builtins, name, None)
    return Ending(cause, passes=isinstance(kind, type) and issubclass(kind, _OUTSIDE))
