"""Beats in columns: a fingerprint and a number for each, so that known beats need no decoding.

A beat that says nothing new is, byte for byte, its member's last one but for its number. So its
fingerprint is of its key and of all its bytes but the number: 128 bits, made by Spark
(``fingerprints``). A value has one only if it is put together again from what is before the number,
the number as it is written plainly, and what is after it.

Made by ``cell_operator`` and, of rows, by `trimtab replay` (``split``). Its one rule: a fingerprint
says nothing of what a record means; whoever knows it has decoded such a record before.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streaming.wire.rows import Row
from trimtab.protocol import limits

NUMBER_KEY: Final = '"sequence":'
MOST_BYTES: Final = 2_048
"""What the longest names make of a beat that lists no queue."""
NO_NUMBER: Final = -1
"""The number of a record that has no fingerprint."""

ADDED: Final = ("first", "second", "number")
"""What the JVM adds to the columns of a row."""
COLUMNS: Final = ("offset", "appended_ms", *ADDED, "key", "value")
"""The columns of beats."""

Numbers = NDArray[np.int64]


class Fingerprint(NamedTuple):
    """All of a record but its number."""

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class Beats:
    """Records with fingerprints, of one partition, in the order of their offsets."""

    topic: str
    partition: int
    offset: Numbers
    appended_ms: Numbers
    first: Numbers
    second: Numbers
    number: Numbers
    key: NDArray[Any]
    value: NDArray[Any]

    def __len__(self) -> int:
        return len(self.offset)

    def rows(self, chosen: NDArray[Any]) -> list[Row]:
        """Return some of them as rows."""
        columns = (self.offset, self.appended_ms, self.key, self.value)
        return [
            Row(self.topic, self.partition, offset, appended, key, value, len(value))
            for offset, appended, key, value in zip(
                *(it[chosen].tolist() for it in columns), strict=True
            )
        ]

    def fingerprints(self, chosen: NDArray[Any]) -> dict[int, Fingerprint]:
        """Return the fingerprints of some of them by their offsets."""
        columns = (self.offset, self.first, self.second)
        found = zip(*(it[chosen].tolist() for it in columns), strict=True)
        return {offset: Fingerprint(first, second) for offset, first, second in found}


def beats_of(topic: str, partition: int, columns: Sequence[Any]) -> Beats:
    """Put columns (from the offset to the value) in order."""
    order = np.argsort(columns[0], kind="stable")
    return Beats(topic, partition, *(it[order] for it in columns))


def split(rows: Iterable[Row], heartbeats: str) -> tuple[list[Row], Beats | None]:
    """Tell records that can have a fingerprint from others; they are not Spark's."""
    others, fingerprinted = list[Row](), list[tuple[Any, ...]]()
    partition = None
    for row in rows:
        found = _taken_apart(row) if row.topic == heartbeats else None
        if found is None or partition not in (None, row.partition):
            others.append(row)
            continue
        partition = row.partition
        fingerprinted.append((row.offset, row.appended_ms, *found, row.key, row.value))
    if partition is None:
        return others, None
    *numbers, keys, values = zip(*fingerprinted, strict=True)
    columns = [*(np.array(it, dtype=np.int64) for it in numbers), _objects(keys), _objects(values)]
    return others, beats_of(heartbeats, partition, columns)


def with_number(value: bytes, number: int) -> bytes:
    """Return a value that has a fingerprint with another number: its fingerprint is the same."""
    head, found, tail = value.partition(NUMBER_KEY.encode())
    return head + found + str(number).encode() + tail[_digits(tail) :]


def _taken_apart(row: Row) -> tuple[int, int, int] | None:
    value, key = row.value or b"", row.key or b""
    head, found, tail = value.partition(NUMBER_KEY.encode())
    end = _digits(tail)
    if not found or not 0 < row.size <= MOST_BYTES or NUMBER_KEY.encode() in tail:
        return None
    number = int(tail[:end]) if tail[:end].isdigit() else NO_NUMBER
    if not 0 <= number <= limits.SAFE_INTEGER or str(number).encode() != tail[:end]:
        return None
    print_ = blake2b(b"\0".join((key, head, tail[end:])), digest_size=16).digest()
    first, second = (int.from_bytes(it, "big", signed=True) for it in (print_[:8], print_[8:]))
    return first, second, number


def _digits(tail: bytes) -> int:
    """Return where the number ends."""
    return len(tail.partition(b",")[0].partition(b"}")[0])


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found
