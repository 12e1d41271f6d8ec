"""The checkout as the architecture tests see it: its files, its syntax trees and its settings.

Every test in this folder reads the repository through this module and nothing else, so that all of
them agree on what belongs to it: whatever a commit could hold, generated and personal files not.
"""

import ast
import os
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

_NOT_OURS = {"__pycache__", "build", "dist"}
_DOT_FOLDERS = {".ci"}
_PERSONAL = {".DS_Store", ".env", ".git"}
"""``.git`` is a file in a second work tree of the same repository."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def files(pattern: str = "*") -> tuple[Path, ...]:
    """The files of the checkout whose name matches, relative to its root, in order."""
    return tuple(sorted(path for path in _walk() if path.match(pattern)))


@cache
def text(path: Path) -> str:
    """What a file says; nothing, when it is not text."""
    try:
        return (ROOT / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(text(path), filename=str(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All of a module's syntax tree, in no order that means anything."""
    return tuple(ast.walk(tree(path)))


@cache
def settings(path: str = "pyproject.toml") -> dict[str, Any]:
    """A manifest, parsed."""
    return tomllib.loads(text(Path(path)))


def packages() -> list[str]:
    """The importable folders at the root."""
    return sorted(path.parent.name for path in files("__init__.py") if len(path.parts) == 2)


def controller_packages() -> list[str]:
    """The importable folders at the root that the controller's wheel carries."""
    return [name for name in packages() if name not in {"bench", "chaos", "tests"}]


def modules(*, tests: bool = True) -> list[Path]:
    """Every Python file."""
    return [path for path in files("*.py") if tests or path.parts[0] != "tests"]


@cache
def imports(path: Path) -> tuple[tuple[int, str], ...]:
    """Line and dotted name of everything that a module imports, wherever in it."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def calls(path: Path) -> Iterator[tuple[int, str]]:
    """Line and name of every plain function that a module calls."""
    for node in nodes(path):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.lineno, node.func.id


def functions(path: Path) -> Iterator[Function]:
    """Every function and method of a module."""
    return (node for node in nodes(path) if isinstance(node, Function))


def matches(pattern: str, paths: tuple[Path, ...]) -> list[str]:
    """`path:line: found` of everything in these files that a regular expression finds."""
    expression = re.compile(pattern)
    return [
        f"{path}:{number}: {found.group()}"
        for path in paths
        for number, line in enumerate(text(path).splitlines(), start=1)
        for found in expression.finditer(line)
    ]


def _walk() -> Iterator[Path]:
    for folder, below, names in os.walk(ROOT):
        below[:] = [name for name in below if _is_ours(name)]
        yield from (Path(folder, name).relative_to(ROOT) for name in names if name not in _PERSONAL)


def _is_ours(folder: str) -> bool:
    if folder.startswith("."):
        return folder in _DOT_FOLDERS
    return folder not in _NOT_OURS and not folder.endswith(".egg-info")
