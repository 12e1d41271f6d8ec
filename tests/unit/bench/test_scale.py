"""The members of `bench/scale` say what the SDK's members say."""

import os
from dataclasses import replace
from pathlib import Path

from bench.floor.plan import Side
from bench.floor.writer import Outlet
from bench.scale.members import Members, Told, rolled
from bench.scale.outside import Outside
from tests.builders.sessions import assignment, queue
from trimtab.protocol import (
    HEARTBEATS,
    MEMBERS,
    Assignment,
    Beat,
    GrantRef,
    Join,
    Leave,
    decode,
)

TOLD = Told("kafka", "t.", 8, "orders", groups=2, size=3, interval_s=3.0, answered=True)


def told(said: Join, group: str) -> Assignment:
    """What a member is told: a queue."""
    record = assignment(7, member=said.member, incarnation=said.incarnation, hold=[(4, 7)])
    return record.model_copy(update={"group": group})


def test_who_was_told_says_it_once_and_then_only_that_it_is_there() -> None:
    """So nearly all beats are the last ones with another number."""
    members = Members(TOLD)
    joins = [decode(MEMBERS, members.joins(it)) for it in range(members.count)]
    for it, join in enumerate(joins):
        assert isinstance(join, Join)
        members.hears(told(join, f"load-{it // TOLD.size}"))
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
    before = decode(MEMBERS, members.joins(4))
    leave, join = (decode(MEMBERS, it) for it in members.restarts(4))
    assert isinstance(before, Join)
    assert isinstance(leave, Leave)
    assert isinstance(join, Join)
    assert leave.temporary
    assert before.instance == join.instance
    assert before.incarnation != join.incarnation

    members.hears(told(before, "load-1"))
    said = decode(HEARTBEATS, members.beats(4))
    assert isinstance(said, Beat)
    assert (0, None) == (said.epoch, said.owned)


def test_everybody_restarts_once() -> None:
    """However many there are in a slice of a second."""
    assert list(range(7)) == [it for part in rolled(7, 20) for it in part]
    assert list(range(50)) == [it for part in rolled(50, 20) for it in part]
    assert [] == list(rolled(7, 0))


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
