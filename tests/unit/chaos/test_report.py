"""What the report makes of a history."""

from pathlib import Path
from xml.etree import ElementTree as ET

from chaos import report
from chaos.drawing import drawing
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

    assert {"fault": "killed", "times": 1, "longest without owner": "2.00 s"} == row
    assert 2.0 == report.figures(HISTORY)["longest_without_owner_s"]


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
