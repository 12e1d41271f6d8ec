"""The member's session as vectors for other languages: each story is played again and compared.

`clients/vectors/*.json` holds them, and `docs/other-languages.md` says how a port plays them. What
goes in is written by hand; what comes out is the session's answer, and `--rewrite` writes it anew.
"""

import json
from pathlib import Path
from typing import Final

import pytest

from tests.builders.checkout import ROOT, text
from tests.builders.session_stories import Json, played

VECTORS: Final = sorted((ROOT / "clients" / "vectors").glob("*.json"))
PAGE: Final = text(Path("docs/other-languages.md"))


def written(story: Json) -> str:
    """A story as its file has it: a line for each thing that goes in or comes out."""
    head = [f" {json.dumps(name)}: {_line(it)}," for name, it in story.items() if name != "steps"]
    steps = ",\n".join(map(_step, story["steps"]))
    return "\n".join(["{", *head, ' "steps": [', steps, " ]", "}"]) + "\n"


def _step(step: Json) -> str:
    out = ",".join(f"\n    {_line(it)}" for it in step["out"])
    said = f'"say": {_line(step["say"])}, ' if "say" in step else ""
    return (
        f'  {{{said}"at": {step["at"]}, "in": {_line(step["in"])},\n'
        f'   "out": [{out}], "wake_at": {_line(step["wake_at"])}}}'
    )


def _line(it: object) -> str:
    return json.dumps(it, ensure_ascii=False)


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_session_plays_it(path: Path, pytestconfig: pytest.Config) -> None:
    """The same inputs lead to the same records and callbacks."""
    actual = written(played(json.loads(path.read_text("utf-8"))))
    if pytestconfig.getoption("rewrite"):
        path.write_text(actual, "utf-8")

    assert path.read_text("utf-8") == actual


def test_the_page_names_every_vector() -> None:
    """And a folder that was moved must not turn into a test of nothing."""
    named = [it for it in PAGE.split("`") if it.endswith(".json")]

    assert 15 <= len(VECTORS)
    assert {path.name for path in VECTORS} == set(named)
