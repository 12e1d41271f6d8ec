"""Replaying: recorded events go through the controller's own code again, batch by batch.

What Spark does around the cells is done here with a dictionary: each row goes to its cell, a tick
to every cell of its partition, a RocketMQ heartbeat to all, and ``cell.fold`` does the rest. So the
records that come out are those that the controller published, to the byte.

Called by `trimtab replay`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product

from console.recordings.lines import Cut, Line
from rebalance.ids import Epoch, GroupName
from sinks import Record
from streaming.cell.codec import Cell
from streaming.cell.fold import fold
from streaming.cell.hearing import CellRules
from streaming.options import Options
from streaming.wire.beats import split
from streaming.wire.rocketmq import CellPlace
from streaming.wire.rows import Row, in_log_order
from streaming.wire.slots import slot_of
from trimtab.protocol import partition_of


@dataclass(slots=True)
class Replay:
    """A controller without Spark."""

    rules: CellRules
    slots: int
    """How many cells share a partition; must be the setting of the controller."""
    _cells: dict[tuple[int, int], Cell] = field(default_factory=dict)

    @classmethod
    def of(cls, options: Options) -> "Replay":
        """Return the controller that these options start, before its first batch."""
        topics = options.topics
        rules = CellRules.of(topics.prefix, topics.partitions, options.policy, options.verdicts)
        return cls(rules, options.query.cells_per_partition)

    def copied(self) -> "Replay":
        """Return one that goes on from here by itself."""
        return Replay(self.rules, self.slots, dict(self._cells))

    def decide(self, rows: list[Row]) -> list[Record]:
        """Fold one batch."""
        dealt: dict[tuple[int, int], list[Row]] = {}
        for row in rows:
            for place in self._places(row):
                dealt.setdefault(place, []).append(row)
        records: list[Record] = []
        for place in sorted(dealt):
            rules = self.rules.at(CellPlace(*place, self.slots))
            others, beats = split(dealt[place], rules.decoder.heartbeats)
            folded = fold(self._cells.get(place, Cell()), others, rules, beats)
            self._cells[place] = folded.cell
            records += folded.records
        return records

    def epoch_of(self, group: str) -> int | None:
        """Return where a group stands; None: it is not known."""
        packed = self._cells.get(self._home(group), Cell()).groups.by_name().get(GroupName(group))
        return None if packed is None else self.rules.cache.unpack(packed).epoch

    def begin_above(self, epoch: int, group: str) -> None:
        """Let a group that is not known begin above an epoch: so far its cell had come."""
        place = self._home(group)
        cell = self._cells.get(place, Cell())
        if GroupName(group) not in cell.groups.by_name():
            self._cells[place] = replace(cell, floor=Epoch(max(cell.floor, epoch)))

    def _home(self, group: str) -> tuple[int, int]:
        partition = partition_of(group, self.rules.decoder.partitions)
        return partition, slot_of(group.encode(), self.slots)

    def _places(self, row: Row) -> Iterable[tuple[int, int]]:
        decoder = self.rules.decoder
        if decoder.is_of_many_groups(row):
            return product(range(decoder.partitions), range(self.slots))
        if decoder.is_tick(row) or decoder.is_told(row):
            return product((row.partition,), range(self.slots))
        return ((row.partition, slot_of(row.key, self.slots)),)


def batches(
    lines: Iterable[Line], every_ms: int | None, until_ms: int | None
) -> Iterator[tuple[int, list[Row]]]:
    """Cut lines into batches: where they say so, or, if none does, by the log's time."""
    recorded = list(lines)
    rows = [line for line in recorded if not isinstance(line, Cut)]
    if len(rows) == len(recorded):
        recorded = list(_cut(in_log_order(rows), every_ms))
    number, rows = 0, []
    for line in recorded:
        if isinstance(line, Cut):
            if rows:
                yield number, rows
            number, rows = line.number, []
        elif until_ms is None or line.appended_ms <= until_ms:
            rows.append(line)
    if rows:
        yield number, rows


def _cut(rows: Iterable[Row], every_ms: int | None) -> Iterator[Line]:
    """Put cuts between rows, after so much of the log's time; None: not at all."""
    number, begun = 0, None
    for row in rows:
        begun = row.appended_ms if begun is None else begun
        if every_ms is not None and row.appended_ms >= begun + every_ms:
            number, begun = number + 1, row.appended_ms
            yield Cut(number)
        yield row
