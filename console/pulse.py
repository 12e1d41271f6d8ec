"""The pulse: whether the controller ticks, in each partition, by what the log shows alone.

A clock here may be wrong. So ticks that look old, or come from the future, only raise a doubt.
Whoever doubts looks again after a moment: a tick that was appended meanwhile needs no clock.

Called by `trimtab doctor` and `trimtab top`. Its one rule: no clock but the log's accuses anybody.
"""

import time
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from console.cluster import bootstrap_servers
from console.published import Published
from console.views.ticks import SILENT_MS
from console.whole_topics import ends
from trimtab.protocol import HEARTBEATS, Tick

_MINUTE_MS: Final = 60 * 1000
_RECENT_MS: Final = 5 * 1000
"""Of a controller that works a tick is that young in each partition. Beats stand between ticks, and
those of a minute may be millions: they are read only where that is not so."""
_LOOK_S: Final = 3.0
"""Three ticks' time."""
_AHEAD_MS: Final = 1_000
"""So much do clocks differ that are kept in step."""


class Pulse(NamedTuple):
    """What of a controller's ticks was found."""

    ticks: Mapping[int, tuple[int, Tick]]
    """The last one of each partition in which there was any, and when it was appended."""
    silent: Collection[int]
    """The partitions that get none."""
    partitions: int
    """How many there are."""


def felt(published: Published, now_ms: int) -> Pulse:
    """Look for ticks; where none may come, once more a moment later.

    Raises:
        Failure: Kafka does not answer, or not to us.
    """
    partitions, at = _ends(published)
    ticks = _newest(published, at, now_ms)
    doubted = _doubted(ticks, partitions, now_ms)
    if not doubted:
        return Pulse(ticks, (), len(partitions))
    interval = published.settings.controller.tick_interval
    time.sleep(max(_LOOK_S, 2 * interval.total_seconds()))
    newer = published.ticks(at)
    return Pulse({**ticks, **newer}, sorted(doubted - newer.keys()), len(partitions))


class Glimpses:
    """Looks, for those who look all the time: each look reads only what is new since the last.

    Args:
        published: Where ticks are.
    """

    def __init__(self, published: Published) -> None:
        self._published = published
        self._at: Mapping[int, int] = {}
        """Where each partition ended when it was looked at."""
        self._ticks: dict[int, tuple[int, Tick]] = {}

    def glimpse(self, now_ms: int) -> Pulse:
        """Look once.

        Raises:
            Failure: As ``felt``.
        """
        partitions, at = _ends(self._published)
        grown = self._at.keys() == at.keys() and all(at[it] >= end for it, end in self._at.items())
        if grown:
            self._ticks |= self._published.ticks(self._at)
        else:  # it is the first look, a leader came or went, or the topic was made anew
            self._ticks = _newest(self._published, at, now_ms)
        self._at = at
        behind = sorted(_behind(self._ticks, partitions))
        return Pulse(dict(self._ticks), behind, len(partitions))


def _ends(published: Published) -> tuple[Collection[int], dict[int, int]]:
    """Return which partitions there are, and where those end that have a leader."""
    topic = f"{published.settings.topics.prefix}{HEARTBEATS.name}"
    found = ends(published.settings, bootstrap_servers(published.settings), topic)
    return found.keys(), {it: end for it, end in found.items() if end is not None}


def _newest(
    published: Published, partitions: Collection[int], now_ms: int
) -> dict[int, tuple[int, Tick]]:
    """Find the last tick of each partition, if it is of the last minute."""
    ticks = published.ticks(now_ms - _RECENT_MS)
    return ticks if ticks.keys() >= {*partitions} else published.ticks(now_ms - _MINUTE_MS)


def _doubted(
    ticks: Mapping[int, tuple[int, Tick]], partitions: Collection[int], now_ms: int
) -> set[int]:
    newest = max((at_ms for at_ms, _ in ticks.values()), default=None)
    if newest is None or not -_AHEAD_MS <= now_ms - newest <= SILENT_MS:
        return {*partitions}
    return _behind(ticks, partitions)


def _behind(ticks: Mapping[int, tuple[int, Tick]], partitions: Collection[int]) -> set[int]:
    """Return where the last tick is older than elsewhere: all get theirs at once."""
    newest = max((at_ms for at_ms, _ in ticks.values()), default=0)
    return {it for it in partitions if it not in ticks or newest - ticks[it][0] > SILENT_MS}
