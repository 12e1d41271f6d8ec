"""The stored form of a cell: its clock, what waits at its gate, and all that is packed in it.

It is read and written in each batch, so what is packed stays as it is. Used by ``codec``, and by
``version_1``, which makes such a form of what it reads.
"""

from msgspec import Raw

from rebalance.clock import Left, LogClock
from rebalance.ids import Epoch, Millis
from streaming.cell.stored.form import Form


class LeftForm(Form):
    """A clock that was left for another."""

    latest: Millis
    reading: Millis
    lent: Millis


class ClockForm(Form):
    """The log clock."""

    now: Millis
    latest: Millis | None
    lent: Millis
    owed: Millis
    left: list[LeftForm]
    behind: list[tuple[str, int]]
    ticks: tuple[int, ...]


class PacksForm(Form):
    """Groups or clusters: their earliest deadline, and all of them by name, still packed."""

    earliest: Millis | None
    by_name: Raw


class CellForm(Form):
    """A cell."""

    clock: ClockForm
    groups: PacksForm
    clusters: PacksForm
    floor: Epoch
    gate: bytes
    pulses: bytes = b""


def clock_form(clock: LogClock) -> ClockForm:
    """Return what is stored of a clock."""
    return ClockForm(
        now=clock.now,
        latest=clock.latest,
        lent=clock.lent,
        owed=clock.owed,
        left=[LeftForm(it.latest, it.reading, it.lent) for it in clock.left],
        behind=[*clock.behind],
        ticks=clock.ticks,
    )


def clock(form: ClockForm) -> LogClock:
    """Return the clock that was stored."""
    return LogClock(
        now=form.now,
        latest=form.latest,
        lent=form.lent,
        owed=form.owed,
        left=tuple(Left(latest=it.latest, reading=it.reading, lent=it.lent) for it in form.left),
        behind=tuple(form.behind),
        ticks=form.ticks,
    )
