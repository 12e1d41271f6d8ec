"""What waits at a shut gate, and what need not: members say the same again and again.

Of beats the last full one of each life waits, which may be all that proves a release. The others
prove that a member was there; if it still is, it will beat again. A RocketMQ client states all that
it wants every 30 s: of records that say the same of one client the last waits, in the cells of its
groups. Whatever it said before that record is undone by it, or stands in another one that waits.
Of ticks the last waits: time stands still meanwhile. Of the paces that the controller asks a group
for the last waits; they are kept as long as all commands, and may be hundreds.

Filled by ``gate``. Its one rule: what waits grows with who speaks, and not with how long.
"""

from collections.abc import Hashable, Iterable, Mapping

from rebalance.groups.model.events import BeatSeen
from rebalance.ids import Millis
from rebalance.stamp import Stamp
from sinks import BadRecord
from streaming.wire.decoding import Decoder
from streaming.wire.rows import Row
from trimtab.protocol import TICK_KEY


class Waiting:
    """All rows that wait but beats."""

    def __init__(self, rows: Iterable[Row], decoder: Decoder) -> None:
        self._decoder = decoder
        self._rows: list[Row] = []
        self._last: dict[Hashable, Row] = {}
        """By what they say, where the last row that says it stands for all of them."""
        for row in rows:
            self._keep(row, self._said(row))

    @property
    def rows(self) -> tuple[Row, ...]:
        """All of them."""
        return *self._rows, *self._last.values()

    def take(self, row: Row) -> None:
        """Keep a row, unless it is about groups of other cells alone."""
        said = self._said(row)
        if said in self._last or not self._decoder.is_of_others(row):
            self._keep(row, said)

    def _keep(self, row: Row, said: Hashable | None) -> None:
        if said is None:
            self._rows.append(row)
        else:
            self._last[said] = row

    def _said(self, row: Row) -> Hashable | None:
        """Return what is said again and again; None: this is not."""
        if self._decoder.is_tick(row):
            return TICK_KEY
        if self._decoder.is_of_many_groups(row):
            return row.partition, row.key, self._decoder.said_here(row)
        return (row.partition, row.key) if self._decoder.is_pace(row) else None


class LastBeats:
    """The last full beat of each life, as it counts them; what is no beat becomes a dead letter."""

    def __init__(self, kept: Mapping[str, Row], decoder: Decoder) -> None:
        self.kept = dict(kept)
        self.letters: list[BadRecord] = []
        self.dropped: list[int] = []
        self._decoder = decoder
        self._latest: dict[str, int] = {}
        """The sequence of each beat that is kept, so that none is decoded twice in a batch."""

    def take(self, row: Row) -> None:
        """Keep a row if it is a later one."""
        beat = self._read(row)
        if isinstance(beat, BadRecord):
            self.letters.append(beat)
        elif beat is not None and beat.owned is None:
            self.dropped.append(row.offset)
        elif beat is not None:
            life = f"{(row.key or b'').hex()}/{beat.incarnation}/{beat.member}"
            if life in self.kept and life not in self._latest:
                known = self._read(self.kept[life])
                self._latest[life] = known.sequence if isinstance(known, BeatSeen) else -1
            if beat.sequence >= self._latest.get(life, -1):
                self._latest[life], self.kept[life] = beat.sequence, row

    def _read(self, row: Row) -> BeatSeen | BadRecord | None:
        stamp = Stamp(Millis(0), Millis(0), Millis(row.appended_ms), row.position)  # not heard yet
        found = self._decoder.read(row, stamp)
        if isinstance(found, BadRecord):
            return found
        return found.event if isinstance(found.event, BeatSeen) else None
