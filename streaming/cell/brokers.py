"""The juries of a cell: one for each cluster, folded over the events about its brokers.

``fold`` has read the rows and stamped them, and hands over what concerns brokers. Ticks count for
every jury, at their places in the log, so that a sweep ends at the same record however the log is
cut into batches; but no jury is unpacked for a tick without a due deadline.

While the gate is shut (``gate``) the clock stands. So what is reported then would all be one sweep,
however many hours it took, and what had been good at last would be judged by its worst. It is not
counted, nor is what was reported before. Reporters say more in seconds.

Called by ``fold``. Its one rule: the result depends on the cell and the rows alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from operator import itemgetter
from typing import Final, NamedTuple

from rebalance.brokers.ballots import unheard
from rebalance.brokers.cluster import Cluster
from rebalance.brokers.decisions import BrokerCommandAnswered, ReportRefused
from rebalance.brokers.events import BrokerEvent, ClusterName, Reported
from rebalance.brokers.policy import VerdictPolicy
from rebalance.brokers.step import step
from rebalance.causes import Cause, CauseKind
from rebalance.groups import ailments
from rebalance.groups.model.decisions import GroupAiled
from rebalance.ids import GroupName
from rebalance.stamp import Stamp, Ticked
from sinks import Outlet, Record
from sinks.brokers import command_record, verdict_record
from sinks.history import ailed
from streaming.cell.codec import Cell
from streaming.cell.packed import Packed, Packs, pack_cluster, unpack_cluster

Said = tuple[int, BrokerEvent]
"""An event, and its place among the rows of the batch."""

MOST: Final = 1_000
"""Clusters in a cell: a company has some dozens. Each costs a sweep every ten seconds, and one that
is known by its topics' brokers stays; so whoever may report could make up so many that no batch
ends in time. What is said of one more becomes a dead letter."""


class Deliberated(NamedTuple):
    """The outcome of a batch."""

    cell: Cell
    records: list[Record]
    refused: list[ReportRefused]


@dataclass(frozen=True, slots=True)
class Juries:
    """What all juries have in common in a batch."""

    policy: VerdictPolicy
    outlet: Outlet
    now: Stamp
    shut: bool = False
    """The gate was shut before this batch, in it or after it."""
    begins: bool = False
    """It opened in this batch."""

    def deliberate(
        self, cell: Cell, said: Mapping[ClusterName, Sequence[Said]], ticks: Sequence[Said]
    ) -> Deliberated:
        """Step every jury that heard something or whose time is up."""
        clusters = cell.clusters.by_name()
        said = _without_reports(said) if self.shut else said
        awake = said.keys() | {
            name
            for name, packed in clusters.items()
            if packed.is_due(cell.clock.now) or (self.begins and not packed.kept)
        }
        records: list[Record] = []
        refused: list[ReportRefused] = []
        for name in sorted(awake):
            if name not in clusters and len(clusters) >= MOST:
                refused += _without_room(name, said[name])
                continue
            events = [event for _, event in merge(said.get(name, ()), ticks, key=itemgetter(0))]
            packed, told, returned = self._judged(name, clusters.get(name), events)
            records += told
            refused += returned
            if packed is not None:
                clusters[name] = packed
            else:
                clusters.pop(name, None)  # no record names it any more
        return Deliberated(replace(cell, clusters=Packs.of(clusters)), records, refused)

    def _judged(
        self, name: ClusterName, was: Packed | None, events: Sequence[BrokerEvent]
    ) -> tuple[Packed | None, list[Record], list[ReportRefused]]:
        """Step one jury; if that fails, no other one is affected, and its verdicts stand."""
        before = Cluster(name) if was is None else unpack_cluster(was)
        if self.shut:
            before = _unheard(before)
        try:
            after = step(before, events, self.policy)
            packed = None if after.cluster.deadline is None else pack_cluster(after.cluster)
            records: list[Record] = []
            refused = [it for it in after.decisions if isinstance(it, ReportRefused)]
            for decision in after.decisions:
                match decision:
                    case ReportRefused():
                        pass
                    case BrokerCommandAnswered():
                        records.append(command_record(decision, self.outlet))
                    case _:
                        records.append(verdict_record(decision, self.outlet))
        except MemoryError:
            raise  # that is the process's, and the batch is repeated
        except Exception as error:  # noqa: BLE001 - whatever it is, it concerns this cluster alone
            return self._endured(before, was, events, ailments.reason_of(error))
        if was is not None and was.kept:
            records.append(self._ailed(name, ""))
        return packed, records, refused

    def _endured(
        self, before: Cluster, was: Packed | None, events: Sequence[BrokerEvent], reason: str
    ) -> tuple[Packed, list[Record], list[ReportRefused]]:
        """Keep a cluster as it was until its next event; its events become dead letters.

        Reports are not: their senders say more in a moment. So what was reported in this sweep is
        forgotten, too: were it the reason, no sweep would ever end again.
        """
        kept = pack_cluster(_unheard(before)).rest
        packed = Packed(None, kept, kept=reason.encode())
        refused = [
            ReportRefused(before.name, event.stamp, reason)
            for event in events
            if not isinstance(event, Reported | Ticked)
        ]
        known = was is not None and was.kept == packed.kept
        return packed, [] if known else [self._ailed(before.name, reason)], refused

    def _ailed(self, name: ClusterName, reason: str) -> Record:
        detail = reason or "it works again"
        cause = Cause(CauseKind.AILMENT, name, self.now.position, detail)
        return ailed(GroupAiled(GroupName(name), reason, self.now.appended, cause), self.outlet)


def _without_reports(
    said: Mapping[ClusterName, Sequence[Said]],
) -> dict[ClusterName, list[Said]]:
    """Return what remains, and of which clusters."""
    rest = {
        name: [it for it in each if not isinstance(it[1], Reported)] for name, each in said.items()
    }
    return {name: each for name, each in rest.items() if each}


def _unheard(cluster: Cluster) -> Cluster:
    """Return a cluster without what its reporters have said lately."""
    return replace(cluster, reporters=unheard(cluster.reporters))


def _without_room(name: ClusterName, said: Sequence[Said]) -> list[ReportRefused]:
    return [ReportRefused(name, it.stamp, f"more than {MOST} clusters") for _, it in said]
