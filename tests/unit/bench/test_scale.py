"""The members of `bench/scale` say what the SDK's members say."""

import itertools
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from bench.floor.plan import Side
from bench.floor.writer import Outlet
from bench.scale import catching_up
from bench.scale.__main__ import headline, row
from bench.scale.catching_up import caught_up_s
from bench.scale.load import Load, Scene
from bench.scale.members import Members, Said, Told, churned, rolled
from bench.scale.outside import Outside
from bench.scale.scenes import Seen
from bench.scale.soak import sampled, trends
from tests.builders.sessions import assignment, queue
from trimtab.protocol import (
    HEARTBEATS,
    Assignment,
    Beat,
    GrantRef,
    Join,
    Leave,
    LifeRef,
    Record,
    Release,
    decode,
)

TOLD = Told("kafka", "t.", 8, "orders", groups=2, size=3, interval_s=3.0, answered=True)


def read(records: Iterable[Said]) -> list[Record]:
    """What a member says."""
    return [decode(topic, value) for topic, value in records]


def told(said: Join, group: str) -> Assignment:
    """What a member is told: a queue."""
    record = assignment(7, member=said.member, incarnation=said.incarnation, hold=[(4, 7)])
    return record.model_copy(update={"group": group})


def test_who_was_told_says_it_once_and_then_only_that_it_is_there() -> None:
    """So nearly all beats are the last ones with another number."""
    members = Members(TOLD)
    joins = [read(members.joins(it))[0] for it in range(members.count)]
    for it, join in enumerate(joins):
        assert isinstance(join, Join)
        assert join.marks
        (mark,) = read(members.hears(told(join, f"load-{it // TOLD.size}")))
        assert isinstance(mark, Release)
        assert () == mark.queues
    working = [members.are_at_work]
    full = [decode(HEARTBEATS, members.beats(it)) for it in range(members.count)]
    working.append(members.are_at_work)
    assert [False, True] == working
    first, second = (decode(HEARTBEATS, members.beats(5)) for _ in range(2))
    assert {(GrantRef(*queue(4), 7),)} == {getattr(it, "owned", None) for it in full}
    assert isinstance(first, Beat)
    assert isinstance(second, Beat)
    assert (None, 7) == (first.owned, first.epoch)
    assert first.model_copy(update={"sequence": first.sequence + 1}) == second


def test_who_restarts_goes_for_a_moment_and_hears_nothing_of_its_former_life() -> None:
    """Under the same instance."""
    members = Members(replace(TOLD, rolling_s=10.0))
    before, _ = read(members.joins(4))
    assert isinstance(before, Join)
    list(members.hears(told(before, "load-1")))
    kept, leave, join, mark = read(members.restarts(4))
    assert isinstance(kept, Release)
    assert isinstance(leave, Leave)
    assert isinstance(join, Join)
    assert isinstance(mark, Release)
    assert [(queue(4), None)] == [(row.queue, row.next) for row in kept.queues]
    assert (True, ()) == (leave.temporary, mark.queues)
    assert before.instance == join.instance
    assert before.incarnation != join.incarnation

    assert [] == list(members.hears(told(before, "load-1")))
    said = decode(HEARTBEATS, members.beats(4))
    assert isinstance(said, Beat)
    assert (0, None) == (said.epoch, said.owned)


def test_who_leaves_goes_for_good_and_comes_again_as_somebody_new() -> None:
    """Meanwhile it hears nothing, and afterwards nothing of what its former life was told."""
    members = Members(TOLD)
    before, _ = read(members.joins(4))
    assert isinstance(before, Join)
    list(members.hears(told(before, "load-1")))
    released, leave = read(members.leaves(4))
    assert [] == list(members.hears(told(before, "load-1")))
    was_away = members.is_away(4)
    join, _ = read(members.returns(4))
    said = decode(HEARTBEATS, members.beats(4))

    assert isinstance(released, Release)
    assert isinstance(leave, Leave)
    assert isinstance(join, Join)
    assert isinstance(said, Beat)
    assert (True, [queue(4)]) == (released.gone, [row.queue for row in released.queues])
    assert (before.incarnation, False) == (leave.incarnation, leave.temporary)
    assert (True, False) == (was_away, members.is_away(4))
    assert before.incarnation != join.incarnation == said.incarnation
    assert (0, None) == (said.epoch, said.owned)


