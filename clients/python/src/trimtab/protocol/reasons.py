"""Why a record cannot be used: a closed set of reasons, and the exception that carries them.

The root of all of trimtab's exceptions is here too, since this package imports nothing of the rest;
the whole tree is drawn in `trimtab.errors`. What is said is fit to be shown.
"""

from typing import Literal, final

from trimtab.protocol.limits import TEXT_CHARACTERS

Reason = Literal[
    "null_key",  # the topic's records are addressed by key
    "bad_key",  # not UTF-8, or not a name by the rule of `names`
    "misrouted",  # not in the partition of its group: the producer has another partitioner
    "null_value",  # a tombstone where none has a meaning
    "oversize",  # longer than the topic's limit; not looked into
    "garbage",  # not JSON, or nested deeper than 200
    "not_object",  # JSON, but not an object
    "unsupported_version",  # `v` is missing or not 1: written for another reader
    "unknown_kind",  # `kind` is missing or none of this topic's
    "invalid",  # a field breaks the contract; the detail starts with its path
    "refused",  # keeps the contract, but is beyond what the controller may or can accept
]


class TrimtabError(Exception):
    """The base of every exception of trimtab's."""


@final
class UndecodableRecord(TrimtabError):  # noqa: N818 - it names what is at hand, as StopIteration does
    """A record that cannot be used, for its content or its place. `detail` is safe to show."""

    def __init__(self, reason: Reason, detail: str) -> None:
        self.reason: Reason = reason
        self.detail = one_line(detail)
        super().__init__(f"{reason}: {self.detail}")

    def __reduce__(self) -> tuple[type["UndecodableRecord"], tuple[Reason, str]]:
        """Pickle by reason and detail: Spark carries errors between processes."""
        return UndecodableRecord, (self.reason, self.detail)


def one_line(text: str) -> str:
    """Strangers' text for a log line: printable characters only, and not more than the limit."""
    if len(text) <= TEXT_CHARACTERS and text.isprintable():
        return text  # nearly always, and several times for each decision
    shown = "".join(c if c.isprintable() else "?" for c in text[:TEXT_CHARACTERS])
    return f"{shown[: TEXT_CHARACTERS - 1]}…" if len(text) > TEXT_CHARACTERS else shown
