"""How a standby's turn begins; on a real Kafka it takes over in ``tests.integration``."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from console.settings import load
from console.wiring import options
from streaming import standing_by
from streaming.startup.terms import CheckpointRefused, Terms, present_terms

NOTHING: Any = None


class Turn:
    """A standby whose turn has come."""

    said: list[str]
    has_relieved = False

    def __init__(self, *_: object) -> None:
        """Follow."""

    def wait(self) -> object:
        """Have read what is published."""
        return object()

    def take_over(self, start: str, *_: object) -> tuple[int, ...]:
        """End the other controller."""
        self.said.append(start)
        return (0,)


class Another:
    """The checkpoint that the other controller has begun meanwhile."""

    in_use = True
    kept: Terms

    def __init__(self, *_: object) -> None:
        """Find it."""

    def present(self) -> str:
        """Return where it is."""
        return "/c"

    def damage(self) -> list[str]:
        """It is whole."""
        return []

    def has_damaged_terms(self) -> bool:
        """Nor are they."""
        return False

    def terms(self) -> Terms:
        """With what it was begun."""
        return self.kept

    def options(self) -> dict[str, str]:
        """Spark has frozen none."""
        return {}

    def take_away(self, start: str) -> str:
        """Give it another name."""
        return f"/c.at-{start}"


@contextmanager
def meanwhile(*_: object) -> Iterator[Any]:
    """Do nothing beside."""
    yield lambda: None


@pytest.mark.parametrize(("cells", "refused"), [(1, False), (4, True)])
def test_what_was_begun_under_others_while_it_waited_is_refused_before_its_turn(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    cells: int,
    refused: bool,  # noqa: FBT001 - a column
) -> None:
    """Groups would be looked for in other cells, and the controller at work is not replaced."""
    settings = load(key_values=[f"home={tmp_path}"], environment={}).settings
    chosen = options(settings, bootstrap_servers="127.0.0.1:1", jars=tmp_path)
    begun = options(
        load(
            key_values=[f"home={tmp_path}", f"controller.cells_per_partition={cells}"],
            environment={},
        ).settings,
        bootstrap_servers="127.0.0.1:1",
        jars=tmp_path,
    )
    monkeypatch.setattr(Turn, "said", [], raising=False)
    monkeypatch.setattr(Another, "kept", present_terms(begun, "kafka-1", {}), raising=False)
    for name, it in {
        "Standby": Turn,
        "Checkpoint": Another,
        "StartWriter": lambda *_: NOTHING,
        "StatusWriter": lambda *_: NOTHING,
        "feeding": meanwhile,
        "rehearsing": meanwhile,
    }.items():
        monkeypatch.setattr(standing_by, name, it)

    def takes_its_turn() -> object:
        return standing_by.activation_of(NOTHING, chosen, NOTHING, NOTHING, Event())

    if refused:
        with pytest.raises(CheckpointRefused, match="cells_per_partition is 1, but the checkpoint"):
            takes_its_turn()
    else:
        takes_its_turn()
    assert refused == (Turn.said == [])
