"""A summary counts what members were told, and nothing else."""

import pytest

from audit.checker import Checker, Promises
from audit.history import Place
from audit.wire import entries_of
from streaming.cell.codec import Cell
from streaming.cell.fold import fold
from tests.builders.log import Log, join, route, rules
from tests.unit.audit.histories import ShownHistory
from trimtab.protocol import ASSIGNMENTS, TOPICS, decode, encode

Counts = tuple[int, int, int]


def judged(*people: tuple[str, Counts], epoch: int = 2) -> list[str]:
    """Judge a summary of a group whose member a was told to hold two queues, and b to inherit."""
    told = ShownHistory()
    told.joined("a"), told.joined("b"), told.joined("c")
    told.issued("a", 1, hold="orders-0@1 orders-1@1 orders-2@1")
    told.issued("a", 2, hold="orders-0@1 orders-1@1", give="orders-2@1")
    told.issued("b", 2, inherit="orders-2@2<a@1")
    told.summarised(epoch, "reconciling", people=people)
    told.batch_ends()
    return told.wrong


@pytest.mark.parametrize(
    ("people", "wrong"),
    [
        ((("a", (2, 1, 0)), ("b", (0, 0, 1))), []),
        ((("a", (4, 1, 0)), ("b", (0, 0, 1))), ["I18"]),
        ((("a", (2, 0, 0)), ("b", (0, 0, 1))), ["I18"]),
        ((("a", (2, 1, 0)), ("b", (0, 0, 7))), ["I18"]),
        ((("c", (9, 0, 0)),), ["I18"]),
        ((("c", (0, 0, 0)),), []),
    ],
    ids=["agree", "more held", "less given", "more inherited", "told nothing", "has nothing"],
)
def test_counts_are_what_was_told(people: tuple[tuple[str, Counts], ...], wrong: list[str]) -> None:
    """Each member by its newest orders."""
    assert wrong == judged(*people)


def test_who_was_told_nothing_that_was_kept_is_not_judged() -> None:
    """Of recorded topics compaction may have taken it."""
    told = ShownHistory(Promises())
    told.joined("c")
    told.summarised(2, people=(("c", (9, 0, 0)),))
    told.ends()
    assert [] == told.wrong


def test_who_is_gone_before_its_summary_is_judged_may_have_been_told() -> None:
    """A batch that was cut short is judged by the next one, which may begin with a younger life."""
    told = ShownHistory()
    told.joined("a"), told.joined("a:2")
    told.issued("a", 1, hold="orders-0@1")
    told.summarised(1, people=(("a", (1, 0, 0)),))
    told.issued("a:2", 2, inherit="orders-0@2<a@1")
    told.batch_ends()
    assert [] == told.wrong


def test_who_went_after_a_batch_that_was_cut_short_is_forgotten_with_it() -> None:
    """Its summary was read by then, and the next one no longer counts it."""
    told = ShownHistory()
    told.joined("a")
    told.issued("a", 1, hold="orders-0@1")
    told.summarised(1, people=(("a", (1, 0, 0)),))
    told.withdrawn("a")
    told.summarised(2)
    told.batch_ends()
    assert [] == told.wrong


def test_older_summaries_are_not_held_against_newer_assignments() -> None:
    """They told what was true then."""
    assert [] == judged(("a", (3, 0, 0)), epoch=1)


def test_a_summary_is_judged_when_its_batch_is_over() -> None:
    """Its members' orders may stand behind it; those of the next epoch are another matter."""
    told = ShownHistory(Promises())
    told.joined("a")
    told.summarised(1, people=(("a", (1, 0, 0)),))
    told.issued("a", 1, hold="orders-0@1")
    told.issued("a", 2, hold="orders-0@1 orders-1@2")
    assert [] == told.wrong
    told.summarised(2, people=(("a", (1, 0, 0)),))
    told.ends()
    assert ["I18"] == told.wrong


def test_a_later_summary_does_not_show_that_all_was_said() -> None:
    """The broker that leads their topic may have a clock that is behind."""
    told = ShownHistory(Promises())
    told.joined("a")
    told.issued("a", 1, hold="orders-0@1")
    told.summarised(2, people=(("a", (2, 0, 0)),))
    told.summarised(3, people=(("a", (1, 1, 0)),))
    told.issued("a", 2, hold="orders-0@1 orders-1@2")
    told.issued("a", 3, hold="orders-0@1", give="orders-1@2")
    told.ends()
    assert [] == told.wrong


def test_who_is_gone_is_forgotten() -> None:
    """A member may come back under its name and be told less."""
    told = ShownHistory()
    told.joined("a"), told.issued("a", 1, hold="orders-0@1"), told.withdrawn("a")
    told.summarised(2, people=(("a", (0, 0, 0)),))
    told.batch_ends()
    assert [] == told.wrong


def test_what_is_shared_by_command_counts_as_held() -> None:
    """The summary says on how many queues a member works."""
    told = ShownHistory()
    told.joined("a", "visits orders", eager=1)
    told.issued("a", 1, hold="visits-0@1", share="orders-0@1 orders-1@1")
    told.summarised(1, people=(("a", (3, 0, 0)),))
    told.batch_ends()
    assert [] == told.wrong


@pytest.mark.parametrize("cut", [False, True])
def test_a_record_that_was_cut_is_found_by_what_was_published(*, cut: bool) -> None:
    """Half of what the books hold was told, and the summary said "stable" (a fault of once)."""
    log = Log()
    log.append(TOPICS["members"], "billing", join("a"), at=1_000)
    log.append(TOPICS["routes"], "billing", route(queues=8), at=1_001)
    checker, wrong = Checker(), list[str]()
    for offset, record in enumerate(fold(Cell(), log.read(), rules()).records):
        topic, value = TOPICS[record.topic.removeprefix("t.")], record.value
        if cut and topic is ASSIGNMENTS:
            orders = decode(ASSIGNMENTS, value)
            value = encode(orders.model_copy(update={"hold": orders.hold[:4]}))
        at = Place(topic.name, record.partition, offset, 1_002)
        for entry in entries_of(topic, at, record.key, value):
            wrong += map(str, checker.take(entry))
    wrong += map(str, checker.ends())

    assert cut == any(line.startswith("I18") for line in wrong)
    assert cut == bool(wrong)
