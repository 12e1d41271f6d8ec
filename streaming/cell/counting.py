"""Counting: beats that say nothing new are counted in columns, many at once, and not decoded.

A beat counts so if its fingerprint is known (``pulses``): then it is a short beat of a member of a
quiet group (``rebalance.groups.quiet``). And nothing else may happen to the group in this batch: no
other record is about it, no other beat of it is unknown, and nothing can be due by the end of the
batch even if none of these beats counted. All other beats of the batch go the plain way, and so do
all of a batch in which anything is unusual about times.

While the gate is shut no beat is counted. Those of which it is known that the gate drops them are
dropped here (``short_beats``).

Called by ``fold`` with each batch. Whether a beat is counted here or decoded, the decisions are
the same (``tests/laws/test_counting.py``).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from rebalance.clock import IN_FLIGHT, LogClock
from rebalance.ids import GroupName
from streaming.cell.gate import Gate, moved
from streaming.cell.hearing import CellRules
from streaming.cell.pulses import Pulses
from streaming.wire.beats import Beats, Fingerprint, Numbers
from streaming.wire.decoding import Decoder
from streaming.wire.rocketmq import taken
from streaming.wire.rows import Row
from trimtab.protocol import UndecodableRecord

_OFTEN: Final = 16
"""A member that beats more often in a batch than that is unusual: each time costs a round."""


class Counted(NamedTuple):
    """What is left of a batch."""

    pulses: Pulses
    """With all that has been counted."""
    rows: list[Row]
    silent: int | None = None
    """The offset of a beat among them that has been counted: it only shows how late it is."""
    fingerprints: Mapping[int, Fingerprint] = {}
    """Of those beats among the rows whose fingerprints may be learned, by their offsets."""


class _Shown(NamedTuple):
    """What the clock shows: at first, and after each tick."""

    offsets: Sequence[int]
    """Of the ticks."""
    clocks: Sequence[LogClock]


def count(
    clock: LogClock,
    way: Gate,
    pulses: Pulses,
    rows: list[Row],
    beats: Beats | None,
    rules: CellRules,
) -> Counted:
    """Count what can be counted."""
    if beats is None:
        return Counted(pulses, rows)
    everything = np.ones(len(beats), bool)
    if way.shut:
        unknown = ~rules.short_beats.among(beats, rules.decoder.place)
        rows = [*rows, *beats.rows(unknown)]
        return Counted(pulses, rows, fingerprints=beats.fingerprints(unknown))
    shown = _shown(clock, way, rows, beats, rules)
    if shown is None:
        return Counted(pulses, [*rows, *beats.rows(everything)])
    if not len(pulses.first):
        return Counted(
            pulses, [*rows, *beats.rows(everything)], fingerprints=beats.fingerprints(everything)
        )
    at = np.searchsorted(pulses.first, beats.first)
    at[at == len(pulses.first)] = 0
    known = (pulses.first[at] == beats.first) & (pulses.second[at] == beats.second)
    busy = pulses.due(shown.clocks[-1].now)
    for group in _named(rows, rules.decoder) | set(beats.key[~known].tolist()):
        place = pulses.places.get(GroupName((group or b"").decode(errors="replace")))
        if place is not None:
            busy[place] = True
    busy[pulses.group[at[known]][np.bincount(at[known], minlength=1)[at[known]] > _OFTEN]] = True
    heard = _heard(beats, shown, rules)
    busy[pulses.group[at[known & (heard >= pulses.asks[at])]]] = True
    counts = known & ~busy[pulses.group[at]]
    last = np.zeros(len(beats), bool)
    last[-1] = counts[-1]
    return Counted(
        _counted(pulses, at[counts], beats.number[counts], heard[counts]),
        [*rows, *beats.rows(~counts | last)],
        int(beats.offset[-1]) if last[-1] else None,
        beats.fingerprints(~counts),
    )


def _shown(
    clock: LogClock, way: Gate, rows: list[Row], beats: Beats, rules: CellRules
) -> _Shown | None:
    """Return what the clock will show; None: something is unusual about this batch.

    Only the ticks of a start move the clock; nothing is read of a log that is behind, and the times
    of the heartbeats never go back.
    """
    decoder, max_step = rules.decoder, rules.policy.max_clock_step_ms
    if not way.start or rules.opening.start not in ("", way.start):
        return None
    if clock.latest is None or any(map(decoder.is_told, rows)):
        return None
    others = [row for row in rows if row.topic != decoder.heartbeats]
    if any(row[:2] in clock.behind for row in others):
        return None
    if any(clock.latest - row.appended_ms > max_step for row in others):
        return None
    ours = sorted(row[2:4] for row in rows if row.topic == decoder.heartbeats)
    offset, appended = (
        np.concatenate([np.array([it[column] for it in ours], np.int64), of])
        for column, of in enumerate((beats.offset, beats.appended_ms))
    )
    if (np.diff(appended[np.argsort(offset, kind="stable")]) < 0).any():
        return None
    offsets, clocks = [], [clock]
    for row in sorted(filter(decoder.is_tick, rows), key=lambda it: it.offset):
        offsets.append(row.offset)
        clocks.append(moved(clocks[-1], row, way.start, max_step))
    return _Shown(offsets, clocks)


def _named(rows: Iterable[Row], decoder: Decoder) -> set[bytes | None]:
    """Return the groups that other records are about, or perhaps are."""
    named = set[bytes | None]()
    for row in rows:
        if decoder.is_tick(row):
            continue
        if decoder.is_of_many_groups(row):
            said = taken(row, decoder.place, decoder.partitions)
            named.update(it.group.encode() for it in said if not isinstance(it, UndecodableRecord))
        else:
            named.add(row.key)
    return named


def _heard(beats: Beats, shown: _Shown, rules: CellRules) -> Numbers:
    """Return the time at which each is heard, as its stamp would say it."""
    then = np.searchsorted(np.array(shown.offsets, np.int64), beats.offset)
    furthest = IN_FLIGHT * rules.policy.max_clock_step_ms
    now, latest = (
        np.array([getattr(it, name) for it in shown.clocks]) for name in ("now", "latest")
    )
    return cast("Numbers", now[then] + np.clip(beats.appended_ms - latest[then], 0, furthest))


def _counted(pulses: Pulses, at: NDArray[np.int64], number: Numbers, heard: Numbers) -> Pulses:
    """Count beats of members that stand at these places, as ``membership.beat`` does it."""
    if not len(at):
        return pulses
    seen, highest = pulses.seen.copy(), pulses.number.copy()
    left = np.arange(len(at))
    while len(left):  # each member's first beat, then its second one
        _, firsts = np.unique(at[left], return_index=True)
        those = left[firsts]
        those = those[number[those] > highest[at[those]]]
        seen[at[those]] = np.maximum(seen[at[those]], heard[those])
        highest[at[those]] = number[those]
        left = np.delete(left, firsts)
    return replace(pulses, seen=seen, number=highest)
