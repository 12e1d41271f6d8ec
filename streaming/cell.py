"""The cell: many groups that share one clock, folded over the rows of one batch.

A ward with one clock on the wall. New rows are read in log order; those of the heartbeat
partition move the clock, and every event is stamped with its reading at that very place, so that
the same log gives the same stamps however it is cut into batches. Then only the groups that heard
something, or whose deadline has passed, are unpacked and stepped; the others sleep on, packed. A
tick that is due for nobody moves the clock and wakes no group. What is said of brokers goes next
door, to the ``juries``.

Called by ``cell_operator`` with what Spark remembered, and by tests without any Spark. Its one
rule: the next cell and the records depend on the cell and the rows alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from heapq import merge
from operator import itemgetter
from typing import NamedTuple

from allocators import allocator
from rebalance.allocation import Allocator
from rebalance.clock import LogClock
from rebalance.decisions import Decision, EventRefused
from rebalance.events import Event, Found, Moment, Stamp, Ticked
from rebalance.group import GroupState
from rebalance.ids import GroupName, Millis
from rebalance.policy import Policy
from rebalance.step import step
from rebalance.verdicts.decisions import BrokerDecision, ReportRefused
from rebalance.verdicts.events import ClusterName
from rebalance.verdicts.policy import VerdictPolicy
from sinks import Outlet, Record, buried, record_of
from sinks.brokers import verdict_records
from streaming.circulars import Office
from streaming.codec import Cell, Drawer, open_drawers, shut
from streaming.decoding import Addressed, Decoder, Testified, bury
from streaming.juries import Said, deliberate
from streaming.recollection import Recollection
from streaming.rows import Row, in_log_order
from trimtab.protocol import DeadLetter, UndecodableRecord


@dataclass(frozen=True, slots=True)
class Rules:
    """What a cell needs besides its state and its rows; the same for all cells of a worker."""

    decoder: Decoder
    policy: Policy
    allocator: Allocator
    outlet: Outlet
    verdicts: VerdictPolicy = field(default_factory=VerdictPolicy)
    recollection: Recollection = field(default_factory=Recollection)

    def at(self, office: Office) -> "Rules":
        """Return the rules of one cell, which finds its own groups in circulars."""
        return replace(self, decoder=replace(self.decoder, office=office))


class Folded(NamedTuple):
    """The outcome of a batch."""

    cell: Cell
    records: list[Record]


class Heard(NamedTuple):
    """What the rows of a batch said."""

    clock: LogClock
    now: Stamp
    """The stamp of the last row: up to here the log has been read."""
    events: dict[GroupName, list[tuple[int, Event | Found]]]
    """With their places among the rows."""
    testimony: dict[ClusterName, list[Said]]
    ticks: list[tuple[int, Ticked]]
    """They concern everybody."""
    letters: list[DeadLetter]

    def moments(self, group: GroupName) -> list[Moment]:
        """Return what a group is told of: what was said of it, and each tick at its place.

        Without the ticks silence would be judged only when somebody speaks, or where a batch ends.
        """
        said = merge(self.events.get(group, ()), self.ticks, key=itemgetter(0))
        return [moment for _, moment in said]


def fold(cell: Cell, rows: Iterable[Row], rules: Rules) -> Folded:
    """Fold one batch, which has at least one row."""
    ordered = in_log_order(rows)
    heard = hear(cell.clock, ordered, rules)
    cell = replace(cell, clock=heard.clock)
    decisions: list[Decision] = []
    if heard.events or cell.due():
        cell, decisions = _decide(cell, heard, rules)
    verdicts: list[BrokerDecision] = []
    if heard.testimony or cell.jury_due():
        cell, verdicts = deliberate(cell, heard.testimony, heard.ticks, rules.verdicts)
    refused = [it for it in (*decisions, *verdicts) if isinstance(it, EventRefused | ReportRefused)]
    letters = heard.letters + _returned(refused, ordered)
    records = [
        record_of(decision, rules.outlet)
        for decision in decisions
        if not isinstance(decision, EventRefused)
    ]
    for verdict in verdicts:
        if not isinstance(verdict, ReportRefused):
            records += verdict_records(verdict, rules.outlet)
    return Folded(cell, records + [buried(letter, rules.outlet) for letter in letters])


def hear(clock: LogClock, ordered: Sequence[Row], rules: Rules) -> Heard:
    """Read rows, each at the time that the clock shows at its place in the log."""
    decoder, max_step = rules.decoder, rules.policy.max_clock_step_ms
    events: dict[GroupName, list[tuple[int, Event | Found]]] = {}
    testimony: dict[ClusterName, list[Said]] = {}
    ticks: list[tuple[int, Ticked]] = []
    letters = []
    stamp = None
    for place, row in enumerate(ordered):
        appended = Millis(row.appended_ms)
        if row.topic == decoder.heartbeats:
            clock = clock.advanced(appended, max_step)
        stamp = Stamp(clock.now, clock.read(appended, max_step), appended, row.position)
        if decoder.is_tick(row):
            ticks.append((place, Ticked(stamp)))
            continue
        for found in decoder.heard(row, stamp):
            match found:
                case Addressed(group, event):
                    events.setdefault(group, []).append((place, event))
                case Testified(cluster, said):
                    testimony.setdefault(cluster, []).append((place, said))
                case DeadLetter() as letter:
                    letters.append(letter)
    assert stamp is not None, "a batch without rows"
    return Heard(clock, stamp, events, testimony, ticks, letters)


def _decide(cell: Cell, heard: Heard, rules: Rules) -> tuple[Cell, list[Decision]]:
    """Step every group that heard something or waited for this hour."""
    drawers = open_drawers(cell)
    awake = heard.events.keys() | {
        group
        for group, drawer in drawers.items()
        if drawer.deadline is not None and cell.clock.now >= drawer.deadline
    }
    decisions: list[Decision] = []
    for group in sorted(awake):
        was = drawers.get(group)
        drawer, decided = _step(group, was, heard, rules)
        decisions += decided
        if drawer is not None:
            drawers[group] = drawer
        elif was is not None:
            del drawers[group]
    return shut(cell, drawers), decisions


def _step(
    group: GroupName, was: Drawer | None, heard: Heard, rules: Rules
) -> tuple[Drawer | None, tuple[Decision, ...]]:
    """Step one group. One that is left with nothing to remember gets no drawer."""
    nothing = GroupState(group)
    before = nothing if was is None else rules.recollection.unpack(was)
    strategy = rules.allocator if before.strategy is None else _named(before.strategy)
    after = step(before, heard.moments(group), heard.now, rules.policy, strategy)
    drawer = None
    if after.state != nothing:
        drawer = rules.recollection.pack(after.state, before, was)
    return drawer, after.decisions


_named = lru_cache(maxsize=64)(allocator)
"""The strategy that an operator chose for a group (``ordering`` has checked the name)."""


def _returned(
    refused: Sequence[EventRefused | ReportRefused], ordered: Sequence[Row]
) -> list[DeadLetter]:
    """Send back the records that well-formed but unacceptable events were made of."""
    if not refused:
        return []
    originals = {row.position: row for row in ordered}
    return [
        bury(originals[refusal.stamp.position], UndecodableRecord("refused", refusal.detail))
        for refusal in refused
    ]
