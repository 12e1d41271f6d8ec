"""One meaning a word: the glossary's rows, and names that were given up for plainer ones."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.builders.checkout import modules, text

GLOSSARY = Path("docs/glossary.md")
PICTURES = ("baton", "heir", "books", "cell", "tick", "fence", "jury", "twins")

GIVEN_UP = {
    "beaten": "beat, sent, with_beats",
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
    "town": "a world of brokers",
    "visitor": "a newcomer",
    "ward": "a full cell",
}
"""Pictures and words with a second meaning, and what is said in their place."""
ORDER = "a command, an assignment, or a wanted side"
"""What a class is that is called an order; of functions and modules it is what sorts."""
DEFINED = re.compile(r"^ *(?:class|def|async def) (\w+)", re.MULTILINE)
CLASS = re.compile(r"^ *class (\w+)", re.MULTILINE)
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def test_a_word_has_one_row() -> None:
    """Two rows would be two meanings."""
    rows = re.findall(r"^\| (\*\*.+?) \|", text(GLOSSARY), re.MULTILINE)
    words = [word for row in rows for word in re.findall(r"\*\*(.+?)\*\*", row)]

    assert [] == sorted({word for word in words if words.count(word) > 1})
    assert set(PICTURES) <= set(words)


def test_words_that_were_given_up_stay_away() -> None:
    """Names of classes and functions, and of modules, say the plainer word."""
    found = [
        f"{path}: {name}: say {GIVEN_UP[word]}"
        for path in modules()
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


def names(path: Path) -> Iterator[str]:
    """The module's own name, and those of all that it defines."""
    yield path.stem
    yield from DEFINED.findall(text(path))


def words_of(name: str) -> Iterator[str]:
    """The words of a name, each in the singular."""
    for word in WORD.findall(name):
        yield word.lower().removesuffix("s")
