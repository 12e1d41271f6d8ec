"""The cell: many groups that share one clock, folded over the rows of one batch.

Most beats say nothing new, and are counted (``counting``). All other new rows are read in log
order. The controller's ticks move the clock (``gate.moved``), and every event is stamped with its
reading at that very place, so that the same log gives the same stamps however it is cut. Then
only the groups that have events, or whose deadline has passed, are unpacked and stepped; the others
stay packed. A tick without a due deadline moves the clock and unpacks no group. Groups that are
empty for long are dropped; one number is left of all of them, their highest epoch, and a group that
is unknown here begins above it. Events about brokers go to ``brokers``.

Called by ``cell_operator`` with what Spark remembered, and by tests without any Spark. Its one
rule: the next cell and the records depend on the cell and the rows alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from rebalance.groups import ailments
from rebalance.groups.ailments import Endured
from rebalance.groups.handover import omissions
from rebalance.groups.model.decisions import EventRefused
from rebalance.groups.model.events import FOUND, Moment
from rebalance.groups.model.state import GroupState
from rebalance.groups.step import step
from rebalance.ids import Epoch, Millis, Position
from rebalance.stamp import Stamp
from sinks import BadRecord, Record, dead_letter_records, record_of
from streaming.cell import containment, gate, pulses
from streaming.cell.brokers import Juries
from streaming.cell.codec import Cell
from streaming.cell.counting import count
from streaming.cell.enrolment import enrolled
from streaming.cell.hearing import CellRules, Heard, hear
from streaming.cell.packed import Packed, Packs
from streaming.cell.pulses import PulseTable
from streaming.wire.beats import Beats
from streaming.wire.decoding import dead_letter_of
from streaming.wire.rows import Row, in_log_order
from trimtab.protocol import UndecodableRecord


class Stepped(NamedTuple):
    """The outcome of one group's step."""

    packed: Packed | None
    records: list[Record]
    letters: list[BadRecord]
    epoch: Epoch = Epoch(0)
    """All that is left of it, where nothing of it is packed."""
    withholds: bool = False
    """Not all that was published was found (``rebalance.groups.handover.omissions``)."""
    state: GroupState | None = None
    """If the step has not failed."""


class Folded(NamedTuple):
    """The outcome of a batch."""

    cell: Cell
    records: list[Record]
    rows: Sequence[Row] = ()
    """What was decided about: some of it may have waited, some of what was read may wait now."""


def fold(cell: Cell, rows: Iterable[Row], rules: CellRules, beats: Beats | None = None) -> Folded:
    """Fold one batch, which has at least one row or beat."""
    there = pulses.read(cell.pulses)
    way = gate.read(cell.gate)
    counted = count(cell.clock, way, there, list(rows), beats, rules)
    ordered = in_log_order(counted.rows)
    let = gate.passed(way, ordered, rules.decoder, rules.opening)
    if way.shut:
        short = [counted.fingerprints[it] for it in let.dropped if it in counted.fingerprints]
        rules.short_beats.learn(short, rules.decoder.place)
        counted = counted._replace(fingerprints={})
    cell = replace(cell, gate=gate.write(let.gate))
    if not let.rows:  # all that can be read waits
        return Folded(cell, _letter_records(let.letters, rules))
    clock = cell.clock
    if let.opened:
        clock = clock.restarted()
        rules.short_beats.forget(rules.decoder.place)
    heard = hear(clock, let.rows, rules, let.gate.start, counted.silent)
    heard = replace(heard, begins=let.opened, fingerprints=counted.fingerprints)
    cell, letters = replace(cell, clock=heard.clock), [*let.letters, *heard.letters]
    register = PulseTable(counted.pulses)
    records: list[Record] = []
    is_due = cell.is_due() or let.opened or register.due(cell.clock.now)
    if not let.gate.shut and (heard.events or is_due):  # what waits may be a beat of who is late
        cell, records, returned = _decide(cell, heard, rules, register)
        letters = letters + returned
    if register.pulses is not there or register.is_changed:
        cell = replace(cell, pulses=pulses.write(register.closed()))
    if heard.of_brokers or cell.is_jury_due() or let.opened:
        shut = way.shut or let.gate.shut or let.opened
        juries = Juries(rules.verdicts, rules.outlet, heard.now, shut, let.opened)
        cell, verdicts, refused = juries.deliberate(cell, heard.of_brokers, heard.ticks)
        records += verdicts
        letters = letters + [_returned(it.stamp, it.detail, heard.originals) for it in refused]
    return Folded(cell, records + _letter_records(letters, rules), let.rows)


