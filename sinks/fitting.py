"""Records that Kafka takes: cut to the contract's size, the least important rows first.

Names may be a thousand bytes long, and a record may list thousands of them. A record that Kafka
refuses fails the batch, again and again, for all groups; a record that is cut only says less about
one group. What a member owns always fits: the brain takes in no more queues than one record can
name (``rebalance.groups.model.extent``). The caller publishes how many rows were cut.

Called by the sinks whose records have lists.
"""

from itertools import islice
from typing import Any, Final, TypeVar

from trimtab import protocol
from trimtab.protocol import encode, limits

R = TypeVar("R", bound=protocol.Record)

_ALWAYS_FIT: Final = 300
"""Rows of which none can be too long: three names of 255 four-byte characters each and some
numbers are 3.2 kB."""


def is_taken(record: protocol.Record, *lists: str) -> bool:
    """Tell whether a record is taken as it is; these are its lists."""
    return sum(len(getattr(record, name)) for name in lists) <= _ALWAYS_FIT or _fits(record)


def fitted(record: R, *lists: str) -> R:
    """Cut the named lists, the first one first, until the record fits."""
    if is_taken(record, *lists):
        return record
    for name in lists:
        rows = getattr(record, name)
        if _fits(cut := _with_first(record, name, 0)):
            fits, too_many = 0, len(rows)
            while fits + 1 < too_many:
                middle = (fits + too_many) // 2
                if _fits(_with_first(record, name, middle)):
                    fits = middle
                else:
                    too_many = middle
            return _with_first(record, name, fits)
        record = cut
    return record


def _fits(record: protocol.Record) -> bool:
    return len(encode(record)) <= limits.RECORD_BYTES


def _with_first(record: R, name: str, count: int) -> R:
    """Return the record with only the first rows of one list, or of a table by name."""
    rows: Any = getattr(record, name)
    kept = tuple(islice(rows, count))
    return record.model_copy(
        update={name: {key: rows[key] for key in kept} if isinstance(rows, dict) else kept}
    )
