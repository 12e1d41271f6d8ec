"""How the demo is told without a screen: lines and a table that say all there is to say."""

import pytest

from console.demo.narrator import PlainNarrator, handover_line
from console.demo.report import report
from console.demo.summary import Outcome, StepFigures, Summary
from console.demo.view import ControllerRow, Flow, HandoverRow, View

ROW = HandoverRow(
    queues=(3, 4, 5, 7),
    giver="worker-1",
    heir="worker-5",
    epoch=2,
    since=0,
    at=0,
    rest_ms=4.04,
    cause="join worker-5",
)
QUIET = Flow(produced=0, processed=0, rate=0.0, outstanding=0, repeats=0)


def a_summary(*, repeats: int = 0) -> Summary:
    """The summary of a short demo."""
    return Summary(
        steps=(
            StepFigures("4 members join", 9.84, 0, None, None, None),
            StepFigures("worker-5 joins", 0.92, 6, 3.14, 4.04, None),
        ),
        moves=6,
        produced=12_345,
        processed=12_345 + repeats,
        seen_twice=repeats,
        seen_twice_after_kill=repeats,
        lost=0,
        owned_twice=0,
        strays=0,
        problems=(),
    )


def test_the_report_has_a_line_for_each_step() -> None:
    """Figures with units, and a dash where nothing moved."""
    lines = report(a_summary()).splitlines()

    assert lines[:3] == [
        "STEP            STABLE AFTER  MOVES  AT REST P50  MAX",
        "4 members join  9.8 s         0      -            -",
        "worker-5 joins  0.9 s         6      3.1 ms       4.0 ms",
    ]
    assert lines[3:] == [
        "",
        "A queue is at rest from its holder's stop to its heir's start.",
        "Two members owned a queue at once: 0 times.",
        "Messages: 12,345 produced, 12,345 processed, 0 seen twice, 0 lost.",
    ]


def test_the_report_explains_what_was_seen_twice() -> None:
    """Only then: nobody need wonder about nothing."""
    calm, killed = report(a_summary()), report(a_summary(repeats=44))

    assert "kill" not in calm
    assert "Of those seen twice, 44 are the kill's: processed, not yet committed." in killed


def test_the_report_fits_a_terminal() -> None:
    """No line is longer than 80 columns with figures as they come."""
    assert max(map(len, report(a_summary(repeats=44)).splitlines())) <= 80


def test_a_handover_is_one_line() -> None:
    """Which queues, from whom to whom, how long, and why."""
    assert handover_line(ROW) == (
        "queues 3-5 7: worker-1 -> worker-5, at rest for 4.0 ms (join worker-5)"
    )


def test_plain_lines_tell_each_handover_once(capsys: pytest.CaptureFixture[str]) -> None:
    """However often the picture is shown; on stderr, as progress is."""
    view = View(
        headline="",
        shows="",
        group=None,
        controller=ControllerRow(None, "killed"),
        members=(),
        handovers=(ROW,),
        flow=QUIET,
    )
    narrator = PlainNarrator(quiet=False)
    narrator.begin("step 2 of 8: worker-5 joins", "a hand-over")
    narrator.show(view)
    narrator.show(view)
    narrator.end(Outcome("worker-5 joins", begun=0, stable=900_000_000))
    said = capsys.readouterr()

    assert said.out == ""
    assert [line.partition(" s  ")[2] for line in said.err.splitlines()] == [
        "step 2 of 8: worker-5 joins: a hand-over",
        f"  {handover_line(ROW)}",
        "  stable after 0.9 s",
    ]


def test_a_quiet_demo_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """`trimtab -q demo`: the summary alone."""
    PlainNarrator(quiet=True).begin("step 2 of 8: worker-5 joins", "a hand-over")

    assert capsys.readouterr().err == ""
