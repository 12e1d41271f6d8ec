"""What the report makes of a history."""

from pathlib import Path
from xml.etree import ElementTree as ET

from chaos import report
from chaos.drawing import drawing
from chaos.faults import Kind
from chaos.history import Event, Recorder, S, read

HISTORY = (
    Event(0, "m0.1", "began", 0, 1),
    Event(1 * S, "round", "fault", said="killed m0"),
    Event(2 * S, "m0.1", "killed"),
    Event(4 * S, "m1.1", "began", 0, 2),
    Event(5 * S, "round", "cured", said="killed m0"),
    Event(6 * S, "m1.1", "gave", 0, 2),
)


def test_a_fault_is_shown_with_what_it_cost() -> None:
    """The longest time without an owner that began in it, by kind."""
    (row,) = report.faults(HISTORY)

    assert ("killed", 1, "2.00 s") == (row["fault"], row["times"], row["longest without owner"])
    assert 2.0 == report.figures(HISTORY)["longest_without_owner_s"]


def test_a_fault_that_comes_twice_is_shown_with_what_each_cost() -> None:
    """The first one begins where it began, and not where the second one did."""
    again = [Event(6 * S, "round", kind, said="killed m0") for kind in ("fault", "cured")]

    assert "2.00 s" == report.faults((*HISTORY, *again))[0]["longest without owner"]


def test_faults_that_did_not_come_are_shown() -> None:
    """With how often each was left out, because another one lasted."""
    omitted = Event(7 * S, "round", "omitted", said="frozen for a moment m1")
    rows = report.faults((*HISTORY, omitted), {Kind.KILL, Kind.BLINK, Kind.GROW})

    assert [("a partition more", 0, 0), ("frozen for a moment", 0, 1), ("killed", 1, 0)] == [
        (it["fault"], it["times"], it["left out"]) for it in rows
    ]


def test_of_a_round_without_messages_nothing_is_known() -> None:
    """Though no check finds anything in it."""
    work = [Event(7 * S, "m1.1", kind) for kind in ("acked", "handed", "committed")]

    assert 3 == len(list(report.too_little(HISTORY)))
    assert [] == list(report.too_little((*HISTORY, *work)))
    assert ["no fault came"] == list(report.too_little(tuple(work)))


def test_a_queue_that_stays_without_an_owner_counts_to_the_end() -> None:
    """It would look best otherwise."""
    history = (*HISTORY, Event(16 * S, "round", "rested"))

    assert 10.0 == report.figures(history)["longest_without_owner_s"]


def test_the_drawing_is_xml_with_a_bar_for_each_owner() -> None:
    """And says under the pointer who it was."""
    svg = ET.fromstring(drawing("a < b", HISTORY))  # noqa: S314 - our own
    titles = [it.text for it in svg.iter("{http://www.w3.org/2000/svg}title")]

    assert titles == [
        "queue 0: m0.1 under 1 for 2.000 s, killed",
        "queue 0: m1.1 under 2 for 2.000 s, gave",
    ]


def test_what_was_written_is_read_in_order(tmp_path: Path) -> None:
    """Of all files; a line that was cut off never happened."""
    for who in ("b", "a"):
        recorder = Recorder(tmp_path / f"{who}.events", who)
        recorder.write(it for it in HISTORY if it.who.startswith("m") is (who == "a"))
        recorder.close()
    with (tmp_path / "a.events").open("a") as file:
        file.write("[7, ")

    assert read(tmp_path) == HISTORY
