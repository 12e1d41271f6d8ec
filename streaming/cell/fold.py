"""The cell: many groups that share one clock, folded over the rows of one batch.

New rows are read in log order. Rows of the heartbeat partition move the clock, and every event is
stamped with its reading at that very place, so that the same log gives the same stamps however it
is cut into batches. Then only the groups that have events, or whose deadline has passed, are
unpacked and stepped; the others stay packed. A tick without a due deadline moves the clock and
unpacks no group. Of groups that were dropped after they were empty for long, one number is left for
all of them, their highest epoch: no group that is unknown here begins below it. Events about
brokers go to ``brokers``.

Called by ``cell_operator`` with what Spark remembered, and by tests without any Spark. Its one
rule: the next cell and the records depend on the cell and the rows alone.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import merge
from operator import itemgetter
from typing import NamedTuple

from allocators import allocator
from rebalance.allocation import Allocator
from rebalance.brokers.events import ClusterName
from rebalance.brokers.policy import VerdictPolicy
from rebalance.clock import LogClock
from rebalance.groups import ailments
from rebalance.groups.ailments import Endured
from rebalance.groups.model.decisions import EventRefused
from rebalance.groups.model.events import FOUND, Event, Found, Moment
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import GroupState
from rebalance.groups.step import step
from rebalance.ids import Epoch, GroupName, Millis, Position
from rebalance.stamp import Stamp, Ticked
from sinks import Outlet, Record, dead_letter_record, record_of
from streaming.cell import containment
from streaming.cell.brokers import Juries, Said
from streaming.cell.cache import Cache
from streaming.cell.codec import Cell, PackedGroup, packed_groups, with_groups
from streaming.cell.skew import Skew
from streaming.topics import inlets
from streaming.wire.decoding import Decoder, OfCluster, OfGroup, dead_letter_of
from streaming.wire.rocketmq import CellPlace
from streaming.wire.rows import Row, in_log_order
from trimtab.protocol import DeadLetter, UndecodableRecord


@dataclass(frozen=True, slots=True)
class Rules:
    """What a cell needs besides its state and its rows; the same for all cells of a worker."""

    decoder: Decoder
    policy: Policy
    allocator: Allocator
    outlet: Outlet
    verdicts: VerdictPolicy
    cache: Cache = field(default_factory=Cache)

    @classmethod
    def of(cls, prefix: str, partitions: int, policy: Policy, verdicts: VerdictPolicy) -> "Rules":
        """Return the rules of a controller, of one that runs and of one that is replayed."""
        strategy = allocator(policy.strategy, json.loads(policy.strategy_options))
        decoder, outlet = Decoder(inlets(prefix), partitions), Outlet(prefix, partitions)
        return cls(decoder, policy, strategy, outlet, verdicts)

    def at(self, place: CellPlace) -> "Rules":
        """Return the rules of one cell, which finds its own groups in RocketMQ's heartbeats."""
        return replace(self, decoder=replace(self.decoder, place=place))


class Stepped(NamedTuple):
    """The outcome of one group's step."""

    packed: PackedGroup | None
    records: list[Record]
    letters: list[DeadLetter]
    epoch: Epoch = Epoch(0)
    """All that is left of it, where it has no packed."""
    withholds: bool = False
    """Not all that was published was found (``rebalance.groups.handover.omissions``)."""


class Folded(NamedTuple):
    """The outcome of a batch."""

    cell: Cell
    records: list[Record]


@dataclass(frozen=True)
class Heard:
    """What the rows of a batch said."""

    clock: LogClock
    now: Stamp
    """The stamp of the last row: up to here the log has been read."""
    events: dict[GroupName, list[tuple[int, Event | Found]]]
    """With their places among the rows."""
    of_brokers: dict[ClusterName, list[Said]]
    ticks: list[tuple[int, Ticked]]
    """They concern everybody."""
    letters: list[DeadLetter]
    rows: Sequence[Row]
    """What all of that was made of."""

    @cached_property
    def originals(self) -> Mapping[Position, Row]:
        """Return the rows by their places."""
        return {row.position: row for row in self.rows}

    def moments(self, group: GroupName) -> list[Moment]:
        """Return what a group is told of: what was said of it, and each tick at its place.

        Without the ticks silence would be judged only when a record comes, or where a batch ends.
        """
        said = merge(self.events.get(group, ()), self.ticks, key=itemgetter(0))
        return [moment for _, moment in said]


