"""A group that cannot be stepped loses nothing of what was found published of it."""

import pytest

from sinks import Record
from streaming.cell import containment
from streaming.cell.codec import Cell
from streaming.cell.fold import fold
from tests.builders.log import Log, join, route
from tests.unit.streaming.cell.failing import ILL, always, failing, letters
from tests.unit.streaming.cell.successor import (
    RULES,
    ailments,
    assignment,
    published,
    summaries,
    told,
)
from trimtab.protocol import (
    MEMBERS,
    ROUTES,
)


def many_join(log: Log, members: int) -> list[Record]:
    """What a group of many has published."""
    for number in range(members):
        log.append(MEMBERS, ILL, join(f"m{number}"), at=1_000)
    log.append(ROUTES, ILL, route(queues=members), at=1_000)
    return fold(Cell(), log.read(), RULES).records


@pytest.mark.slow
def test_an_ailing_group_keeps_all_that_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more members than there is room for other records; so it does not wait for ever."""
    log = Log()
    before = many_join(log, containment.MOST + 500)
    log.append(MEMBERS, ILL, join("new"), at=9_500)
    with monkeypatch.context() as patched:
        failing(patched, always)
        cell = fold(Cell(), told(log, before), RULES).cell
        log.append(MEMBERS, ILL, join("newer"), at=9_600)
        cell = fold(cell, log.read(), RULES).cell
    log.append(ROUTES, ILL, route("payments"), at=10_000)
    after = fold(cell, log.read(), RULES).records

    now = assignment(after)
    assert [None] == ailments(after)
    assert all(now[name] <= held for name, held in assignment(before).items())
    assert containment.MOST + 502 == len(now)


def test_what_was_found_is_heeded_though_another_record_is_to_blame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That goes to the dead letters by itself; or each published queue would be granted anew."""
    log = Log()
    before = published(log)
    with monkeypatch.context() as patched:
        failing(patched, lambda said: any(getattr(it, "member", "") == "poison" for it in said))
        log.append(MEMBERS, ILL, join("poison"), at=9_500)
        cell = fold(Cell(), told(log, before), RULES).cell
        log.append(MEMBERS, ILL, join("d"), at=9_600)
        folded = fold(cell, log.read(), RULES)

    after = assignment(folded.records)
    assert ["t.members"] == [it.topic for it in letters(folded)]
    assert all(after[name] <= held for name, held in assignment(before).items())
    assert set() == after["d"]


def test_a_summary_that_others_have_passed_is_not_published(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """While a group cannot be stepped that has been forgotten, its old one says more."""
    log = Log()
    before = published(log)
    failing(monkeypatch, always)
    folded = fold(Cell(), told(log, before), RULES)

    assert ["BrokenInvariant: two holders of orders-0"] == ailments(folded.records)
    assert [] == summaries(folded.records)
