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
from streaming.startup import delivery, standby
from streaming.startup.standby import Standby
from streaming.startup.terms import CheckpointRefused, Terms, present_terms
from tests.builders.half_written import HalfWritten
from trimtab.protocol import HandOver

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


class Handing:
    """An active controller at work, while an operator asks the standby to take over."""

    last, is_read = "a", True

    def __init__(self, *_: object) -> None:
        self._said = [HandOver(controller="trimtab", principal="p", reason="r")]

    def listen(self) -> list[HandOver]:
        """Hear it once."""
        said, self._said = self._said, []
        return said

    def over(self) -> None:
        """It ticks."""

    def go_on(self) -> None:
        """Nothing is published."""

    def close(self) -> None:
        """Listen no more."""


class Writing:
    """A client of Kafka, and a rehearsal that went well."""

    def __init__(self, *_: object) -> None:
        """Connect."""

    def poll(self, *_: object) -> None:
        """Nothing was said."""

    def is_done(self) -> bool:
        """It was."""
        return True


def test_who_can_make_no_client_takes_over_from_nobody_at_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its feeds could not begin, and nobody would decide; when one can be made its turn comes.

    A certificate was renewed a moment ago, and for it an operator hands over.
    """
    settings = load(key_values=[f"home={tmp_path}"], environment={}).settings
    chosen = options(settings, bootstrap_servers="127.0.0.1:1", jars=tmp_path)
    made, turns, ready = HalfWritten(Writing, lacking=3), list[int](), list[int]()

    @contextmanager
    def rehearsed(*_: object) -> Iterator[Any]:
        yield Writing()

    def take_over(*_: object) -> tuple[int, ...]:
        turns.append(made.asked)
        return (0,)

    for name, it in {
        "Checkpoint": Another,
        "StatusWriter": lambda *_: NOTHING,
        "feeding": meanwhile,
        "rehearsing": rehearsed,
        "has_ended": lambda *_: False,
    }.items():
        monkeypatch.setattr(standing_by, name, it)
    monkeypatch.setattr(Another, "in_use", False)
    monkeypatch.setattr(delivery, "Producer", made)
    monkeypatch.setattr(delivery, "_SOON_S", -1.0)
    monkeypatch.setattr(standby, "Activity", Handing)
    monkeypatch.setattr(standby, "Following", Handing)
    monkeypatch.setattr(standby, "stand_by", lambda _: ready.append(made.asked))
    monkeypatch.setattr(Standby, "take_over", take_over)
    standing_by.activation_of(NOTHING, chosen, NOTHING, NOTHING, Event())

    assert ([5], [5]) == (turns, ready)