def test_who_is_to_give_queues_lets_them_go_at_once_for_whom_it_is_told() -> None:
    """Not by the next beat alone."""
    members = Members(TOLD)
    join, _ = read(members.joins(4))
    assert isinstance(join, Join)
    said = told(join, "load-1")
    list(members.hears(said))
    give = said.hold[0]._replace(next=9, to=LifeRef("0", "1767225600001-00000001"))
    (release,) = read(
        members.hears(said.model_copy(update={"epoch": 8, "hold": (), "give": (give,)}))
    )

    assert isinstance(release, Release)
    assert [(queue(4), 7, 9, give.to)] == [
        (row.queue, row.epoch, row.next, row.to) for row in release.queues
    ]


def test_what_was_not_seen_is_not_0() -> None:
    """No answer would be the fastest of all, and no batch, too."""
    load = Load(members=100, size=10, queues=10, interval_s=1.0, seconds=60.0)
    cores = {"java": 0.5, "python": 0.25}
    steady, idle = (Seen(Side.TRIMTAB, it, load, cores=cores) for it in (Scene.STEADY, Scene.IDLE))
    blank = {"join p50", "p99 ", "batch p50", "behind, most", "sent late, most"}

    assert {"-"} == {row(steady)[it] for it in blank}
    assert ("never", "-") == tuple(row(it)["caught up after"] for it in (steady, idle))
    assert ("NO", "yes") == tuple(row(it)["keeps up"] for it in (steady, idle))
    assert not [it for it in headline([steady]) if it.endswith("_ms")]


def test_who_is_late_in_the_last_seconds_does_not_keep_up() -> None:
    """Its best moment does not count: a backlog that is worked off by batches has some."""
    load = Load(members=100, size=10, queues=10, interval_s=1.0, seconds=60.0)
    late = Seen(Side.TRIMTAB, Scene.STEADY, load, behind_s=[1.0, 20.0, 14.0, 4.0, 12.0, 30.0])
    in_time = Seen(Side.TRIMTAB, Scene.STEADY, load, behind_s=[30.0, 1.0, 4.0, 3.0, 1.0, 2.0])

    assert (False, True) == (late.keeps_up, in_time.keeps_up)


def test_no_two_members_look_alike() -> None:
    """Neither by name nor by incarnation, or their state would be packed better than in life."""
    members = Members(TOLD)
    joins = [read(members.joins(it))[0] for it in range(members.count)]
    later = [read(members.returns(it))[0] for it in range(members.count)]
    lives = [it.incarnation for it in (*joins, *later) if isinstance(it, Join)]

    assert members.count == len({it.member for it in joins if isinstance(it, Join)})
    assert 2 * members.count == len(set(lives))
    assert all(one < two for one, two in zip(lives, lives[members.count :], strict=False))


def test_everybody_leaves_and_comes_again_over_and_over() -> None:
    """Each once in so many slices, and is away for some of them."""
    slices = list(itertools.islice(churned(7, 20, 3), 60))
    left = [it for gone, _ in slices for it in gone]
    came = [it for _, back in slices for it in back]

    assert 3 * list(range(7)) == left
    assert [gone for gone, _ in slices[:-3]] == [back for _, back in slices[3:]]
    assert left[: len(came)] == came
    assert [] == list(churned(7, 0, 3))


def test_everybody_restarts_once() -> None:
    """However many there are in a slice of a second."""
    assert list(range(7)) == [it for part in rolled(7, 20) for it in part]
    assert list(range(50)) == [it for part in rolled(50, 20) for it in part]
    assert [] == list(rolled(7, 0))


