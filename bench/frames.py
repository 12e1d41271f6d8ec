"""Frames: rows as the JVM sends them and as PySpark hands them over, beats with fingerprints.

Used by all benches that call a state function without Spark, and by tests. The columns
are those of ``streaming.pipeline``.
"""

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd
import pyarrow as pa

from streaming.wire.beats import ADDED, NO_NUMBER, split
from streaming.wire.rows import Row
from trimtab.protocol import DEFAULT_PREFIX, HEARTBEATS

_ROWS: Final = 10_000
"""``spark.sql.execution.arrow.maxRecordsPerBatch``."""
_LONG: Final = pa.int64()
_TYPES: Final = {
    "topic": pa.string(),
    "partition": pa.int32(),
    "offset": _LONG,
    "appended_ms": _LONG,
    "key": pa.binary(),
    "value": pa.binary(),
    "size": pa.int32(),
    **dict.fromkeys(ADDED, _LONG),
}
_NONE: Final = (0, 0, NO_NUMBER)


def framed(rows: Sequence[Row]) -> pd.DataFrame:
    """Return rows as one frame."""
    return pd.concat(frames(batches(rows)))


def batches(rows: Sequence[Row], prefix: str = DEFAULT_PREFIX) -> Any:  # noqa: ANN401 - untyped
    """Return rows as Arrow's batches."""
    heartbeats = f"{prefix}{HEARTBEATS.name}"
    _, beats = split(rows, heartbeats)
    fingerprints: dict[int, tuple[int, ...]] = {}
    if beats is not None:
        columns = (beats.offset, beats.first, beats.second, beats.number)
        found = zip(*(it.tolist() for it in columns), strict=True)
        fingerprints = {offset: (first, second, number) for offset, first, second, number in found}
    full = [
        (*row, *(fingerprints.get(row.offset, _NONE) if row.topic == heartbeats else _NONE))
        for row in rows
    ]
    values = zip(zip(*full, strict=True), _TYPES.values(), strict=True)
    arrays = [pa.array(column, kind) for column, kind in values]
    return pa.table(arrays, names=list(_TYPES)).to_batches(max_chunksize=_ROWS)


def frames(given: Any) -> list[pd.DataFrame]:  # noqa: ANN401 - Arrow has no types
    """Return Arrow's batches as PySpark hands them over."""
    return [
        pd.DataFrame(
            {name: it.column(name).to_pandas(date_as_object=True) for name in it.schema.names}
        )
        for it in given
    ]
