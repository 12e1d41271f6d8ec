"""State survives being written down, and what cannot be read is refused."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import msgpack

from rebalance.brokers.cluster import Cluster
from rebalance.brokers.events import ClusterName
from rebalance.clock import LogClock
from rebalance.groups.model.state import GroupState
from rebalance.ids import Epoch, GroupName, Millis
from streaming.cell import containment, gate, pulses
from streaming.cell.codec import Cell, read, write
from streaming.cell.containment import Kept
from streaming.cell.gate import Gate
from streaming.cell.packed import Packed, Packs, pack, pack_cluster, unpack, unpack_cluster
from streaming.cell.pulses import NEVER, NONE, Pulses
from streaming.cell.stored.unreadable import UnreadableState
from tests.builders.earlier_groups import (
    before_callers,
    before_drains,
    before_ejects,
    before_ends,
    before_holds,
    before_idle,
    before_leaves,
    before_listeners,
    before_modes,
    before_names,
    before_paces,
    before_racks,
    before_settings,
    before_voters,
    of_version_1,
)
from tests.builders.filled import anything, filled
from tests.builders.full_cluster import CLOCK, CLUSTER, GATE, PULSES
from tests.builders.full_group import GROUP
from tests.builders.group import a_group

FIXTURES = Path(__file__).parents[3] / "fixtures" / "state"
KEPT = [Kept(row, Millis(1), Millis(2)) for row in GATE.waiting]
POOR = GroupState(GroupName("poor"), Epoch(3))


def full_cell(
    group: GroupState = GROUP, counted: Pulses = PULSES, cluster: Cluster = CLUSTER
) -> Cell:
    """A cell with something in every field."""
    groups = {
        group.name: pack(group)._replace(kept=containment.write(KEPT)),
        POOR.name: pack(POOR),
    }
    clusters = {cluster.name: pack_cluster(cluster)._replace(kept=b"n9")}
    told = gate.write(GATE), pulses.write(counted)
    return Cell(CLOCK, Packs.of(groups), Packs.of(clusters), Epoch(11), *told)


def golden(name: str) -> bytes:
    """What was written once."""
    return bytes.fromhex((FIXTURES / f"{name}.hex").read_text())


def everything_in(data: bytes) -> tuple[object, ...]:
    """Read all that there is in a cell."""
    cell = read(data)
    groups, clusters = cell.groups.by_name(), cell.clusters.by_name()
    return (
        (cell.clock, cell.groups.earliest, cell.clusters.earliest, cell.floor),
        gate.read(cell.gate),
        {name: unpack(it) for name, it in groups.items()},
        {name: containment.read(it.kept) for name, it in groups.items() if it.kept},
        {name: (unpack_cluster(it), it.deadline, it.kept) for name, it in clusters.items()},
        {name: list(it) for name, it in vars(pulses.read(cell.pulses)).items()},
    )


@given(anything(LogClock), st.dictionaries(anything(GroupName), anything(Packed), max_size=5))
def test_a_cell_comes_back_as_it_was(clock: LogClock, groups: dict[GroupName, Packed]) -> None:
    """What is written is read unchanged, and knows the earliest of all deadlines."""
    cell = Cell(clock, Packs.of(groups))
    back = read(write(cell))
    deadlines = [it.deadline for it in groups.values() if it.deadline is not None]

    assert cell == back
    assert groups == back.groups.by_name()
    assert min(deadlines, default=None) == back.groups.earliest


@given(anything(Gate))
@example(filled(Gate))
def test_a_gate_comes_back_as_it_was(value: Gate) -> None:
    """With all that waits at it."""
    assert value == gate.read(gate.write(value))


@given(st.lists(anything(Kept), max_size=2))
@example([filled(Kept)])
def test_what_is_kept_comes_back_as_it_was(kept: list[Kept]) -> None:
    """Records are kept whole."""
    assert kept == containment.read(containment.write(kept))


def test_nothing_is_forgotten() -> None:
    """Of whatever is stored, each field: nothing in these values is at its default."""
    group, cluster, clock = filled(GroupState), filled(Cluster), filled(LogClock)

    assert group == unpack(pack(group))
    assert cluster == unpack_cluster(pack_cluster(cluster))
    assert clock == read(write(Cell(clock))).clock


def test_what_is_written_is_the_golden_file() -> None:
    """To the byte, whatever the brain calls its fields, and in whatever order sets are walked.

    If a field was added at the end of a form, keep the old file under another name below, and write
    the new one: ``write(full_cell()).hex()``.
    """
    assert golden("cell-v2-full") == write(full_cell())


BEFORE_ASKS: Final = replace(PULSES, asks=np.full(3, NEVER))
"""Columns as they could be when only those stood there that had read all they were told."""


@pytest.mark.parametrize(
    ("name", "group", "counted", "cluster"),
    [
        ("cell-v1-full", of_version_1(GROUP), NONE, before_voters()),
        ("cell-v2-before-names", before_names(GROUP), NONE, before_voters()),
        ("cell-v2-before-pulses", before_idle(GROUP), NONE, before_voters()),
        ("cell-v2-before-voters", before_idle(GROUP), BEFORE_ASKS, before_voters()),
        ("cell-v2-before-ends", before_ends(GROUP), BEFORE_ASKS, before_callers()),
        ("cell-v2-before-paces", before_paces(GROUP), BEFORE_ASKS, before_callers()),
        ("cell-v2-before-asks", before_modes(GROUP), BEFORE_ASKS, before_callers()),
        ("cell-v2-before-modes", before_modes(GROUP), PULSES, before_callers()),
        ("cell-v2-before-racks", before_racks(GROUP), PULSES, before_callers()),
        ("cell-v2-before-drains", before_drains(GROUP), PULSES, before_callers()),
        ("cell-v2-before-leaves", before_leaves(GROUP), PULSES, before_callers()),
        ("cell-v2-before-callers", before_holds(GROUP), PULSES, before_callers()),
        ("cell-v2-before-holds", before_holds(GROUP), PULSES, before_ejects()),
        ("cell-v2-before-settings", before_settings(GROUP), PULSES, before_ejects()),
        ("cell-v2-before-ejects", GROUP, PULSES, before_ejects()),
        ("cell-v2-before-listeners", GROUP, PULSES, before_listeners()),
        ("cell-v2-full", GROUP, PULSES, CLUSTER),
    ],
)
def test_all_of_a_version_is_read(
    name: str, group: GroupState, counted: Pulses, cluster: Cluster
) -> None:
    """Each field of it, into the present state."""
    assert everything_in(write(full_cell(group, counted, cluster))) == everything_in(golden(name))


def test_what_was_written_once_is_read_for_ever() -> None:
    """Bytes of the first days, which lack what was added since, still mean the same."""
    group = (
        a_group()
        .with_member("a", seen=7)
        .with_member("b:2", "orders payments", session_ms=2_000, seen=8)
        .with_route("orders", 2)
        .with_route("payments", 0, exists=False)
        .with_target("orders-0", "a")
        .with_page("orders-0", "a@1!2 > b:2@2")
        .at_epoch(2)
        .due_at(2_008)
        .state
    )
    cell = read(golden("cell-v1"))

    assert LogClock(Millis(9), Millis(1_767_225_600_009)) == cell.clock
    assert {"billing": group} == {name: unpack(it) for name, it in cell.groups.by_name().items()}
    assert cell == read(write(cell))


@pytest.mark.parametrize("data", [b"", b"\x00", b"\x03\x94", b"{}"])
def test_an_unknown_version_is_refused(data: bytes) -> None:
    """State of another version is never guessed at, and the message says what to do."""
    with pytest.raises(UnreadableState, match=r"this release reads 1 and 2: start the release"):
        read(data)


@pytest.mark.parametrize("name", ["cell-v1-full", "cell-v2-full"])
def test_what_is_cut_off_is_refused(name: str) -> None:
    """Wherever it is cut."""
    data = golden(name)
    for end in range(1, len(data)):
        with pytest.raises(UnreadableState, match="start the release that wrote it"):
            read(data[:end])


@given(st.sampled_from(["cell-v1-full", "cell-v2-full"]), st.data())
def test_garbage_is_read_or_refused(name: str, data: st.DataObject) -> None:
    """Some bytes that change still mean something. Those that do not end in the one error."""
    written = bytearray(golden(name))
    for _ in range(data.draw(st.integers(1, 3))):
        written[data.draw(st.integers(1, len(written) - 1))] = data.draw(st.integers(0, 255))
    with suppress(UnreadableState):
        everything_in(bytes(written))


@given(st.recursive(st.none() | st.integers(-1, 9) | st.text(max_size=1), st.lists, max_leaves=9))
def test_what_has_another_shape_is_refused(value: object) -> None:
    """Well-formed MessagePack of something else, wherever it stands."""
    data = msgpack.encode(value)
    ways: list[Callable[[], object]] = [
        lambda: read(b"\x02" + data),
        lambda: read(b"\x01" + data),
        lambda: Packs(None, data).by_name(),
        lambda: unpack(Packed(None, data, pack(POOR).beats)),
        lambda: unpack_cluster(Packed(None, data)),
        lambda: gate.read(data),
    ]
    for reading in ways:
        with pytest.raises(UnreadableState):
            reading()


def test_a_place_that_is_not_there_is_refused() -> None:
    """Columns of different lengths, and a queue, or a member, that is none of the group's."""
    whole = msgpack.decode(pack(GROUP).rest)
    target = whole[7]
    for part, place, wrong in ((7, 0, [99, 99]), (7, 1, [99, 99]), (7, 1, target[1][:1])):
        broken = [*whole]
        broken[part] = [*whole[part]]
        broken[part][place] = wrong
        with pytest.raises(UnreadableState):
            unpack(pack(GROUP)._replace(rest=msgpack.encode(broken)))


def test_a_field_of_a_later_release_is_refused() -> None:
    """An older release does not pass over what a newer one has stored: it would lose it."""
    whole = msgpack.decode(pack(GROUP).rest)
    unpack(pack(GROUP)._replace(rest=msgpack.encode(whole)))

    with pytest.raises(UnreadableState, match="start the release that wrote it"):
        unpack(pack(GROUP)._replace(rest=msgpack.encode([*whole, 1])))


def test_clusters_are_packed_as_groups_are() -> None:
    """The earliest deadline of them is known as long as all are packed."""
    packs = Packs.of(
        {ClusterName("east"): Packed(Millis(7), b""), ClusterName("w"): Packed(None, b"")}
    )

    assert (False, True) == (packs.is_due(Millis(6)), packs.is_due(Millis(7)))
    assert not Packs().is_due(Millis(7))
