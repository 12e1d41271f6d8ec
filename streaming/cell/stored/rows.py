"""The stored forms of records that wait in a cell: at its gate, or since a step has failed.

Those of the gate are all that a controller finds when it starts, so they are plain tuples. Used by
``gate`` and ``containment``, whose values they are made of.
"""

from rebalance.ids import Millis
from streaming.cell.stored.form import Form
from streaming.wire.rows import Row

RowForm = tuple[str, int, int, int, bytes | None, bytes | None, int]
"""Topic, partition, offset, append time, key, value as far as it was read, its length."""


class KeptForm(Form):
    """A record that is said again, and when it was heard."""

    row: RowForm
    clock: Millis
    heard: Millis


class GateForm(Form):
    """What a cell knows of the controller that runs it."""

    start: str
    shut: bool
    told: bool
    ticks: int
    waiting: list[RowForm]
    beats: dict[str, RowForm]


def row_form(row: Row) -> RowForm:
    """Return what is stored of a record."""
    at = row.topic, row.partition, row.offset
    return *at, row.appended_ms, row.key, row.value, row.size


def row_of(form: RowForm) -> Row:
    """Return the record that was stored."""
    topic, partition, offset, appended_ms, key, value, size = form
    return Row(
        topic=topic,
        partition=partition,
        offset=offset,
        appended_ms=appended_ms,
        key=key,
        value=value,
        size=size,
    )
