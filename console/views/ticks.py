"""Ticks: what they show to be wrong with the controller.

It writes one to each partition of `heartbeats` every second, and decides when it has read them. So
they say whether anybody decides, on which partitions, and how late. Called by `trimtab doctor`.
"""

from collections.abc import Collection, Iterator, Mapping

from console.views.findings import Finding, Kind
from console.views.moments import ago
from console.views.sentences import several
from trimtab.protocol import Tick

SILENT_MS = 10_000
"""Ticks come once a second; the driver drops those that it could not send for five."""
BEHIND = 30
"""Ticks that are written and not decided on: half a minute, ten batches of a busy machine."""


def of_ticks(
    ticks: Mapping[int, tuple[int, Tick]], silent: Collection[int], now_ms: int
) -> Iterator[Finding]:
    """Say that nobody decides, or that decisions are late; by the last tick of each partition.

    Partitions are ``silent`` by the log, and never by the clock here, which says only how long.
    """
    remedy = (
        "look at the controller's log; `trimtab health` where it runs; start it with `trimtab run`"
    )
    newest = max((at_ms for at_ms, _ in ticks.values()), default=None)
    if newest is None:
        finding = "no tick in the last minute: nobody decides"
        yield Finding(Kind.SILENT_CONTROLLER, "controller", finding, remedy)
        return
    if ticks.keys() <= {*silent}:
        finding = f"its last tick is {ago(now_ms - newest)} old, and no other came meanwhile"
        yield Finding(Kind.SILENT_CONTROLLER, "controller", finding, remedy)
    elif silent:
        where = several(map(str, sorted(silent)))
        finding = f"no tick comes in these partitions of heartbeats, but in others: {where}"
        remedy = (
            "does each have a leader (`trimtab topics check`), and enough replicas in step? Look "
            "at the controller's log"
        )
        yield Finding(Kind.SILENT_CONTROLLER, "controller", finding, remedy)
    behind = max((it.number - (it.seen or 0) for _, it in ticks.values() if it.start), default=0)
    if behind > BEHIND:
        finding = f"{behind} ticks are written and not decided on: it is behind, or starts"
        remedy = "look at its log; it needs more CPU if this lasts"
        yield Finding(Kind.LATE_CONTROLLER, "controller", finding, remedy)
