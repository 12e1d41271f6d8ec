"""Each part of a group's state has one writer, so a reader knows where to look."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.builders.checkout import ROOT

GROUPS = ROOT / "rebalance" / "groups"
WRITERS = {
    "membership": ("members",),
    "topics": ("routing.py",),
    "target": ("in_force.py", "succession.py", "target.py"),
    "handover": ("handover",),
    "rules": ("obeying.py",),
}
"""All may note in the outbox; ``conclusion`` sends it."""
OTHER_WRITERS = {
    ("adoption.py", "membership"): "it takes over what is published, once",
    ("adoption.py", "handover"): "as above",
    ("adoption.py", "target"): "as above",
    ("ailments.py", "target"): "what was withheld is due at once",
    ("members/dismissals.py", "rules"): "an adoption finds who was commanded to drain",
    ("obeying.py", "target"): "an operator waits for no interval, or wants another strategy",
    ("pace.py", "membership"): "who beats less often is believed in for longer",
    ("pace.py", "rules"): "for ``obeying``: a pace is a command",
    ("settings.py", "rules"): "an adoption finds what operators had set",
    ("settings.py", "target"): "as above: another strategy is wanted",
    ("timers.py", "rules"): "a pause may end by its time",
}
CHANGES = {"add", "append", "clear", "discard", "pop", "put", "remove", "setdefault", "update"}
OF_PARTS = {
    "target": {"defer", "drop", "hasten", "rename", "replace_owners"},
    "rules": {"drain", "drain_no_more", "drop", "end_pause", "pause"},
    "topics": {"drop"},
}
"""What changes a part as a whole, or a field of it."""
OF_DRAFTS = {"choose": "rules", "keep_to": "rules", "resume": "rules"}
"""What a draft does itself to a part."""


def written(tree: ast.AST) -> Iterator[str]:
    """Return the parts of a draft that a module writes to."""
    functions: list[ast.AST] = [it for it in ast.walk(tree) if isinstance(it, ast.FunctionDef)]
    for scope in functions or [tree]:
        aliases = dict(named(scope))
        for node in ast.walk(scope):
            yield from written_by(node, aliases)


def written_by(node: ast.AST, aliases: Mapping[str, str]) -> Iterator[str]:
    """Return the parts that one statement or call writes to."""
    match node:
        case ast.Call(func=ast.Attribute(value=on, attr=verb)):
            yield from called(on, verb, aliases)
        case ast.Assign(targets=targets):
            for target in targets:
                yield from assigned(target)
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            yield from assigned(target)
        case _:
            pass


def called(on: ast.expr, verb: str, aliases: Mapping[str, str]) -> Iterator[str]:
    """Return the part that a call of a method changes."""
    match on:
        case ast.Name(id="draft") if verb in OF_DRAFTS:
            yield OF_DRAFTS[verb]
        case ast.Name(id=name) if verb in CHANGES and name in aliases:
            yield aliases[name]
        case ast.Attribute(value=ast.Name(id="draft"), attr=part) if verb in OF_PARTS.get(part, ()):
            yield part
        case _ if verb in CHANGES:
            yield from part_of(on)
        case _:
            pass


def named(scope: ast.AST) -> Iterator[tuple[str, str]]:
    """Return the names that a function gives to fields of parts, and to which parts."""
    for node in ast.walk(scope):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield from ((name, part) for part in part_of(value))
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                for target, value in zip(targets, values, strict=False):
                    if isinstance(target, ast.Name):
                        yield from ((target.id, part) for part in part_of(value))
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
        ("draft.target.hasten()", ["target"]),
        ("draft.rules.drain(life)", ["rules"]),
        ("draft.resume(cause)", ["rules"]),
        ("members = draft.membership.members; members.put(a, b)", ["membership"]),
        ("told, books = 1, draft.handover.books; books.remove(a)", ["handover"]),
        ("books = draft.before.handover.books; books.get(a)", []),
    ],
)
def test_it_sees_who_writes(line: str, parts: list[str]) -> None:
    """The test would find what it forbids."""
    assert parts == list(written(ast.parse(line)))
