"""A promise is worth the test that would fail if it were broken.

Documents name tests as `tests/folder/test_file.py::test_name`. The README's guarantees each name
at least one, and every name given anywhere is that of a test that exists.
"""

import re
from pathlib import Path

from tests.architecture.checkout import ROOT, files, functions, text

REFERENCE = re.compile(r"(tests/[\w/]+\.py)::([\w:]+)")


def exists(path: Path, name: str) -> bool:
    """Whether the file holds that test, whatever class it stands in."""
    wanted = name.rsplit("::", maxsplit=1)[-1]
    return (ROOT / path).exists() and any(it.name == wanted for it in functions(path))


def guarantees() -> list[str]:
    """The list items of the README's section on guarantees."""
    sections = re.split(r"^## ", text(Path("README.md")), flags=re.MULTILINE)
    section = next(
        (it for it in sections if re.match(r"(what it )?guarantee", it, re.IGNORECASE)), ""
    )
    promised = re.split(r"^#{3,} |^\*{0,2}(?:Not|Non-)", section, flags=re.MULTILINE)[0]
    return re.split(r"^(?:[-*]|\d+\.) ", promised, flags=re.MULTILINE)[1:]


def test_every_guarantee_names_a_test() -> None:
    """Each guarantee of the README says which test would catch its breach."""
    assert guarantees(), "README.md has no list under a `## Guarantees` heading"
    assert [] == [promise for promise in guarantees() if not REFERENCE.search(promise)]


def test_every_named_test_exists() -> None:
    """A test that a document names can be run."""
    offenders = [
        f"{document}: {path}::{name}"
        for document in files("*.md")
        for path, name in REFERENCE.findall(text(document))
        if not exists(Path(path), name)
    ]

    assert [] == offenders
