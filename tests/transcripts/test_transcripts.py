"""Every story is told again and compared, word for word."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders.amnesia import Remembered
from tests.transcripts.commands import run

STORIES = sorted(Path(__file__).parent.glob("*.txt"))
NOTHING = "(nothing)"


def told(text: str) -> str:
    """Tell a story again: its commands as they stand, its answers as they are now."""
    story = Remembered()
    blocks = ("\n".join(_block(story, block)) for block in text.strip().split("\n\n"))
    return "\n\n".join(blocks) + "\n"


def _block(story: Remembered, block: str) -> Iterator[str]:
    written = block.partition("\n----")[0].split("\n")
    yield from written
    commands = [line for line in written if not line.startswith("#")]
    if commands:
        yield "----"
        yield from list(run(story, commands)) or [NOTHING]


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_story(path: Path, pytestconfig: pytest.Config) -> None:
    """The same commands lead to the same decisions, for ever."""
    actual = told(path.read_text("utf-8"))
    if pytestconfig.getoption("rewrite"):
        path.write_text(actual, "utf-8")

    assert path.read_text("utf-8") == actual


def test_stories_are_found() -> None:
    """A folder that was moved must not turn into a test of nothing."""
    assert len(STORIES) >= 10
