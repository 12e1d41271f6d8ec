"""Records that Kafka takes: cut to the contract's size, the least important first.

A suitcase that must close. Names may be a thousand bytes long and a record may list ten thousand
of them; honest ones come nowhere near the limit. But a record that Kafka refuses fails the batch,
and would fail it again for ever, for all groups; one that is cut says less about one group. For
an assignment that is safe: a queue that a member is not told of is one that it does not work on.

Called by the sinks whose records have lists. Its one rule: what fits is not touched.
"""

from itertools import islice
from typing import Any, Final, TypeVar

from trimtab import protocol
from trimtab.protocol import encode, limits

R = TypeVar("R", bound=protocol.Record)

_ALWAYS_FIT: Final = 300
"""Rows of which none can be too long: three names of 255 four-byte characters each and some
numbers are 3.2 kB."""


def fitted(record: R, *lists: str) -> R:
    """Cut the named lists, the first one first, until the record fits."""
    if sum(len(getattr(record, name)) for name in lists) <= _ALWAYS_FIT:
        return record
    while len(encode(record)) > limits.RECORD_BYTES:
        name = next(name for name in lists if getattr(record, name))
        record = record.model_copy(update={name: _half(getattr(record, name))})
    return record


def _half(rows: Any) -> Any:  # noqa: ANN401 - the rows of any list, or of a table by name
    kept = tuple(islice(rows, len(rows) // 2))
    return {key: rows[key] for key in kept} if isinstance(rows, dict) else kept
