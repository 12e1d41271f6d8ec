"""What the rows of a batch say: events for groups and for clusters, each stamped with log time.

The controller's ticks move the clock (``gate.moved``), and every event is stamped with its reading
at that very place, so that the same log gives the same stamps however it is cut into batches.

Called by ``fold`` with the rows that the gate lets through.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import merge
from operator import itemgetter

from allocators import allocator
from rebalance.allocation import Allocator
from rebalance.brokers.events import ClusterName
from rebalance.brokers.policy import VerdictPolicy
from rebalance.clock import IN_FLIGHT, LogClock
from rebalance.groups.model.events import Begun, Event, Found, Moment
from rebalance.groups.model.policy import Policy
from rebalance.ids import GroupName, Millis, Position
from rebalance.stamp import Stamp, Ticked
from sinks import BadRecord, Outlet
from streaming.cell import gate
from streaming.cell.brokers import Said
from streaming.cell.cache import Cache
from streaming.cell.gate import NO_OPENING, Opening
from streaming.cell.short_beats import ShortBeats
from streaming.cell.skew import Skew
from streaming.topics import inlets
from streaming.wire.beats import Fingerprint
from streaming.wire.decoding import Decoder, OfCluster, OfGroup
from streaming.wire.rocketmq import CellPlace
from streaming.wire.rows import Row


@dataclass(frozen=True, slots=True)
class CellRules:
    """What a cell needs besides its state and its rows; the same for all cells of a worker."""

    decoder: Decoder
    policy: Policy
    allocator: Allocator
    outlet: Outlet
    verdicts: VerdictPolicy
    cache: Cache = field(default_factory=Cache)
    short_beats: ShortBeats = field(default_factory=ShortBeats)
    opening: Opening = NO_OPENING
    """The start of the controller (``gate``)."""

    @classmethod
    def of(
        cls, prefix: str, partitions: int, policy: Policy, verdicts: VerdictPolicy
    ) -> "CellRules":
        """Return the rules of a controller, of one that runs and of one that is replayed."""
        strategy = allocator(policy.strategy, json.loads(policy.strategy_options))
        decoder, outlet = Decoder(inlets(prefix), partitions), Outlet(prefix, partitions)
        return cls(decoder, policy, strategy, outlet, verdicts)

    def at(self, place: CellPlace, opening: Opening = NO_OPENING) -> "CellRules":
        """Return the rules of one cell, which finds its own groups in RocketMQ's heartbeats."""
        return replace(self, decoder=replace(self.decoder, place=place), opening=opening)


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
    """They concern all clusters."""
    letters: list[BadRecord]
    rows: Sequence[Row]
    """What all of that was made of."""
    begins: bool = False
    """A controller begins, and these are the first rows that it decides upon."""
    fingerprints: Mapping[int, Fingerprint] = field(default_factory=dict)
    """Of the beats whose fingerprints may be learned, by their offsets (``counting``)."""

    @cached_property
    def originals(self) -> Mapping[Position, Row]:
        """Return the rows by their places."""
        return {row.position: row for row in self.rows}

    def moments(self, group: GroupName) -> list[Moment]:
        """Return what a group is told of: what was said of it, and each tick at its place.

        Without the ticks silence would be judged only when a record comes, or where a batch ends.
        """
        said = merge(self.events.get(group, ()), self.ticks, key=itemgetter(0))
        moments: list[Moment] = [Begun(self.now)] if self.begins else []
        return moments + [moment for _, moment in said]


def hear(
    clock: LogClock,
    ordered: Sequence[Row],
    rules: CellRules,
    start: str = "",
    silent: int | None = None,
) -> Heard:
    """Read rows, each at the time that the clock shows at its place in the log.

    The beat at the offset ``silent`` is counted already.
    """
    decoder, max_step = rules.decoder, rules.policy.max_clock_step_ms
    events: dict[GroupName, list[tuple[int, Event | Found]]] = {}
    of_brokers: dict[ClusterName, list[Said]] = {}
    ticks: list[tuple[int, Ticked]] = []
    letters = []
    stamp = None
    steps, behind = (IN_FLIGHT, Millis(IN_FLIGHT * max_step)) if start else (2, Millis(0))
    skew = Skew(clock, ordered, decoder.heartbeats, max_step, start)
    for place, row in enumerate(ordered):
        appended = Millis(row.appended_ms)
        if row.topic == decoder.heartbeats:
            clock = gate.moved(clock, row, start, max_step)
        read = skew.heard(row, clock.read(appended, max_step, steps))
        stamp = Stamp(clock.now, read, appended, row.position, behind)
        counted = row.offset == silent and row.topic == decoder.heartbeats
        for found in () if counted else _said(row, stamp, decoder, start):
            match found:
                case Ticked():
                    ticks.append((place, found))
                case OfGroup(group, event):
                    events.setdefault(group, []).append((place, event))
                case OfCluster(cluster, said):
                    of_brokers.setdefault(cluster, []).append((place, said))
                case BadRecord() as letter:
                    letters.append(letter)
    assert stamp is not None, "a batch without rows"
    clock = clock.with_behind(skew.behind)
    return Heard(clock, stamp, events, of_brokers, ticks, letters, ordered)


def _said(
    row: Row, stamp: Stamp, decoder: Decoder, start: str
) -> Iterable[Ticked | OfGroup | OfCluster | BadRecord]:
    """Return what a row says; of the ticks, those count that move the clock."""
    if not decoder.is_tick(row):
        return decoder.heard(row, stamp)
    return [Ticked(stamp)] if gate.is_own(row, start) else gate.no_tick(row, decoder)
