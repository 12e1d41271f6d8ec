"""Copies: a batch that the controller repeats writes its entries of `history` once more (A1, A10).

The sinks have no transactions. What was written when a controller was killed, or when another topic
could not be written, comes again: the same bytes under the same key, perhaps more of them than the
first time, and as often as the batch is tried. Each entry carries its time and the record that
caused it, so no two entries of different batches are alike.

Called by whoever reads `history`: ``published``, ``recordings``. Its one rule: the first counts,
and stays where it is.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def without_copies(
    records: Iterable[T], written: Callable[[T], tuple[bytes | None, bytes | None] | None]
) -> Iterator[T]:
    """Pass over entries whose key and value came before; what ``written`` has no answer for stays.

    It is asked for the key and the value of an entry of the history, and None for other records.
    """
    seen = set[tuple[bytes | None, bytes | None]]()
    for record in records:
        entry = written(record)
        if entry not in seen:
            yield record
        if entry is not None:
            seen.add(entry)
