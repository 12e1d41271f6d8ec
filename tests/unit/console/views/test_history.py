"""What happened, a line each."""

import json

import pytest

from console.views import history, sentences
from tests.unit.console.views.published_records import (
    START_MS,
    cause,
    handed_over,
    joined,
    rebalanced,
)
from trimtab.protocol import HISTORY, HistoryRecord, Record


def test_each_line_has_a_time_a_cause_and_two_places() -> None:
    """That of the entry, and that of the event which caused it."""
    row = history.row("trimtab.history/3@7", joined("b"))

    assert {
        "at": "2026-01-01T00:00:00.000Z",
        "kind": "member",
        "what": "b joined",
        "cause": "join of b",
        "cause_place": "trimtab.members/3@90",
        "detail": None,
        "place": "trimtab.history/3@7",
    } == row


def test_a_command_is_named_by_what_it_says_and_not_by_its_number() -> None:
    """A number drawn at random tells nobody anything; where the command stands is said as well."""
    why = cause("c", 7).model_copy(
        update={"kind": "command", "subject": "7c29", "detail": "drain by ann: rack 7"}
    )
    entry = rebalanced(4, why=why)

    assert "command: drain by ann: rack 7" == history.row("here", entry)["cause"]
    assert "command, trimtab.members/3@7: drain by ann: rack 7" == sentences.reason(why)


@pytest.mark.parametrize("model", HISTORY.models, ids=lambda it: it.__name__)
def test_every_kind_of_entry_is_told_in_a_sentence(model: type[Record]) -> None:
    """With the same columns; none is shown as fields and values."""
    extra = model.model_config["json_schema_extra"]
    assert isinstance(extra, dict)
    example = json.dumps(extra["examples"][0])  # type: ignore[index]  # plain JSON
    row = history.row("here", model.model_validate_json(example))  # type: ignore[arg-type]  # of the history

    assert {*history.NARROW, *history.WIDE} == row.keys()
    assert not str(row["what"]).startswith(f"{row['kind']}: ")


@pytest.mark.parametrize(
    ("idle_ms", "what"),
    [
        (0, "(fenced)"),
        (10_200, "(fenced; without a worker for at most 10200 ms)"),
    ],
)
def test_a_hand_over_says_how_long_nobody_worked(idle_ms: int, what: str) -> None:
    """Ten seconds of silence are ten seconds, although nobody was told to let go."""
    said = {"duration_ms": 0, "idle_ms": idle_ms, "ending": "fenced"}
    row = history.row("here", handed_over(0, "a", "b").model_copy(update=said))

    assert f"orders-0 went from a to b under epoch 4 {what}" == row["what"]


def test_what_came_later_is_left_out() -> None:
    """Up to a moment, that included."""
    entries: list[tuple[str, HistoryRecord]] = [
        ("1", joined("a")),
        ("2", rebalanced(2, START_MS + 5)),
        ("3", joined("b", START_MS + 9)),
    ]

    assert ["1", "2"] == [row["place"] for row in history.rows(entries, START_MS + 5)]
