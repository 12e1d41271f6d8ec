"""History: what happened to a group or a cluster, a line for each entry.

Called by `trimtab groups history`, and by ``explanation``, which needs only some of them; entries
come from ``console.published``.
"""

from collections.abc import Iterable
from typing import NamedTuple

from console.views.moments import said
from console.views.sentences import event, place, source
from trimtab.protocol import Cause, HistoryRecord, Verdict

Row = dict[str, object]

NARROW = ("at", "kind", "what", "cause")
WIDE = ("cause_place", "detail", "place")


class Noted(NamedTuple):
    """An entry of the history, and where it stands."""

    place: str
    entry: HistoryRecord


def row(stands: str, entry: HistoryRecord) -> Row:
    """Describe an entry that stands at a place in the log."""
    cause = None if isinstance(entry, Verdict) else entry.cause
    return {
        "at": said(moment(entry)),
        "kind": entry.kind,
        "what": event(entry),
        "cause": source(cause) if isinstance(cause, Cause) else None,
        "cause_place": place(cause) if isinstance(cause, Cause) else None,
        "detail": cause.detail if isinstance(cause, Cause) else None,
        "place": stands,
    }


def moment(entry: HistoryRecord) -> int:
    """Return when an entry's event was."""
    if isinstance(entry, Verdict) and entry.at_ms is None:
        return entry.since_ms
    assert entry.at_ms is not None, "of all others it is required"
    return entry.at_ms


def rows(entries: Iterable[tuple[str, HistoryRecord]], until_ms: int | None = None) -> list[Row]:
    """Describe entries, up to a moment."""
    return [
        row(stands, entry)
        for stands, entry in entries
        if until_ms is None or moment(entry) <= until_ms
    ]
