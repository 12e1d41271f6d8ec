"""Rarities: logs that once ended differently in other cuts, or were forgotten wrongly.

A search finds their like once in some thousands, so they are kept: the laws try them each time.
"""

from typing import Final

from rebalance.groups.model.events import Mode
from tests.builders.records import Record, beat_of, drained, joined, left, released, routed, wild
from tests.laws.logs import PRELUDE, Entry

EACH: Final = set(range(1, 20))
"""Every record is a batch of its own."""
ONE: Final = {19}
"""All are one batch."""


def _later(gap: int) -> Entry:
    return gap, released("a", "orders-0@0")  # nobody was granted that


def _flapping(gap: int, session_ms: int = 1_000) -> Entry:
    return gap, joined("c", sequence=0, session_ms=session_ms)


ASKED_BACK_OR_NOT: Final[list[Entry]] = [
    *PRELUDE,
    (0, left("b", temporary=True)),
    (0, joined("a", "payments", sequence=0)),
    (0, joined("a", "orders", sequence=0)),
    (0, drained("a", sequence=1)),
]
"""Its wish changes twice while b is away: unnoticed in one batch, in two it is told to give."""

HEARD_AGAIN: Final[list[Entry]] = [
    *PRELUDE,
    _flapping(60_000),
    _later(2_000),
    (0, beat_of("c", sequence=1)),
    (0, beat_of("a", sequence=1)),
    (2_000, beat_of("c", sequence=2)),
]
"""Who is held and speaks lives for a session from then on, and no longer."""

HEARD_AND_AWAY: Final[list[Entry]] = [
    *PRELUDE,
    (2_000, routed("orders", 0, version=4)),
    (2_000, joined("c", "orders payments", sequence=4, session_ms=1_000)),
    (2_000, left("c", temporary=True)),
    (500, routed("payments", 1, version=4)),
    (500, drained("b", sequence=4)),
]
"""The same, of one that goes for a while."""

BACK_IN_ONE_LIFE: Final[list[Entry]] = [
    *PRELUDE,
    (0, left("a")),
    (0, joined("a", "payments", sequence=5)),
    (0, joined("b", "payments", sequence=4)),
]
"""It left, and the same life has joined again: its departure is over, its queues are not."""

SILENT_AND_SUCCEEDED: Final[list[Entry]] = [
    *PRELUDE,
    *[(2_000, joined("a", "orders", sequence=0))] * 2,
    (2_000, joined("c", "orders", sequence=0)),
    (2_000, released("a", "")),
    (2_000, joined("a", "orders", sequence=0)),
]
"""It is handed a queue and is silent; what was written for it is in the log, and nobody's news."""

A_REST_THAT_ENDS: Final[list[Entry]] = [
    *PRELUDE,
    _later(60_000),
    *[_flapping(60_000)] * 4,
    *[_later(60_000)] * 8,
    _flapping(60_000, session_ms=20_000),
    _later(60_000),
]
"""Who is let in to rest works when the rest is over, were it within the same batch."""

GONE_FOR_A_WHILE: Final[list[tuple[int, Record]]] = [
    *((0, joined(f"m{number}", sequence=0)) for number in range(1, 9)),
    (0, routed("orders", 8)),
    _later(5_000),
    _later(5_000),
    (0, beat_of("m1", sequence=1)),
    (0, beat_of("m2", sequence=1)),
    (0, left("m3", temporary=True)),
    (0, beat_of("m4", sequence=1)),
]
"""Who goes for a while is heard as well: with it, enough are to shorten the others' holds."""

EPOCHS_ALIKE: Final[list[Entry]] = [
    *PRELUDE,
    (0, joined("a:2", "payments", sequence=4)),
    (0, joined("c", sequence=4)),
    (0, joined("b", sequence=4, mode=Mode.BROADCASTING)),
    (0, joined("c", sequence=5, mode=Mode.BROADCASTING)),
]
"""It shares with all what it was promised alone before, and the epoch of both is that of its join.
"""

TAKEN_AND_MADE_ANEW: Final[list[Entry]] = [
    *PRELUDE,
    (0, joined("a", "orders", sequence=0)),
    (0, joined("a", "orders", sequence=0, patterns=wild("pay*"))),
    (0, routed("payments", 2, version=2, exists=False)),
]
"""It is told to give, asks for the topic again, and the topic goes: it is told anew."""
