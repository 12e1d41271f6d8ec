"""The codec: a cell's state as bytes, and back.

In front is what every tick needs: the clock and the earliest deadline of all groups; so a tick
without a due deadline unpacks no group (``packed``).

The bytes are MessagePack after one byte of version. What they hold is written in ``stored``, with
the rules for a change. State of an earlier version is read. A later one is refused, and so is what
makes no sense: no state is better than a wrong one (fault A8).

Called by ``fold`` and ``cell_operator``. What one release has written, every later one can read,
or refuses by name.
"""

from dataclasses import dataclass, field
from typing import Final

from msgspec import Raw, msgpack

from rebalance.brokers.events import ClusterName
from rebalance.clock import LogClock
from rebalance.ids import Epoch, GroupName
from streaming.cell.packed import Packs
from streaming.cell.stored.cell import CellForm, PacksForm, clock, clock_form
from streaming.cell.stored.unreadable import UnreadableState, understood
from streaming.cell.version_1 import cell as version_1

VERSION: Final = 2
READABLE: Final = (version_1.VERSION, VERSION)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell, its groups and clusters still packed."""

    clock: LogClock = field(default_factory=LogClock)
    groups: Packs[GroupName] = field(default_factory=Packs)
    clusters: Packs[ClusterName] = field(default_factory=Packs)
    floor: Epoch = Epoch(0)
    """The highest epoch of all groups that are not remembered: none begins below it."""
    gate: bytes = b""
    """What is known of the controller that runs it, and what waits for it (``gate``)."""
    pulses: bytes = b""
    """When the members of quiet groups were last heard (``pulses``)."""

    def is_due(self) -> bool:
        """Tell whether silence may decide something about a group by now."""
        return self.groups.is_due(self.clock.now)

    def is_jury_due(self) -> bool:
        """Tell whether time alone may decide something about a broker by now."""
        return self.clusters.is_due(self.clock.now)


_encode: Final = msgpack.Encoder().encode
_decode: Final = msgpack.Decoder(CellForm).decode


def write(cell: Cell) -> bytes:
    """Write a cell."""
    form = CellForm(
        clock=clock_form(cell.clock),
        groups=PacksForm(cell.groups.earliest, Raw(cell.groups.data)),
        clusters=PacksForm(cell.clusters.earliest, Raw(cell.clusters.data)),
        floor=cell.floor,
        gate=cell.gate,
        pulses=cell.pulses,
    )
    return bytes([VERSION]) + _encode(form)


@understood
def read(data: bytes) -> Cell:
    """Read a cell.

    Raises:
        UnreadableState: A later release has written it, or none.
    """
    version = data[0] if data else None
    if version == VERSION:
        form = _decode(memoryview(data)[1:])
    elif version == version_1.VERSION:
        form = version_1.read(memoryview(data)[1:])
    else:
        known = " and ".join(map(str, READABLE))
        raise UnreadableState(f"state of version {version}, and this release reads {known}")
    return Cell(
        clock=clock(form.clock),
        groups=Packs(form.groups.earliest, bytes(form.groups.by_name)),
        clusters=Packs(form.clusters.earliest, bytes(form.clusters.by_name)),
        floor=form.floor,
        gate=form.gate,
        pulses=form.pulses,
    )
