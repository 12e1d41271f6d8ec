"""Each part of a group's state has one writer, so a reader knows where to look."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders.checkout import ROOT

GROUPS = ROOT / "rebalance" / "groups"
WRITERS = {
    "membership": ("members",),
    "topics": ("routing.py",),
    "target": ("succession.py", "target.py"),
    "handover": ("handover",),
    "rules": ("obeying.py",),
}
"""All may note in the outbox; ``conclusion`` sends it."""
OTHER_WRITERS = {
    ("adoption.py", "membership"): "it takes over what is published, once",
    ("adoption.py", "handover"): "as above",
}
CHANGES = {"add", "append", "clear", "discard", "pop", "put", "remove", "setdefault", "update"}


def written(tree: ast.AST) -> Iterator[str]:
    """Return the parts of a draft that a module writes to."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=changed, attr=verb)) if verb in CHANGES:
                yield from part_of(changed)
            case ast.Assign(targets=targets):
                for target in targets:
                    yield from assigned(target)
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                yield from assigned(target)
            case _:
                pass


def assigned(target: ast.expr) -> Iterator[str]:
    """Return the parts that an assignment changes."""
    match target:
        case ast.Tuple(elts=those):
            for one in those:
                yield from assigned(one)
        case ast.Subscript(value=of):
            yield from part_of(of)
        case ast.Attribute():
            yield from part_of(target)
        case _:
            pass


def part_of(changed: ast.expr) -> Iterator[str]:
    """Return the part in ``draft.part.field``, if it is one."""
    match changed:
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id="draft"), attr=part)):
            yield part
        case _:
            pass


def writers() -> dict[str, set[str]]:
    """Return who writes each part."""
    found = defaultdict(set)
    for file in GROUPS.rglob("*.py"):
        place = file.relative_to(GROUPS)
        if place.parts[0] != "model":
            for part in written(ast.parse(file.read_text())):
                found[part].add(str(place))
    return found


@pytest.mark.parametrize(("part", "allowed"), WRITERS.items(), ids=WRITERS.keys())
def test_part_has_one_writer(part: str, allowed: tuple[str, ...]) -> None:
    """Others ask its writer to change it."""
    strangers = {
        place
        for place in writers()[part]
        if Path(place).parts[0] not in allowed and (place, part) not in OTHER_WRITERS
    }

    assert set() == strangers


def test_writers_write() -> None:
    """A rule for a part that nobody writes would forbid nothing; so would an idle exception."""
    found = writers()

    assert WRITERS.keys() <= found.keys()
    assert all(place in found[part] for place, part in OTHER_WRITERS)


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("draft.topics.routes.put(a, b)", ["topics"]),
        ("draft.rules.paused = True", ["rules"]),
        ("draft.rules.paused, it = True, 1", ["rules"]),
        ("draft.handover.asked_causes[epoch] = cause", ["handover"]),
        ("draft.topics.routes.get(a)", []),
        ("it = draft.rules.paused", []),
    ],
)
def test_it_sees_who_writes(line: str, parts: list[str]) -> None:
    """The test would find what it forbids."""
    assert parts == list(written(ast.parse(line)))
