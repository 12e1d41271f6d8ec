"""One group's exception is its own business: no other group notices, and nothing is lost."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from rebalance.allocation import AllocationPlan, AllocationRequest
from rebalance.groups.conclusion import Step
from rebalance.groups.model.events import Joined
from rebalance.groups.model.overview import GroupSummarised
from rebalance.ids import GroupName
from sinks import Outlet, Publication, Record, record_of
from streaming.cell import containment
from streaming.cell.codec import Cell, read, write
from streaming.cell.fold import fold
from tests.builders.log import LIFE, Log, beat, join, leave, route, rules
from tests.unit.streaming.cell.failing import (
    ILL,
    RULES,
    WELL,
    always,
    at_work,
    failing,
    letters,
    of,
    others,
    state_of,
)
from trimtab.protocol import (
    ASSIGNMENTS,
    COMMANDS,
    GROUPS,
    HEARTBEATS,
    HISTORY,
    MEMBERS,
    RELEASES,
    ROUTES,
    Ailment,
    Beat,
    Group,
    Rebalance,
    Release,
    ReleaseRef,
)


def test_what_is_published_stays_and_the_reason_is_said_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No assignment, one summary with the reason, one entry in the history, and then silence."""
    log = Log()
    cell = at_work(log)
    failing(monkeypatch, always)
    log.append(MEMBERS, ILL, join("b"), at=2_000)
    folded = fold(cell, log.read(), RULES)
    [group], [entry] = of(folded, GROUPS), of(folded, HISTORY)

    assert [] == of(folded, ASSIGNMENTS)
    assert isinstance(group, Group)
    assert isinstance(entry, Ailment)
    assert {"BrokenInvariant: two holders of orders-0"} == {group.ailment, entry.reason}
    for second in range(3, 30):
        log.append(HEARTBEATS, ILL, beat("a", sequence=second), at=second * 1_000)
        log.append(MEMBERS, ILL, join("b"), at=second * 1_000)
        log.tick(ILL, at=second * 1_000)
        folded = fold(folded.cell, log.read(), RULES)
        assert [] == [it for it in folded.records if it.key.startswith(ILL.encode())]


def test_nobody_else_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    """The records of every other group are the same bytes, batch for batch."""

    def life(*, ill: bool) -> list[list[Record]]:
        log, said = Log(), []
        cell = at_work(log)
        with monkeypatch.context() as patched:
            if ill:
                failing(patched, always)
            for second in range(2, 20):
                for group in (ILL, WELL):
                    log.append(MEMBERS, group, join(f"m{second}"), at=second * 1_000)
                    log.append(HEARTBEATS, group, beat("a", sequence=second), at=second * 1_000)
                log.tick(ILL, at=second * 1_000)
                folded = fold(cell, log.read(), RULES)
                cell = folded.cell
                said.append(others(folded))
        return said

    sane = life(ill=False)

    assert sane == life(ill=True)
    assert all(sane)


def test_a_repeated_batch_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """In whatever order it comes, and by a worker that remembers nothing."""
    log = Log()
    cell = at_work(log)
    failing(monkeypatch, always)
    log.append(MEMBERS, ILL, join("b"), at=2_000)
    log.append(HEARTBEATS, ILL, beat("a", sequence=2), at=2_000)
    rows = log.read()

    assert fold(cell, rows, RULES) == fold(read(write(cell)), reversed(rows), rules())


def test_nothing_that_was_said_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """What came while the group failed is heard when it is well, each at its own time."""
    log = Log()
    cell = at_work(log)
    with monkeypatch.context() as patched:
        failing(patched, always)
        log.append(MEMBERS, ILL, join("b"), at=2_000)
        cell = fold(cell, log.read(), RULES).cell
        log.append(HEARTBEATS, ILL, beat("a", sequence=2), at=3_000)
        log.append(MEMBERS, ILL, leave("a"), at=4_000)
        log.tick(ILL, at=4_000)
        cell = fold(read(write(cell)), log.read(), RULES).cell
    log.append(MEMBERS, ILL, join("c"), at=5_000)
    log.append(HEARTBEATS, ILL, beat("b", sequence=2), at=5_000)
    folded = fold(cell, log.read(), RULES)

    assert {"b", "c"} == set(state_of(folded.cell).membership.members)
    assert [None] == [it.reason for it in of(folded, HISTORY) if isinstance(it, Ailment)]
    assert [] == letters(folded)
    assert state_of(folded.cell).ailment is None
    assert b"" == folded.cell.groups.by_name()[GroupName(ILL)].kept


def test_a_record_that_is_to_blame_is_sent_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the next change the group goes on without it, and its sender is told why."""
    log = Log()
    cell = at_work(log)
    failing(
        monkeypatch, lambda said: any(isinstance(it, Joined) and it.member == "b" for it in said)
    )
    log.append(MEMBERS, ILL, join("b"), at=2_000)
    cell = fold(cell, log.read(), RULES).cell
    log.append(COMMANDS, ILL, Rebalance(id="1", principal="ann", reason="try"), at=3_000)
    folded = fold(cell, log.read(), RULES)

    assert ["BrokenInvariant: two holders of orders-0"] == [it.detail for it in letters(folded)]
    assert {"a"} == set(state_of(folded.cell).membership.members)
    assert "done" in [it.outcome for it in of(folded, HISTORY) if it.kind == "command"]


def test_nobody_is_silent_because_the_group_was_ill(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who beat all the while is there when it is well; who did not is not."""
    log = Log()
    cell = at_work(log)
    log.append(MEMBERS, ILL, join("b"), at=1_500)
    cell = fold(cell, log.read(), RULES).cell
    with monkeypatch.context() as patched:
        tried = failing(patched, always)
        for second in range(2, 40):
            log.append(HEARTBEATS, ILL, beat("a", sequence=second), at=second * 1_000)
            log.tick(ILL, at=second * 1_000)
            cell = fold(cell, log.read(), RULES).cell
        assert 1 == len(tried)
    log.append(COMMANDS, ILL, Rebalance(id="1", principal="ann", reason="try"), at=40_000)

    assert {"a"} == set(state_of(fold(cell, log.read(), RULES).cell).membership.members)


