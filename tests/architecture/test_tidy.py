"""Sizes, names and words: the part of the style that a machine can hold us to.

The limits are those of CONTRIBUTING.md. A file or function that meets one wants to be two. What
ruff can see (prints, docstrings, complexity) is left to ruff.
"""

import ast
import re
from pathlib import Path

from tests.builders.checkout import ROOT, files, functions, matches, modules, text, tree

MODULE_LINES = 300
FUNCTION_LINES = 50
DOCSTRING_LINES = 3
BLOB_BYTES = 1024 * 1024

THIS = Path(__file__).relative_to(ROOT)

# Spelled in halves, or this file would be its own first offender.
LEFTOVERS = "|".join(["FIX" + "ME", "TO" + "DO", "XX" + "X", "HA" + "CK"])
NAMES_THAT_SAY_NOTHING = {"base", "common", "helper", "helpers", "manager", "misc", "util", "utils"}


def test_modules_are_short() -> None:
    """A module fits a reader's head: 300 lines at most."""
    lengths = {path: len(text(path).splitlines()) for path in modules()}

    assert [] == [f"{path}: {n} lines" for path, n in lengths.items() if n > MODULE_LINES]


def test_functions_are_short() -> None:
    """A function fits a screen: 50 lines at most, its docstring included."""
    offenders = [
        f"{path}:{function.lineno}: {function.name} has {length} lines"
        for path in modules()
        for function in functions(path)
        if (length := (function.end_lineno or function.lineno) - function.lineno + 1)
        > FUNCTION_LINES
    ]

    assert [] == offenders


def test_modules_open_with_their_idea() -> None:
    """A module says what it is, why, and for whom, before it says how."""
    offenders = [
        str(path)
        for path in modules(tests=False)
        if path.name not in {"__init__.py", "__main__.py"}
        and len((ast.get_docstring(tree(path)) or "").splitlines()) < DOCSTRING_LINES
    ]

    assert [] == offenders


def test_names_say_something() -> None:
    """No module is called after its being a module."""
    offenders = [
        str(path)
        for path in modules()
        if NAMES_THAT_SAY_NOTHING.intersection(re.split(r"[/_.]", str(path)))
    ]

    assert [] == offenders


def test_nothing_is_left_over() -> None:
    """What remains to be done is in the tracker, not in the text."""
    assert [] == matches(rf"\b({LEFTOVERS})\b", files())


def test_files_are_small() -> None:
    """Large files are fetched or generated, never kept in the repository."""
    sizes = {path: (ROOT / path).stat().st_size for path in files()}

    assert [] == [f"{path}: {size} bytes" for path, size in sizes.items() if size > BLOB_BYTES]


def test_no_test_is_skipped() -> None:
    """A test that cannot run is red, not invisible."""
    tests = tuple(path for path in modules() if path.parts[0] == "tests" and path != THIS)

    assert [] == matches(r"pytest\.skip|mark\.skip|mark\.xfail|importorskip", tests)


def test_the_changelog_keeps_its_form() -> None:
    """CHANGELOG.md keeps the form of Keep a Changelog: dated releases, six kinds of news."""
    headings = re.findall(r"^##.*", text(Path("CHANGELOG.md")), flags=re.MULTILINE)
    releases = [heading for heading in headings if heading.startswith("## ")]

    assert releases[:1] == ["## [Unreleased]"]
    assert [] == [
        heading
        for heading in headings[1:]
        if not re.fullmatch(r"## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", heading)
        and not re.fullmatch(r"### (Added|Changed|Deprecated|Removed|Fixed|Security)", heading)
    ]
