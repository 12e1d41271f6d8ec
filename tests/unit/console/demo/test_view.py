"""The view: two sources in one picture, drawn to fit."""

from collections import Counter

import pytest
from rich.console import Console

from console.demo import narrator
from console.demo.board import Board, told
from console.demo.journal import AnyEntry, Processed, Started, Stopped
from console.demo.screen import render
from console.demo.summary import NANOSECONDS_PER_S
from console.demo.totals import Totals
from console.demo.view import (
    ControllerRow,
    Flow,
    HandoverRow,
    MemberRow,
    Pace,
    View,
    handover_rows,
    member_rows,
    ranges,
)
from tests.unit.console.demo.builders import a_group, an_assignment
from trimtab.protocol import Cause, MemberSummary, member_key

MS = 1_000_000
MOVED: list[AnyEntry] = [
    Started(0, "worker-1", tuple((queue, 1) for queue in range(8))),
    Stopped(100 * MS, "worker-1", (3, 4, 5, 7), "released"),
    Started(102 * MS, "worker-5", ((3, 2), (4, 2))),
    Started(104 * MS, "worker-5", ((5, 2), (7, 2))),
]


def a_view(
    board: Board, handovers: tuple[HandoverRow, ...], members: tuple[MemberRow, ...] = ()
) -> View:
    """Everything on the screen."""
    return View(
        headline="step 2 of 8: worker-5 joins (3 s)",
        shows="holders let go of its share, and it starts on their release",
        group=board.group,
        controller=ControllerRow(4_194_300, "ready"),
        members=members,
        handovers=handovers,
        flow=Flow(produced=123_456, processed=123_450, rate=2_000.1, outstanding=600, repeats=44),
    )


@pytest.mark.parametrize(
    ("queues", "text"), [((), ""), ((3,), "3"), ((0, 1, 2), "0-2"), ((9, 0, 1, 7), "0-1 7 9")]
)
def test_queues_are_told_as_ranges(queues: tuple[int, ...], text: str) -> None:
    """Neighbours in one breath."""
    assert ranges(queues) == text


def test_queues_of_one_decision_share_a_row() -> None:
    """The row has the longest rest of its queues and the cause of the heir's grants."""
    board = Board()
    board.pin(an_assignment("worker-1", epoch=2, give=((3, 1, 2), (4, 1, 2), (5, 1, 2), (7, 1, 2))))
    (row,) = handover_rows(Totals.of(MOVED).handovers(), board)

    assert (row.queues, row.giver, row.heir) == ((3, 4, 5, 7), "worker-1", "worker-5")
    assert (row.rest_ms, row.cause) == (4.0, "join worker-5")


def test_queues_of_one_decision_that_go_at_other_times_have_rows_of_their_own() -> None:
    """A standing heir may have been named with others, and begin when its holder leaves."""
    later: list[AnyEntry] = [
        Stopped(900 * MS, "worker-1", (2,), "released"),
        Started(902 * MS, "worker-5", ((2, 2),)),
    ]
    rows = handover_rows(Totals.of([*MOVED, *later]).handovers(), Board())

    assert [(2,), (3, 4, 5, 7)] == [it.queues for it in rows]


def test_a_cause_belongs_to_the_record_that_made_the_grant() -> None:
    """Later records repeat the grant under its epoch, for reasons of their own."""
    board = Board()
    board.pin(an_assignment("worker-1", epoch=2, give=((3, 1, 2),)))
    board.pin(an_assignment("worker-5", epoch=2, inherit=((3, 2),)))
    later = Cause(kind="expiry", subject="worker-3")
    board.pin(an_assignment("worker-5", epoch=3, hold=((3, 2), (9, 3)), cause=later))

    assert {grant: told(cause) for grant, cause in board.causes.items()} == {
        (3, 2): "join worker-5",
        (9, 3): "expiry worker-3",
    }


