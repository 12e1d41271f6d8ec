"""`docs/errors.md` names every error, and each text that it shows is one that the code makes."""

import pickle
import re
from pathlib import Path

import pytest

from tests.builders.checkout import text
from tests.unit.sdk.mistakes import MADE
from trimtab import errors
from trimtab.session import LossReason

PAGE = text(Path("docs/errors.md"))
PARTS = re.findall(r"^### `(\w+)`$", PAGE, flags=re.MULTILINE)


def test_every_error_has_a_part() -> None:
    """In the order of the tree, and nothing else has one."""
    drawn = re.findall(r"(?:├── |└── )(\w+)", errors.__doc__ or "")

    assert drawn == PARTS


def test_every_reason_of_a_loss_is_named() -> None:
    """As the log has it."""
    table = PAGE.split("## Queues that are lost")[1]

    assert [it.value for it in LossReason] == re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)


@pytest.mark.parametrize("name", errors.__all__)
def test_each_is_the_same_in_another_process(name: str) -> None:
    """A pool of processes hands on what its work has raised."""
    kind = getattr(errors, name)
    error = kind("garbage", "no JSON") if name == "UndecodableRecord" else kind("worker-1")
    there = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own

    assert (kind, str(error), vars(error)) == (type(there), str(there), vars(there))


@pytest.mark.slow
@pytest.mark.parametrize("kind", PARTS)
def test_the_examples_are_what_the_code_says(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Word for word, but for numbers; and the page shows all that is made here."""
    (part,) = re.findall(rf"^### `{kind}`\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    shown = "".join(re.findall(r"^```\n(.*?)^```", part, re.MULTILINE | re.DOTALL)).splitlines()

    assert [numberless(it) for it in shown] == [numberless(it) for it in MADE[kind](monkeypatch)]


def numberless(said: str) -> str:
    """Times and counts are different each time."""
    return re.sub(r"\d+(\.\d+)?", "0", said)
