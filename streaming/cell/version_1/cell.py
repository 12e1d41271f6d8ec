"""A cell, as version 1 wrote it: groups and clusters by name, each packed by itself.

Read at once, all groups included, and packed as version 2 does. Used by ``codec``.
"""

from typing import Final, NamedTuple

from msgspec import Raw, Struct, msgpack
from msgspec.structs import asdict

from rebalance.brokers.events import ClusterName
from rebalance.ids import Epoch, GroupName, MemberId, Millis
from streaming.cell.packed import Packed, Packs
from streaming.cell.stored.cell import CellForm, ClockForm, LeftForm, PacksForm
from streaming.cell.stored.rows import GateForm, RowForm
from streaming.cell.version_1.cluster import Cluster
from streaming.cell.version_1.group import Group
from streaming.cell.version_1.members import Pulse, beats

VERSION: Final = 1


class _PackedGroup(NamedTuple):
    deadline: Millis | None
    pulses: bytes
    rest: bytes
    unposted: tuple[MemberId, ...] = ()
    kept: bytes = b""

    def now(self) -> Packed:
        """Pack it as version 2 does; what is kept has not changed."""
        rest = _encode(_group(self.rest).form())
        return Packed(
            self.deadline, rest, _encode(beats(_pulses(self.pulses), self.unposted)), self.kept
        )


class _PackedCluster(NamedTuple):
    deadline: Millis | None
    cluster: bytes
    ailment: str = ""

    def now(self) -> Packed:
        """Pack it as version 2 does."""
        rest = _encode(_cluster(self.cluster).form())
        return Packed(self.deadline, rest, kept=self.ailment.encode())


class _Gate(Struct):
    start: str = ""
    shut: bool = False
    told: bool = False
    ticks: int = 0
    waiting: list[RowForm] = []
    beats: dict[str, RowForm] = {}


class _Cell(Struct, array_like=True):
    now: Millis
    latest: Millis | None
    earliest: Millis | None
    groups: dict[GroupName, _PackedGroup]
    earliest_jury: Millis | None = None
    clusters: dict[ClusterName, _PackedCluster] = {}
    floor: Epoch = Epoch(0)
    lent: Millis = Millis(0)
    owed: Millis = Millis(0)
    left: list[LeftForm] = []
    behind: list[tuple[str, int]] = []
    ticks: tuple[int, ...] = ()
    gate: bytes = b""


_encode: Final = msgpack.Encoder().encode
_cell: Final = msgpack.Decoder(_Cell).decode
_group: Final = msgpack.Decoder(Group).decode
_pulses: Final = msgpack.Decoder(dict[MemberId, Pulse]).decode
_cluster: Final = msgpack.Decoder(Cluster).decode
_gate: Final = msgpack.Decoder(_Gate).decode


def read(data: memoryview) -> CellForm:
    """Read a cell, as version 2 stores it."""
    cell = _cell(data)
    groups = Packs.of({name: it.now() for name, it in cell.groups.items()})
    clusters = Packs.of({name: it.now() for name, it in cell.clusters.items()})
    gate = _encode(GateForm(**asdict(_gate(cell.gate)))) if cell.gate else b""
    return CellForm(
        clock=ClockForm(
            cell.now, cell.latest, cell.lent, cell.owed, cell.left, cell.behind, cell.ticks
        ),
        groups=PacksForm(groups.earliest, Raw(groups.data)),
        clusters=PacksForm(clusters.earliest, Raw(clusters.data)),
        floor=cell.floor,
        gate=gate,
    )
