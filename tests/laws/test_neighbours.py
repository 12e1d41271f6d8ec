"""Groups that share a cell share a clock, and nothing else."""

from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rebalance.groups.model.events import Moment
from rebalance.ids import GroupName
from streaming.cell.codec import Cell, read, write
from streaming.cell.fold import fold
from streaming.cell.hearing import Heard
from streaming.wire.rows import Row
from tests.builders.effort import tried
from tests.builders.log import LIFE, PARTITIONS, Log, beat, join, leave, route, rules
from trimtab.protocol import (
    COMMANDS,
    HEARTBEATS,
    MEMBERS,
    RELEASES,
    ROUTES,
    Beat,
    Forget,
    GrantRef,
    Pause,
    Record,
    Release,
    ReleaseRef,
    Topic,
    partition_of,
)

OURS: Final = "billing"
THEIRS: Final = next(
    name
    for name in (f"other-{number}" for number in range(99))
    if partition_of(name, PARTITIONS) == partition_of(OURS, PARTITIONS)
)
RULES: Final = rules()
BEGUN_MS: Final = 1_767_225_600_000
SECONDS: Final = 40

Said = tuple[Topic[Any], Record | bytes]
Happening = tuple[int, Said]
"""In which second, and what the other group says."""

MEMBER = st.sampled_from("abx")
SAYINGS: st.SearchStrategy[Said] = st.one_of(
    st.tuples(st.just(MEMBERS), MEMBER.map(join)),
    st.tuples(st.just(MEMBERS), MEMBER.map(leave)),
    st.tuples(st.just(HEARTBEATS), st.builds(beat, MEMBER, st.integers(1, 60), st.integers(0, 9))),
    st.tuples(
        st.just(HEARTBEATS),
        st.integers(1, 60).map(
            lambda it: Beat(
                member="a",
                incarnation=LIFE,
                sequence=it,
                epoch=it,
                owned=(GrantRef("orders", "", 0, it),),
            )
        ),
    ),
    st.tuples(
        st.just(RELEASES),
        st.integers(1, 9).map(
            lambda it: Release(
                member="a",
                incarnation=LIFE,
                sequence=it,
                queues=(ReleaseRef("orders", "", 0, it, None),),
            )
        ),
    ),
    st.tuples(
        st.just(ROUTES), st.builds(route, queues=st.integers(1, 9), version=st.integers(1, 9))
    ),
    st.tuples(
        st.just(COMMANDS),
        st.sampled_from([Pause, Forget]).map(lambda kind: kind(id="1", principal="p", reason="r")),
    ),
    st.tuples(st.sampled_from([MEMBERS, HEARTBEATS, RELEASES, ROUTES]), st.binary(max_size=9)),
)


def told(happenings: list[Happening]) -> list[Row]:
    """Ours come, beat, grow by one and lose one; the others say whatever they like meanwhile."""
    log = Log()
    for second in range(SECONDS):
        at = BEGUN_MS + 1_000 * second
        log.tick(OURS, at=at)
        for _, (topic, said) in (it for it in happenings if it[0] == second):
            log.append(topic, THEIRS, said, at=at)
        if second == 0:
            log.append(ROUTES, OURS, route(queues=4), at=at)
        for name in {0: "ab", 8: "c"}.get(second, ""):
            log.append(MEMBERS, OURS, join(name), at=at)
        for name in "ac" if second > 15 else "ab":
            log.append(HEARTBEATS, OURS, beat(name, second + 2), at=at)
    return log.read()


def heard(rows: list[Row], cuts: set[int]) -> list[tuple[str, bytes, bytes | None]]:
    """What is published of ours, when the log is cut after these seconds."""
    seconds = [list(group) for _, group in groupby(rows, key=lambda row: row.appended_ms)]
    cell, records = Cell(), []
    for low, high in pairwise(sorted({0, len(seconds), *cuts})):
        folded = fold(read(write(cell)), [row for each in seconds[low:high] for row in each], RULES)
        cell = folded.cell
        records += [(it.topic, it.key, it.value) for it in folded.records]
    return [it for it in records if it[1].split(b"/")[0] == OURS.encode()]


@pytest.mark.slow
@tried(one_in=4)
@given(
    happenings=st.lists(st.tuples(st.integers(0, SECONDS - 1), SAYINGS), max_size=20),
    cuts=st.sets(st.integers(1, SECONDS - 1), max_size=9),
)
def test_what_one_group_says_changes_nothing_for_another(
    happenings: list[Happening], cuts: set[int]
) -> None:
    """The same records, to the byte, whether or not the other group is there."""
    together = told(happenings)
    alone = [row for row in together if row.key != THEIRS.encode()]

    assert heard(alone, cuts)
    assert heard(alone, cuts) == heard(together, cuts)


def test_a_leak_between_groups_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The law has teeth: a group that is told what another one says is another group."""

    def leaking(self: Heard, group: GroupName) -> list[Moment]:
        del group
        said = [each for events in self.events.values() for each in events]
        return [moment for _, moment in sorted([*said, *self.ticks], key=itemgetter(0))]

    together = told([(3, (MEMBERS, join("x")))])
    alone = [row for row in together if row.key != THEIRS.encode()]
    monkeypatch.setattr(Heard, "moments", leaking)

    assert heard(alone, set()) != heard(together, set())