def test_the_state_of_rocksdb_is_what_its_changelog_has(
    tmp_path: Path,
) -> None:
    """Its snapshots are written now and then, by a thread of their own."""
    for name in ("0/4.changelog", "1/4.changelog", "0/4.zip"):
        file = tmp_path / "state" / "0" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(bytes(70))
    outside = Outside(os.getpid(), tmp_path, Outlet(Side.FLOOR, "kafka", "t.", 8))

    assert 140 == outside.state_bytes()
    assert outside.memory() > 1_000_000
    outside.close()


def test_what_grows_has_a_slope_and_what_is_missing_has_none() -> None:
    """By the hour, along the nearest line, from the second third on; no batch is no sample."""
    minute, mib = 60.0, 1024 * 1024
    samples = [
        sampled(number * minute, (100 + number) * mib, 5 * mib, [0.25] if number == 0 else [])
        for number in range(4)
    ]
    memory, state = trends(samples)

    assert (60.0, 101.0, 103.0) == pytest.approx((memory.slope, memory.begins, memory.ends))
    assert ("state", 0.0) == (state.what, state.slope)
    assert "memory 100 MiB" in str(samples[0])
    assert "no batch" in str(samples[1])
    assert [] == trends(samples[:1])


class Pipeline:
    """Falls behind while it is frozen, and catches up by the given amount at each look."""

    def __init__(self, seconds: float) -> None:
        self.done: list[str] = []
        self._behind_s, self._seconds = 60.0, seconds

    def freeze(self) -> None:
        """Stop."""
        self.done.append("freeze")

    def thaw(self) -> None:
        """Go on."""
        self.done.append("thaw")

    def behind_s(self) -> float:
        """Catch up a little."""
        self._behind_s -= self._seconds
        return self._behind_s


def test_a_backlog_is_timed_from_the_thaw(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until little waits; None if that never comes."""
    now = [0.0]
    clock = SimpleNamespace(
        monotonic=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds)
    )
    monkeypatch.setattr(catching_up, "time", clock)
    swift, stuck = Pipeline(10.0), Pipeline(0.0)

    assert 2.5 == caught_up_s(swift, swift.behind_s, frozen_s=30.0, enough_s=5.0)
    assert ["freeze", "thaw"] == swift.done
    assert caught_up_s(stuck, stuck.behind_s, frozen_s=30.0, enough_s=5.0) is None


def test_a_beat_has_a_price_if_there_are_beats() -> None:
    """The processor time of each language by the rate; a scene without beats has none."""
    load = Load(members=100, size=10, queues=10, interval_s=1.0, seconds=60.0)
    cores = {"java": 0.5, "python": 0.25}
    steady = Seen(Side.TRIMTAB, Scene.STEADY, load, cores=cores, generated={"rate": 100.0})
    idle = Seen(Side.TRIMTAB, Scene.IDLE, load, cores=cores)

    assert ("5,000.0 us", "2,500.0 us") == (row(steady)["a beat, Java"], row(steady)["Python "])
    assert "-" == row(idle)["a beat, Java"]
    assert 5_000 == headline([steady])["trimtab_100_java_beat_us"]
    assert "trimtab_100_java_beat_us" not in headline([idle])


def test_batches_are_timed_by_what_spark_writes(tmp_path: Path) -> None:
    """From the plan to the commit; the state is that of the largest of the last batches."""
    for folder, number, at in (("offsets", 3, 100), ("commits", 3, 101), ("offsets", 4, 102)):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / str(number)).write_text("v1\n{}")
        os.utime(tmp_path / folder / str(number), (at, at))
    for name in ("0/4.delta", "1/4.delta"):
        delta = tmp_path / "state" / "0" / name
        delta.parent.mkdir(parents=True)
        delta.write_bytes(bytes(70))
    outside = Outside(os.getpid(), tmp_path, Outlet(Side.FLOOR, "kafka", "t.", 8))

    assert [(3, 1.0)] == [(it.number, it.seconds) for it in outside.batches()]
    assert 140 == outside.state_bytes()
    assert outside.used_s()["python"] > 0
    outside.close()
