"""The pure folders stay pure: the same input gives the same bytes, today and on replay.

A list of what is forbidden forgets something; so each pure folder has a list of what it may
import, and everything else is forbidden: clocks, chance, files, sockets, threads, logs, settings.
Ruff bans the clocks too (TID251), so that an editor says it at once; both work on the same files.
"""

import re
from pathlib import Path

import pytest

from tests.builders.checkout import calls, files, imports, settings

SDK = "clients/python/src/trimtab"

# Of the standard library, what only computes: on values, and on text and bytes.
VALUES = {"abc", "bisect", "collections", "dataclasses", "enum", "fractions", "functools", "heapq"}
VALUES |= {"itertools", "math", "operator", "re", "types", "typing"}
BYTES = {"base64", "binascii", "hashlib", "json", "string", "struct", "unicodedata"}

# A user's own strategy is found by its name, `module:factory`; the registry alone looks there.
BY_NAME = {"importlib.import_module"}

MAY_IMPORT = {
    "rebalance": VALUES | {"rebalance", "trimtab.faults"},
    "allocators": VALUES | BYTES | BY_NAME | {"allocators", "numpy", "rebalance"},
    "audit": VALUES | {"audit", "trimtab.protocol"},
    "sinks": VALUES | BYTES | {"rebalance", "sinks", "trimtab.protocol"},
    f"{SDK}/faults": VALUES | {"trimtab.faults"},
    f"{SDK}/protocol": VALUES | BYTES | {"pydantic", "pydantic_core", "trimtab.protocol"},
    f"{SDK}/session": VALUES | {"trimtab.protocol", "trimtab.session"},
}

# `hash` and `id` differ from process to process; the others reach outside.
REACH_OUTSIDE = {"__import__", "breakpoint", "eval", "exec", "hash", "id", "input", "open", "print"}


def modules_of(folder: str) -> list[Path]:
    """The modules of a pure folder, or the one module that it is."""
    return [path for path in files("*.py") if re.match(rf"{folder}(_\w+)?(/|\.py)", str(path))]


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_a_pure_folder_imports_only_what_is_on_its_list(folder: str) -> None:
    """No clock, chance, thread, file, log or environment can come in by an import."""
    allowed = MAY_IMPORT[folder]
    offenders = [
        f"{path}:{line}: {name}"
        for path in modules_of(folder)
        for line, name in imports(path)
        if not any(name == entry or name.startswith(f"{entry}.") for entry in allowed)
    ]

    assert modules_of(folder), f"{folder} has no modules: the list is out of date"
    assert [] == offenders


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_a_pure_folder_does_not_reach_outside(folder: str) -> None:
    """No built-in function lets the world in, or a per-process salt."""
    offenders = [
        f"{path}:{line}: {name}()"
        for path in modules_of(folder)
        for line, name in calls(path)
        if name in REACH_OUTSIDE
    ]

    assert [] == offenders


def test_ruff_guards_the_same_folders() -> None:
    """The ban on clocks and chance (TID251) covers exactly the folders of this list."""
    exempted = settings()["tool"]["ruff"]["lint"]["per-file-ignores"]
    (pure,) = [pattern for pattern, rules in exempted.items() if "TID251" in rules]
    guarded = {re.sub(r"(/\*\*|\*|\*/\*\*)$", "", entry) for entry in pure.strip("!{}").split(",")}

    assert set(MAY_IMPORT) == guarded