def fold(cell: Cell, rows: Iterable[Row], rules: Rules) -> Folded:
    """Fold one batch, which has at least one row."""
    ordered = in_log_order(rows)
    heard = hear(cell.clock, ordered, rules)
    cell, letters = replace(cell, clock=heard.clock), heard.letters
    records: list[Record] = []
    if heard.events or cell.due():
        cell, records, returned = _decide(cell, heard, rules)
        letters = letters + returned
    if heard.of_brokers or cell.jury_due():
        juries = Juries(rules.verdicts, rules.outlet, heard.now)
        cell, verdicts, refused = juries.deliberate(cell, heard.of_brokers, heard.ticks)
        records += verdicts
        letters = letters + [_returned(it.stamp, it.detail, heard.originals) for it in refused]
    return Folded(cell, records + [dead_letter_record(letter, rules.outlet) for letter in letters])


def hear(clock: LogClock, ordered: Sequence[Row], rules: Rules) -> Heard:
    """Read rows, each at the time that the clock shows at its place in the log."""
    decoder, max_step = rules.decoder, rules.policy.max_clock_step_ms
    events: dict[GroupName, list[tuple[int, Event | Found]]] = {}
    of_brokers: dict[ClusterName, list[Said]] = {}
    ticks: list[tuple[int, Ticked]] = []
    letters = []
    stamp = None
    skew = Skew(clock, ordered, decoder.heartbeats, max_step)
    for place, row in enumerate(ordered):
        appended = Millis(row.appended_ms)
        if row.topic == decoder.heartbeats:
            clock = clock.advanced(appended, max_step)
        read = skew.heard(row, clock.read(appended, max_step))
        stamp = Stamp(clock.now, read, appended, row.position)
        if decoder.is_tick(row):
            ticks.append((place, Ticked(stamp)))
            continue
        for found in decoder.heard(row, stamp):
            match found:
                case OfGroup(group, event):
                    events.setdefault(group, []).append((place, event))
                case OfCluster(cluster, said):
                    of_brokers.setdefault(cluster, []).append((place, said))
                case DeadLetter() as letter:
                    letters.append(letter)
    assert stamp is not None, "a batch without rows"
    clock = clock.with_behind(skew.behind)
    return Heard(clock, stamp, events, of_brokers, ticks, letters, ordered)


def _decide(cell: Cell, heard: Heard, rules: Rules) -> tuple[Cell, list[Record], list[DeadLetter]]:
    """Step every group that heard something or waited for this time."""
    groups = packed_groups(cell)
    awake = heard.events.keys() | {
        group
        for group, packed in groups.items()
        if packed.deadline is not None and cell.clock.now >= packed.deadline
    }
    records: list[Record] = []
    letters: list[DeadLetter] = []
    floor = cell.floor  # what this batch adds to it concerns no group of this batch
    for group in sorted(awake):
        was = groups.get(group)
        before = GroupState.unknown(group, floor) if was is None else rules.cache.unpack(was)
        after = _step(before, was, heard, rules)
        records += after.records
        letters += after.letters
        if after.packed is not None:
            groups[group] = after.packed
        else:
            groups.pop(group, None)
            cell = replace(cell, floor=max(cell.floor, after.epoch))
    return with_groups(cell, groups), records, letters


def _step(before: GroupState, was: PackedGroup | None, heard: Heard, rules: Rules) -> Stepped:
    """Step one group; if that fails nobody else notices, and nothing is lost (``containment``)."""
    moments = heard.moments(before.name)
    if was is not None and was.kept:
        return _step_again(before, was, moments, heard, rules)
    if containment.is_to_wait(moments, heard.now):
        return _waiting(before, moments, heard, rules, is_new=True)
    try:
        return _stepped(before, was, moments, heard, rules)
    except MemoryError:
        raise  # that is the process's, and the batch is repeated
    except Exception as error:  # noqa: BLE001 - whatever it is, it concerns this group alone
        reason = ailments.reason_of(error)
    left = ailments.endured(before, moments, heard.now, rules.policy, reason)
    return _kept(left, moments, heard, rules)


