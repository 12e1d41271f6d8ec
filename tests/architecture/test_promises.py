"""A promise is worth the test that would fail if it were broken.

Documents name tests as `tests/folder/test_file.py::test_name`. Each promise of the README is a row
of docs/promises.md, each row there names at least one test, each fault of the catalogue one or "not
yet", and every name given anywhere is that of a test that exists.
"""

import re
from pathlib import Path

from tests.builders.checkout import ROOT, files, functions, text

README = Path("README.md")
PROMISES = Path("docs/promises.md")
SURVIVAL = Path("docs/survival.md")
FAULTS = {"A": 23, "B": 8, "C": 28, "D": 9, "F": 14, "G": 13, "H": 15}
"""The catalogue's chapters, and how many faults each has."""
REFERENCE = re.compile(r"(tests/[\w/]+\.py)::([\w:]+)")


def exists(path: Path, name: str) -> bool:
    """Whether the file holds that test, whatever class it stands in."""
    wanted = name.rsplit("::", maxsplit=1)[-1]
    return (ROOT / path).exists() and any(it.name == wanted for it in functions(path))


def promised() -> list[str]:
    """The names of the promises in the README's section on what it promises."""
    section = re.search(
        r"^## What it promises.*?(?=^## |\Z)", text(README), re.MULTILINE | re.DOTALL
    )
    return re.findall(r"^- \*\*([^*]+?)\.?\*\*", section.group() if section else "", re.MULTILINE)


def rows() -> list[str]:
    """The rows of the tables of promises, without their heads."""
    tables = re.findall(r"^\|[-|]+\|\n((?:\|.*\|\n)+)", text(PROMISES), re.MULTILINE)
    return [row for table in tables for row in table.splitlines()]


def test_every_promise_names_a_test() -> None:
    """Each promise of the README and each rule below it names a test that its breach would fail."""
    names = [name for row in rows() for name in re.findall(r"^\| \*\*([^*]+)\*\*", row)]

    assert 3 <= len(promised()) <= 6
    assert promised() == names[: len(promised())]
    assert [] == [row for row in rows() if not REFERENCE.search(row)]


def test_every_named_test_exists() -> None:
    """A test that a document names can be run."""
    offenders = [
        f"{document}: {path}::{name}"
        for document in files("*.md")
        for path, name in REFERENCE.findall(text(document))
        if not exists(Path(path), name)
    ]

    assert [] == offenders


def test_every_fault_names_its_test_or_says_not_yet() -> None:
    """The catalogue is whole, and a fault that nothing shows to be survived admits it."""
    rows = dict(re.findall(r"^\| ([A-H]\d+) \|(.*)\|$", text(SURVIVAL), re.MULTILINE))
    catalogue = [f"{chapter}{n}" for chapter, last in FAULTS.items() for n in range(1, last + 1)]

    assert catalogue == list(rows)
    assert [] == [
        fault
        for fault, row in rows.items()
        if bool(REFERENCE.search(row)) == row.rstrip().endswith("not yet")
    ]
