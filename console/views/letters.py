"""Dead letters: which records could not be used, where they are, and why.

Called by `trimtab deadletters`. Nothing in a letter is trusted: its text is for display only.
"""

import binascii
from base64 import b64decode
from collections.abc import Iterable
from typing import get_args

from console.views.moments import said
from console.views.sentences import place
from trimtab.protocol import DeadLetter
from trimtab.protocol.reasons import Reason

Row = dict[str, object]

REASONS: tuple[str, ...] = get_args(Reason)
NARROW = ("at", "record", "key", "reason", "detail")
WIDE = ("size", "truncated", "value", "place")
_SHOWN = 120
"""Characters of a key or a value that are worth a look in a table."""


def row(stands: str, letter: DeadLetter) -> Row:
    """Describe a dead letter that stands at a place in the log."""
    return {
        "at": said(letter.timestamp_ms),
        "record": place(letter),
        "key": _text(letter.key_b64),
        "reason": letter.reason,
        "detail": letter.detail,
        "size": letter.size,
        "truncated": letter.truncated,
        "value": _text(letter.value_b64),
        "place": stands,
    }


def rows(letters: Iterable[tuple[str, DeadLetter]]) -> list[Row]:
    """Describe dead letters."""
    return [row(stands, letter) for stands, letter in letters]


def cut(row: Row) -> Row:
    """Return it as a table shows it: of what is long the beginning, and a mark that it is."""
    long = {it: str(row[it]) for it in ("key", "value") if len(str(row[it])) > _SHOWN}
    return row | {it: f"{text[:_SHOWN]}..." for it, text in long.items()}


def _text(base64: str | None) -> str | None:
    if base64 is None:
        return None
    try:
        return b64decode(base64).decode(errors="backslashreplace")
    except binascii.Error:
        return base64