def _letter_records(letters: Iterable[BadRecord], rules: CellRules) -> list[Record]:
    return [it for letter in letters for it in dead_letter_records(letter, rules.outlet)]


def _decide(
    cell: Cell, heard: Heard, rules: CellRules, register: PulseTable
) -> tuple[Cell, list[Record], list[BadRecord]]:
    """Step every group that heard something or waited for this time."""
    groups = cell.groups.by_name()
    awake = {*heard.events, *register.due(cell.clock.now)} | {
        group for group, packed in groups.items() if heard.begins or packed.is_due(cell.clock.now)
    }
    records: list[Record] = []
    letters: list[BadRecord] = []
    floor = cell.floor  # what this batch adds to it concerns no group of this batch
    for group in sorted(awake):
        was = groups.get(group)
        before = GroupState.unknown(group, floor) if was is None else rules.cache.unpack(was)
        before, taken = register.take(before)
        after = _step(before, was, heard, rules)
        if after.packed is not None and after.state is not None:
            is_same = was is not None and was.rest == after.packed.rest
            staying = enrolled(after.state, taken, heard, rules, is_same=is_same)
            if staying.known:
                register.enter(after.state, staying)
                after = after._replace(packed=after.packed._replace(deadline=staying.until))
        records += after.records
        letters += after.letters
        if after.packed is not None:
            groups[group] = after.packed
        else:
            groups.pop(group, None)
            cell = replace(cell, floor=max(cell.floor, after.epoch))
    return replace(cell, groups=Packs.of(groups)), records, letters


def _step(before: GroupState, was: Packed | None, heard: Heard, rules: CellRules) -> Stepped:
    """Step one group; if that fails, no other is affected and nothing is lost (``containment``)."""
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
    before: GroupState, was: Packed, moments: Sequence[Moment], heard: Heard, rules: CellRules
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
    before: GroupState, said: Sequence[Moment], heard: Heard, rules: CellRules, *, is_new: bool
) -> Stepped:
    """Wait for the rest of an adoption; say so if that is new."""
    told = ailments.told(before.name, containment.reason_to_wait(said), heard.now)
    left = Endured(ailments.heard(before, said), (told,) if is_new else ())
    return _kept(left, said, heard, rules, waits=True)


def _kept(
    left: Endured, said: Sequence[Moment], heard: Heard, rules: CellRules, *, waits: bool = False
) -> Stepped:
    """Return a group as it was before it was stepped, with what was said to it."""
    deadline = containment.waits_until(said) if waits else None
    rooms = containment.ROOMS if waits else 1
    kept, excess = containment.kept_of(said, heard.originals, rooms)
    packed = rules.cache.pack(left.state, left.state, None)
    packed = packed._replace(deadline=deadline, kept=containment.write(kept))
    ailment = left.state.ailment
    reason = "too many records wait for the adoption" if ailment is None else ailment.reason
    letters = containment.returned(excess, (), reason)
    return Stepped(packed, containment.written(left.decisions, rules.outlet), letters)


def _stepped(
    before: GroupState,
    was: Packed | None,
    moments: Sequence[Moment],
    heard: Heard,
    rules: CellRules,
) -> Stepped:
    """Step one group. One that is left with nothing to remember is not packed."""
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
    withholds = omissions.withholds(after.state)
    return Stepped(packed, records, letters, after.state.epoch, withholds, after.state)


def _returned(stamp: Stamp, detail: str, originals: Mapping[Position, Row]) -> BadRecord:
    """Send back the record that a well-formed but unacceptable event was made of."""
    return dead_letter_of(originals[stamp.position], UndecodableRecord("refused", detail))
