"""What the documents say is so: their links lead somewhere, their commands exist.

Also, that no file of the project knows the machine on which it was written: where packages come
from and where a checkout lies is the business of whoever installs it.
"""

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.builders.checkout import ROOT, files, matches, text

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", flags=re.MULTILINE)
FENCED = re.compile(r"^(```|~~~).*?^\1", flags=re.MULTILINE | re.DOTALL)

THIS = Path(__file__).relative_to(ROOT)
REGISTRIES = (
    r"pypi\.org|pythonhosted\.org|repo1?\.maven\.(apache\.)?org|repo\.maven|--(extra-)?index-url"
)
MACHINES = r"(?<![\w.}])/(root|work|(home|Users)/\w+)/|/tmp/\w+"


def prose(document: Path) -> str:
    """A document without its code blocks, in which brackets mean something else."""
    return FENCED.sub("", text(document))


def anchors(document: Path) -> set[str]:
    """The names that the headings of a document get, as GitHub makes them."""
    names = [
        re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower())
        for heading in HEADING.findall(prose(document))
    ]
    seen: Counter[str] = Counter()
    result = set()
    for name in (name.replace(" ", "-") for name in names):
        result.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return result


def is_alive(document: Path, link: str) -> bool:
    """Whether a relative link of a document leads to a file, and to a heading in it."""
    path, _, anchor = link.partition("#")
    target = (ROOT / document.parent / path).resolve() if path else ROOT / document
    if not target.exists() or not target.is_relative_to(ROOT):
        return False
    return not anchor or target.suffix != ".md" or anchor in anchors(target.relative_to(ROOT))


@pytest.mark.parametrize("document", files("*.md"), ids=str)
def test_links_are_alive(document: Path) -> None:
    """Every relative link leads to a file of this repository, and its anchor to a heading."""
    links = [first or second for first, second in LINK.findall(prose(document))]
    inward = [link for link in links if not re.match(r"[a-z]+:", link)]

    assert [] == [link for link in inward if not is_alive(document, link)]


def test_every_import_in_java_exists() -> None:
    """Whatever class of ours a document tells people to import is there."""
    ours = [it.as_posix() for it in files("*.java")]
    named = {
        name
        for document in files("*.md")
        for name in re.findall(r"^import (trimtab\.[\w.]+);", text(document), flags=re.MULTILINE)
    }

    assert "trimtab.rocketmq.Trimtab" in named
    places = {name: f"/{name.replace('.', '/')}.java" for name in named}
    assert [] == [name for name, at in places.items() if not any(it.endswith(at) for it in ours)]


def test_every_make_command_exists() -> None:
    """Whatever `make ...` a document tells people to type is a target."""
    targets = re.findall(r"^([a-z][\w-]*):.*##", text(Path("Makefile")), flags=re.MULTILINE)
    offenders = [
        f"{document}: make {target}"
        for document in files("*.md")
        for target in re.findall(r"(?:^|`)make ([a-z][\w-]*)", text(document), flags=re.MULTILINE)
        if target not in targets
    ]

    assert [] == offenders


def test_ci_runs_the_commands_of_the_readme() -> None:
    """CI types what the README tells a newcomer to type, and nothing else."""
    script = text(Path(".ci/run"))
    commands = re.findall(r"^(?:exec )?(make [\w ]+?)(?: <.*)?$", script, flags=re.MULTILINE)
    shown = re.findall(r"^(make \w+)", text(Path("README.md")), flags=re.MULTILINE)

    assert commands == ["make test"]
    assert set(commands) <= set(shown)


def test_every_target_is_explained() -> None:
    """A target that people may call says in the help what it does."""
    makefile = text(Path("Makefile"))
    public = {
        name
        for line in re.findall(r"^\.PHONY: (.*)$", makefile, flags=re.MULTILINE)
        for name in line.split()
        if not name.startswith(".")
    }

    assert public == set(re.findall(r"^([a-z-]+):.*## \S", makefile, flags=re.MULTILINE))


def test_nobody_promises_a_hand_over_without_a_gap() -> None:
    """There is one, of a trip through Kafka, and the history says how long it was."""
    promise = "without" + r"\s+a\s+gap"

    assert [] == matches(promise, tuple(path for path in files() if path != THIS))


def test_no_file_names_a_registry() -> None:
    """Packages and jars come from wherever the machine is set up to get them."""
    assert [] == matches(REGISTRIES, tuple(path for path in files() if path != THIS))


def test_no_file_names_a_machine() -> None:
    """A checkout works wherever it lies: no absolute path of anybody's computer."""
    assert [] == matches(MACHINES, tuple(path for path in files() if path != THIS))