def test_a_release_that_a_full_beat_proves_is_not_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It may be the only word of it."""
    log = Log()
    cell = at_work(log)
    with monkeypatch.context() as patched:
        failing(patched, always)
        log.append(MEMBERS, ILL, join("b"), at=2_000)
        cell = fold(cell, log.read(), RULES).cell
        for second in range(3, 9):
            full = Beat(member="a", incarnation=LIFE, sequence=second, epoch=1, owned=())
            log.append(HEARTBEATS, ILL, full, at=second * 1_000)
            cell = fold(cell, log.read(), RULES).cell
    kept = containment.read(cell.groups.by_name()[GroupName(ILL)].kept)

    assert [("t.members", 2_000), ("t.heartbeats", 8_000)] == [
        (it.row.topic, it.row.appended_ms) for it in kept
    ]


def test_there_is_room_for_so_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is sent back at once, with the reason, and the state does not grow."""
    log = Log()
    cell = at_work(log)
    failing(monkeypatch, always)
    queues = (ReleaseRef("orders", "", 0, 1, None),)
    for number in range(containment.MOST + 5):
        release = Release(member=f"m{number}", incarnation=LIFE, sequence=2, queues=queues)
        log.append(RELEASES, ILL, release, at=2_000)
    folded = fold(cell, log.read(), RULES)

    assert 5 == len(letters(folded))
    assert containment.MOST == len(
        containment.read(folded.cell.groups.by_name()[GroupName(ILL)].kept)
    )


def test_a_group_that_never_was_well_is_named_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first records are not lost either."""
    log = Log()
    with monkeypatch.context() as patched:
        failing(patched, always)
        log.append(MEMBERS, ILL, join("a"), at=1_000)
        folded = fold(Cell(), log.read(), RULES)
        assert ["empty"] == [it.state for it in of(folded, GROUPS)]
    log.append(ROUTES, ILL, route(), at=2_000)

    assert [2] == [len(it.hold) for it in of(fold(folded.cell, log.read(), RULES), ASSIGNMENTS)]


def test_what_cannot_be_written_is_its_group_s_business_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Even if that is the summary: then the history alone has the reason."""
    log = Log()
    cell = at_work(log)

    def wrong(decision: Publication, outlet: Outlet) -> Record:
        if isinstance(decision, GroupSummarised) and decision.group == ILL:
            raise ValueError("no such field")
        return record_of(decision, outlet)

    for module in ("fold", "containment"):
        monkeypatch.setattr(f"streaming.cell.{module}.record_of", wrong)
    for group in (ILL, WELL):
        log.append(MEMBERS, group, join("b"), at=2_000)
    folded = fold(cell, log.read(), RULES)

    assert ["ValueError: no such field"] == [it.reason for it in of(folded, HISTORY)]
    assert [] == of(folded, ASSIGNMENTS) + of(folded, GROUPS)
    assert 2 == len(of(folded, ASSIGNMENTS, WELL))


def test_lack_of_memory_is_everybody_s_business(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another try may have more of it: so the batch is repeated, and nothing is written down."""
    log = Log()
    cell = at_work(log)

    def starving(*_: object) -> Step:
        raise MemoryError

    monkeypatch.setattr("streaming.cell.fold.step", starving)
    log.append(MEMBERS, ILL, join("b"), at=2_000)
    with pytest.raises(MemoryError):
        fold(cell, log.read(), RULES)


def test_a_strategy_that_raises_for_one_group_is_noticed_by_no_other() -> None:
    """The others' records are the same bytes as with a sound strategy."""

    def asked(*, ill: bool) -> Callable[[AllocationRequest], AllocationPlan]:
        def strategy(request: AllocationRequest) -> AllocationPlan:
            if ill and any(name.startswith("ill") for name in request.candidates):
                raise ValueError("no rack is called north")
            return RULES.allocator(request)

        return strategy

    def life(*, ill: bool) -> list[list[Record]]:
        log, cell, said = Log(), Cell(), []
        own = replace(RULES, allocator=asked(ill=ill))
        for second in range(1, 12):
            for group, prefix in ((ILL, "ill"), (WELL, "well")):
                log.append(MEMBERS, group, join(f"{prefix}-{second}"), at=second * 1_000)
                log.append(ROUTES, group, route(version=second), at=second * 1_000)
            log.tick(ILL, at=second * 1_000)
            folded = fold(cell, log.read(), own)
            cell = folded.cell
            said.append(others(folded))
            assert ill is (state_of(cell).ailment is not None)
        return said

    assert life(ill=False) == life(ill=True)
