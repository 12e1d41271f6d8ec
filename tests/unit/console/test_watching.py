"""Views that are shown again and again."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from threading import Event

import pytest
import yaml

from console import watching
from console.errors import Away, Failure
from console.output import Format, Remark, Shown
from console.watching import watched

CLEAR = "\x1b[H\x1b[2J"
COLUMNS, LINES = 80, 5
NOBODY = Remark("nobody works", "nobody")


class Enough(Exception):  # noqa: N818 - no error: the test has seen enough
    """What ends a view, as Ctrl-C does."""


def drawing(*results: object) -> Callable[[], Shown]:
    """A view that shows these one after the other; those that are errors it raises."""
    left: Iterator[object] = iter(results)

    def draw() -> Shown:
        it = next(left, Enough())
        if isinstance(it, Exception):
            raise it
        return Shown({"groups": it}, f"groups: {it}")

    return draw


def drawing_of(*tables: str) -> Callable[[], Shown]:
    """A view that shows these one after the other."""
    left = iter(tables)

    def draw() -> Shown:
        table = next(left, None)
        if table is None:
            raise Enough
        return Shown({}, table)

    return draw


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a rest between two."""
    monkeypatch.setattr(watching, "_EVERY_S", 0)


@pytest.fixture
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small one, which understands more than text."""
    monkeypatch.setattr(watching, "is_drawable", lambda: True)
    size = os.terminal_size((COLUMNS, LINES))
    monkeypatch.setattr("shutil.get_terminal_size", lambda *_, **__: size)


def test_programs_get_a_line_of_json_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    """And a document of YAML; without --watch JSON is for people to read, too."""
    for output in Format.JSON, Format.YAML:
        with pytest.raises(Enough):
            watched(drawing([1], [2]), output, watch=True)
    lines = capsys.readouterr().out.splitlines()
    assert [{"groups": [1]}, {"groups": [2]}] == [json.loads(it) for it in lines[:2]]
    assert [{"groups": [1]}, {"groups": [2]}] == [*yaml.safe_load_all("\n".join(lines[2:]))]

    watched(drawing([1]), Format.JSON, watch=False)
    assert 1 < len(capsys.readouterr().out.splitlines())


@pytest.mark.usefixtures("_terminal")
def test_a_kafka_that_is_away_is_said_above_what_is_old(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And gone when it is back; each is drawn over the last one."""
    with pytest.raises(Enough):
        watched(drawing(1, Away("Kafka is away"), 2), Format.TABLE, watch=True)

    away = "Kafka is away; it is asked again until it answers\ngroups: 1\n"
    assert ["", "groups: 1\n", away, "groups: 2\n"] == capsys.readouterr().out.split(CLEAR)


@pytest.mark.usefixtures("_terminal")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\nc\nd", "a\nb\nc\nd"),
        ("a\nb\nc\nd\ne", "a\nb\nc\nand 2 more lines"),
        (f"{'a' * (COLUMNS + 1)}\n\nb\nc", f"{'a' * (COLUMNS + 1)}\n\nand 2 more lines"),
    ],
    ids=["as many as there is room for", "too many", "too long"],
)
def test_as_much_is_drawn_as_there_is_room_for(
    capsys: pytest.CaptureFixture[str], text: str, shown: str
) -> None:
    """Else each drawing would scroll the heading away; the last line is the prompt's."""
    with pytest.raises(Enough):
        watched(drawing_of(text), Format.TABLE, watch=True)

    assert f"{CLEAR}{shown}\n" == capsys.readouterr().out


def test_a_dumb_terminal_gets_text_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it: it is read as a file is."""
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    text = "a\n" * LINES + "b"
    with pytest.raises(Enough):
        watched(drawing_of(text, text), Format.TABLE, watch=True)

    assert f"{text}\n{text}\n" == capsys.readouterr().out


@pytest.mark.usefixtures("_terminal")
def test_it_is_said_before_the_reader_gives_up(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stands there is old while nobody knows yet whether Kafka is away, or has much to say."""
    monkeypatch.setattr(watching, "PATIENCE_S", 0.2)
    answer, draw = Event(), drawing(1, 2)

    def late() -> Shown:
        shown = draw()
        if shown.result == {"groups": 2}:
            assert answer.wait(30)
        return shown

    def said(text: str) -> int:
        if "has not answered everything" in text:
            answer.set()
        return written(text)

    written = sys.stdout.write
    monkeypatch.setattr("sys.stdout.write", said)
    with pytest.raises(Enough):
        watched(late, Format.TABLE, watch=True)
    assert "groups: 2\n" == capsys.readouterr().out.split(CLEAR)[-1]


@pytest.mark.usefixtures("_terminal")
def test_what_is_to_be_said_of_a_view_is_above_it(capsys: pytest.CaptureFixture[str]) -> None:
    """As long as it is so."""
    said = iter([NOBODY, None])
    with pytest.raises(Enough):
        watched(drawing(1, 2), Format.TABLE, watch=True, remarks=lambda: [next(said)])

    views = ["", "nobody works\ngroups: 1\n", "groups: 2\n"]
    assert views == capsys.readouterr().out.split(CLEAR)


def test_what_is_to_be_said_is_said_to_programs_once(capsys: pytest.CaptureFixture[str]) -> None:
    """And again if it is so again, whatever else is so all the time."""
    said = iter([NOBODY, NOBODY, None, NOBODY])
    with pytest.raises(Enough):
        watched(
            drawing(1, 2, 3, 4),
            Format.JSON,
            watch=True,
            remarks=lambda: [next(said), Remark("one is missing", "left out")],
        )
    out, err = capsys.readouterr()

    assert 4 == len(out.splitlines())
    works = "trimtab: nobody works\n"
    assert f"{works}trimtab: one is missing\n{works}" == err


def test_something_else_that_is_to_be_said_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """Who was told that a controller fails must hear that it is gone, and that once."""
    told = iter([Remark("it fails", "fails"), NOBODY, Remark("for 300 s nobody works", "nobody")])
    with pytest.raises(Enough):
        watched(drawing(1, 2, 3), Format.JSON, watch=True, remarks=lambda: [next(told), None])

    assert "trimtab: it fails\ntrimtab: nobody works\n" == capsys.readouterr().err


def test_programs_are_told_once_and_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    """Stdout has what was asked for, and nothing else."""
    away = Away("Kafka is away")
    with pytest.raises(Enough):
        watched(drawing(1, away, away, 2), Format.JSON, watch=True)
    out, err = capsys.readouterr()

    assert 2 == len(out.splitlines())
    assert "trimtab: Kafka is away; it is asked again until it answers\n" == err


@pytest.mark.parametrize(
    "results", [(Away("no Kafka"),), (1, Failure("there is no group a"))], ids=["never", "gone"]
)
def test_what_waiting_does_not_mend_ends_it(results: tuple[object, ...]) -> None:
    """A Kafka that has never answered may have another address; a group may be gone."""
    with pytest.raises(Failure):
        watched(drawing(*results), Format.TABLE, watch=True)
