"""One meaning a word: the glossary's rows, and names that were given up for plainer ones."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders.checkout import files, modules, text

GLOSSARY = Path("docs/glossary.md")
PICTURES = ("baton", "heir", "books", "cell", "tick", "fence", "jury", "twins")

GIVEN_UP = {
    "beaten": "last_beat_at, sent, with_beats",
    "buried": "kept",
    "cloakroom": "packed",
    "crew": "members",
    "crowd": "members, a population",
    "drawer": "packed",
    "guest": "a member that owns nothing",
    "heirloom": "what is inherited",
    "juror": "a reporter",
    "ledger": "drafted books, broker times, totals",
    "office": "a dead letter",
    "strike": "hit, remove, drop",
    "striking": "an injector",
    "struck": "hit, removed, dropped",
    "town": "a world of brokers",
    "visitor": "a newcomer",
    "ward": "a full cell",
}
"""Pictures and words with a second meaning, and what is said in their place."""
ORDER = "a command, an assignment, or a wanted side"
"""What a class is that is called an order; of functions and modules it is what sorts."""
DEFINED = re.compile(
    r"^ *(?:(?:class|def|async def) (\w+)|((?:[\w.]+, )*[\w.]+)(?:: | \+?= ))", re.MULTILINE
)
"""Classes and functions, and to what something is assigned; of a tuple all names at once."""
DECLARED = re.compile(r"^(?! *(?:\*|/)).*?\b(\w+)(?: =|;|\()", re.MULTILINE)
"""In Java: the first such name of a line that is no comment."""
CLASS = re.compile(r"^ *class (\w+)", re.MULTILINE)
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def test_a_word_has_one_row() -> None:
    """Two rows would be two meanings."""
    rows = re.findall(r"^\| (\*\*.+?) \|", text(GLOSSARY), re.MULTILINE)
    words = [word for row in rows for word in re.findall(r"\*\*(.+?)\*\*", row)]

    assert [] == sorted({word for word in words if words.count(word) > 1})
    assert set(PICTURES) <= set(words)


def test_words_that_were_given_up_stay_away() -> None:
    """Names of modules, classes, functions and variables say the plainer word, in Java, too."""
    found = [
        f"{path}: {name}: say {GIVEN_UP[word]}"
        for path in (*modules(), *files("*.java"))
        for name in names(path)
        for word in words_of(name)
        if word in GIVEN_UP
    ]

    assert [] == found


def test_an_order_only_sorts() -> None:
    """Nobody is given an order: the wire calls it a command."""
    found = [
        f"{path}: {name}: say {ORDER}"
        for path in modules()
        for name in CLASS.findall(text(path))
        if {"order", "ordered"} & set(words_of(name))
    ]

    assert [] == found


def test_a_name_is_read_word_by_word() -> None:
    """However it is written, and in the plural."""
    assert ["heirloom", "of", "guest"] == list(words_of("HeirloomOf_guests"))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("    def _strike(self) -> None:", ["_strike"]),
        ("    beaten_at: int", ["beaten_at"]),
        ("        self._town, self.it = 1, 2", ["self._town, self.it"]),
        ("        if town == 1:", []),
    ],
)
def test_it_sees_what_is_named(line: str, found: list[str]) -> None:
    """The test would find what it forbids."""
    assert found == list(defined(line))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("    private long beatenAt;", ["beatenAt"]),
        ("    void beaten(long now) {", ["beaten"]),
        ("        long town = 1;", ["town"]),
        ("     * A town;", []),
    ],
)
def test_it_sees_what_is_named_in_java(line: str, found: list[str]) -> None:
    """As above."""
    assert found == DECLARED.findall(line)


def names(path: Path) -> Iterator[str]:
    """The module's own name, and those of all that it defines."""
    yield path.stem
    yield from defined(text(path)) if path.suffix == ".py" else DECLARED.findall(text(path))


def defined(code: str) -> Iterator[str]:
    """Return the names that Python code defines."""
    for definition, assigned in DEFINED.findall(code):
        yield definition or assigned


def words_of(name: str) -> Iterator[str]:
    """The words of a name, each in the singular."""
    for word in WORD.findall(name):
        yield word.lower().removesuffix("s")