def _step_again(
    before: GroupState, was: PackedGroup, moments: Sequence[Moment], heard: Heard, rules: Rules
) -> Stepped:
    """Step a group that has failed, if it changes: with all that was said since, or else without.

    Its deadline may have passed; one of its own it has only while it waits for an adoption.
    """
    kept, waited = containment.read(was.kept), was.deadline is not None
    past = [*containment.again(kept, before.name, rules.decoder)]
    said = [*past, *moments]
    heard = replace(heard, rows=[*heard.rows, *(one.row for one in kept)])
    if containment.is_to_wait(said, heard.now):
        return _waiting(before, said, heard, rules, is_new=not waited)
    awake, reason = replace(before, deadline=Millis(0)), ""
    changed = waited or any(map(containment.is_change, moments))
    without = [*(it for it in past if isinstance(it, FOUND)), *moments]
    for attempt in (said, without) if changed else ():
        try:
            after = _stepped(awake, was, attempt, heard, rules)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            reason = reason or ailments.reason_of(error)
            continue
        over = waited and before.ailment is None and not after.withholds
        told = [ailments.told(before.name, "", heard.now)] if over else []
        records = containment.written(told, rules.outlet) + after.records
        letters = containment.returned(kept, past, reason) if reason else []
        return after._replace(records=records, letters=after.letters + letters)
    left = Endured(ailments.heard(before, moments), ())
    if changed:
        left = ailments.endured(before, said, heard.now, rules.policy, reason)
    return _kept(left, said, heard, rules)


def _waiting(
    before: GroupState, said: Sequence[Moment], heard: Heard, rules: Rules, *, is_new: bool
) -> Stepped:
    """Wait for the rest of an adoption; say so if that is new."""
    told = ailments.told(before.name, containment.reason_to_wait(said), heard.now)
    left = Endured(ailments.heard(before, said), (told,) if is_new else ())
    return _kept(left, said, heard, rules, waits=True)


def _kept(
    left: Endured, said: Sequence[Moment], heard: Heard, rules: Rules, *, waits: bool = False
) -> Stepped:
    """Return a group as it was before it was stepped, with what was said to it."""
    hour = containment.waits_until(said) if waits else None
    rooms = containment.ROOMS if waits else 1
    kept, excess = containment.kept_of(said, heard.originals, rooms)
    packed = rules.cache.pack(left.state, left.state, None)
    packed = packed._replace(deadline=hour, kept=containment.write(kept))
    ailment = left.state.ailment
    reason = "too many records wait for the adoption" if ailment is None else ailment.reason
    letters = containment.returned(excess, (), reason)
    return Stepped(packed, containment.written(left.decisions, rules.outlet), letters)


def _stepped(
    before: GroupState,
    was: PackedGroup | None,
    moments: Sequence[Moment],
    heard: Heard,
    rules: Rules,
) -> Stepped:
    """Step one group. One that is left with nothing to remember gets no packed."""
    strategy = containment.strategy_of(before, rules.allocator)
    after = step(before, moments, heard.now, rules.policy, strategy)
    packed = None
    if not after.state.is_unknown:
        packed = rules.cache.pack(after.state, before, was)._replace(kept=b"")
    refused = [it for it in after.decisions if isinstance(it, EventRefused)]
    records = [
        record_of(decision, rules.outlet)
        for decision in after.decisions
        if not isinstance(decision, EventRefused)
    ]
    letters = [_returned(it.stamp, it.detail, heard.originals) for it in refused]
    ailment = after.state.ailment
    withholds = ailment is not None and ailment.until is not None
    return Stepped(packed, records, letters, after.state.epoch, withholds)


def _returned(stamp: Stamp, detail: str, originals: Mapping[Position, Row]) -> DeadLetter:
    """Send back the record that a well-formed but unacceptable event was made of."""
    return dead_letter_of(originals[stamp.position], UndecodableRecord("refused", detail))