def test_a_hand_over_is_told_when_its_cause_is_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A standing heir begins before the controller says why; without a word it is told late."""
    times = iter([0, 5 * NANOSECONDS_PER_S, 6 * NANOSECONDS_PER_S, 6 * NANOSECONDS_PER_S])
    monkeypatch.setattr(narrator, "now", lambda: next(times))
    handover = Totals.of(MOVED).handovers()
    board, teller = Board(), narrator.PlainNarrator(quiet=False)
    teller.show(a_view(board, handover_rows(handover, board)))
    untold = capsys.readouterr().err
    board.pin(an_assignment("worker-5", epoch=5, hold=((3, 2), (4, 2), (5, 2), (7, 2))))
    teller.show(a_view(board, handover_rows(handover, board)))

    assert "" == untold
    assert "(join worker-5)" in capsys.readouterr().err


@pytest.mark.parametrize("told", [True, False], ids=["that drains", "that is gone"])
def test_a_standing_heir_begins_because_of_its_holder(*, told: bool) -> None:
    """Its grant was promised when it joined; the queue is handed over for another reason."""
    board, leaving = Board(), Cause(kind="drain", subject="worker-1")
    board.pin(an_assignment("worker-1", epoch=2, hold=((3, 1),)))
    board.pin(an_assignment("worker-5", epoch=2, inherit=((3, 2),)))
    promised = board.causes.get((3, 2))
    if told:
        board.pin(an_assignment("worker-1", epoch=4, give=((3, 1, 2),), cause=leaving))
    later = Cause(kind="expiry", subject="worker-3") if told else leaving
    board.pin(an_assignment("worker-5", epoch=5, hold=((3, 2),), cause=later))
    board.pin(an_assignment("worker-5", epoch=6, hold=((3, 2), (9, 6))))

    assert (None, leaving) == (promised, board.causes[3, 2])


def test_a_member_that_is_gone_leaves_the_board() -> None:
    """A null value takes its assignment down."""
    board = Board()
    board.pin(an_assignment("worker-5"))
    board.unpin(member_key("demo", "worker-5"))

    assert board.assignments == {}


def test_a_member_row_shows_what_is_done_and_what_was_told() -> None:
    """Queues by the journals, give by its record, the rest by the group's."""
    board = Board()
    fifth = MemberSummary(member="worker-5", hold=0, give=0, inherit=2, heir_of=3, draining=False)
    board.pin(a_group(people=(fifth,)))
    board.pin(an_assignment("worker-1", epoch=2, hold=((0, 1),), give=((3, 1), (4, 1))))
    one, five = member_rows({"worker-1": 11, "worker-5": None}, Totals.of(MOVED), board, {})

    assert (one.queues, one.give, one.inherit, one.epoch) == ((0, 1, 2, 6), 2, 0, 2)
    assert (five.pid, five.queues, five.epoch) == (None, (3, 4, 5, 7), 0)
    assert ((0, 0), (2, 3)) == ((one.inherit, one.heir_of), (five.inherit, five.heir_of))


def test_pace_looks_at_the_last_seconds() -> None:
    """A member that stopped is at zero once the window has passed."""
    pace = Pace()
    for second in range(10):
        pace.sample(second * NANOSECONDS_PER_S, Counter(a=50 * second, b=min(100, 50 * second)))

    assert pace.rates() == {"a": 50.0, "b": 0.0}
    assert Pace().rates() == {}


@pytest.mark.parametrize("width", [80, 120])
def test_the_screen_fits(width: int) -> None:
    """Five members, four hand-overs: no line is cut on 80 columns, all fits on 24 lines."""
    board = Board(group=a_group())
    totals = Totals.of([*MOVED, Processed(200 * MS, "worker-5", 3, 0)])
    board.pin(an_assignment("worker-5", epoch=2, hold=((3, 2), (4, 2), (5, 2), (7, 2))))
    pids = {f"worker-{number}": 4_194_300 + number for number in range(1, 6)}
    members = member_rows(pids, totals, board, {"worker-5": 53.2})
    view = a_view(board, handover_rows(totals.handovers(), board) * 9, members)
    console = Console(width=width, height=24, record=True)
    with console.capture() as capture:
        console.print(render(view, height=23))
    lines = capture.get().splitlines()

    assert len(lines) <= 23
    assert "\N{HORIZONTAL ELLIPSIS}" not in "\n".join(lines)
    assert any("queues 3-5 7" in line and "join worker-5" in line for line in lines)
