"""What a member of a round of chaos writes down when it is handed what is not its own."""

import subprocess
from pathlib import Path

import pytest

from bench.rocketmq.programs import FIVE, FOUR
from chaos.checks import violations
from chaos.history import Event, History, read
from chaos.store import Store
from chaos.work_in_hand import checks_of, with_tenures
from tests.builders.histories import at
from tests.integration.java_programs import java

pytestmark = pytest.mark.slow

LATE = "nobody works on what others own"


def handed(home: Path, kind: str, *tokens: str, library: str = FIVE) -> History:
    """What is written of messages that come to it under these tokens."""
    with Store(home) as store:
        told = ["m0.1", str(home / "m0.1.events"), str(store.port), kind, *tokens]
        subprocess.run([*java("ChaosRules", library), *told], check=True, timeout=60)
    return read(home)


@pytest.mark.parametrize("library", [FIVE, FOUR])
def test_what_comes_without_a_token_is_written_under_the_last_one(
    tmp_path: Path, library: str
) -> None:
    """It has no effect. A listener that asks for none would work on it beside the next owner."""
    history = handed(tmp_path, "gated", "-", "3", "-", "-", library=library)

    assert [("handed", it) for it in (-1, 3, 3, 3)] == told(history, "handed")
    assert [("done", it) for it in (-1, 3, 3, 3)] == told(history, "done")
    assert [("effect", 3)] == told(history, "effect")

    rest = history[-1].at / 1e9 + 1
    begun = [Event(it.at, "m1.1", "handed", 0, 4) for it in history if it.kind == "effect"]
    ends = [at(rest, "round", "healed"), at(rest, "round", "rested")]
    judged = violations(
        with_tenures(tuple(sorted([*history, *begun, *ends]))), checks_of(in_order=False)
    )
    assert 2 == len(judged[LATE])


def test_who_polls_by_itself_has_to_look(tmp_path: Path) -> None:
    """It has in hand what it was given before."""
    assert [("handed", 3)] == told(handed(tmp_path, "bare", "-", "3", "-"), "handed")


def told(history: History, kind: str) -> list[tuple[str, int]]:
    """All of a kind, with their tokens."""
    return [(it.kind, it.token) for it in history if it.kind == kind]
