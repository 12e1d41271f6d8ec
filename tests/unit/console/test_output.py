"""Tables for every terminal, the same rows for every program."""

import json
import os
import re
from collections.abc import Callable
from io import BytesIO, TextIOWrapper

import pytest
import yaml
from rich.cells import cell_len

from console.output import Format, Listing, columns, fields, write

ROWS = [{"name": "orders-7", "owner": None, "all": ["a", "b"]}]
LISTING = Listing("queues", ROWS, ("name", "owner"), ("all",))


def shown(capsys: pytest.CaptureFixture[str], output: Format) -> str:
    """What the listing prints."""
    LISTING.show(output)
    return capsys.readouterr().out


def test_programs_get_every_column_whatever_people_see(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON and YAML say the same; `wide` has more columns than the table."""
    assert {"queues": ROWS} == json.loads(shown(capsys, Format.JSON))
    assert {"queues": ROWS} == yaml.safe_load(shown(capsys, Format.YAML))
    assert "NAME      OWNER\norders-7  -\n" == shown(capsys, Format.TABLE)
    assert "NAME      OWNER  ALL\norders-7  -      a b\n" == shown(capsys, Format.WIDE)


@pytest.mark.parametrize("width", [40, 12])
def test_a_narrow_terminal_gets_a_block_for_each_row(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the table has room it stays a table."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    size = os.terminal_size((width, 24))
    monkeypatch.setattr("shutil.get_terminal_size", lambda fallback=(80, 24): size)  # noqa: ARG005 - pytest -v gives it
    table = "NAME      OWNER\norders-7  -\n"

    assert (table if width == 40 else "name   orders-7\nowner  -\n") == shown(capsys, Format.TABLE)


WRITTEN = "é 日本 😀 e\u0301"
ENCODINGS = ["ascii", "latin-1", "utf-8"]


def encoded(monkeypatch: pytest.MonkeyPatch, encoding: str) -> TextIOWrapper:
    """A stdout that escapes what this encoding lacks, as that of the command line does."""
    stream = TextIOWrapper(BytesIO(), encoding, errors="backslashreplace")
    monkeypatch.setattr("sys.stdout", stream)
    return stream


def read_back(stream: TextIOWrapper) -> str:
    """What whoever reads that stdout gets."""
    stream.flush()
    assert isinstance(stream.buffer, BytesIO)
    return stream.buffer.getvalue().decode(stream.encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(("output", "read"), [("json", json.loads), ("yaml", yaml.safe_load)])
def test_programs_read_every_name_in_every_encoding(
    monkeypatch: pytest.MonkeyPatch, encoding: str, output: str, read: Callable[[str], object]
) -> None:
    """What an encoding lacks is escaped as JSON and YAML do it; the rest stays as it is."""
    stream = encoded(monkeypatch, encoding)
    Listing("groups", [{"group": WRITTEN}], ("group",)).show(Format(output))

    assert {"groups": [{"group": WRITTEN}]} == read(read_back(stream))
    assert (encoding == "utf-8") == ("日本" in read_back(stream))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_columns_stay_in_line_whatever_is_written(
    monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    """A character may take two columns of a terminal, or none, or be escaped."""
    stream = encoded(monkeypatch, encoding)
    write(columns([{"group": it, "of": "x"} for it in (WRITTEN, "b")], "group", "of"))
    write(fields({"日": "x", "abc": "x"}))
    lines = read_back(stream).splitlines()

    # As rich measures them, not as we do.
    first, second = (
        [cell_len(it.rpartition(" ")[0]) for it in part] for part in (lines[:3], lines[3:])
    )
    assert [{"utf-8": 12, "latin-1": 34, "ascii": 37}[encoding]] * 3 == first
    assert encoding != "utf-8" or [4, 4] == second


def test_a_name_cannot_move_the_cursor() -> None:
    """Or begin a new row: what is not printable is escaped."""
    table = columns([{"name": "a\nb\x1b[2J"}], "name")

    assert ["NAME", r"a\nb\x1b[2J"] == table.splitlines()


STATES = Listing(
    "groups",
    [{"group": "a", "state": it} for it in ("stable, paused", "starved")],
    ("group", "state"),
)
PLAIN = "GROUP  STATE\na      stable, paused\na      starved\n"


def test_a_state_has_a_colour_where_somebody_sees_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal; not in a pipe, nor where there are to be none; columns stay where they are."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    STATES.show(Format.TABLE)
    assert PLAIN == capsys.readouterr().out

    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    STATES.show(Format.TABLE)
    seen = capsys.readouterr().out
    assert "\x1b[33mstable, paused\x1b[0m" in seen
    assert "\x1b[31mstarved\x1b[0m" in seen
    assert PLAIN == re.sub(r"\x1b\[\d+m", "", seen)

    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        monkeypatch.setenv(name, value)
        STATES.show(Format.TABLE)
        assert PLAIN == capsys.readouterr().out
        monkeypatch.delenv(name)
