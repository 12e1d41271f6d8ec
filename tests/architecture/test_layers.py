"""Who may import whom, and that nothing escapes the question.

The contracts themselves stand in pyproject.toml; import-linter checks them. The tests here see to
it that every package is under contract, under mypy and in a wheel: a folder that somebody adds
later cannot be forgotten.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.builders.checkout import (
    ROOT,
    controller_packages,
    imports,
    modules,
    packages,
    settings,
)

SDK = "clients/python/src"
SDK_PACKAGES = [
    "trimtab",
    "trimtab.consuming",
    "trimtab.faults",
    "trimtab.moving",
    "trimtab.protocol",
    "trimtab.session",
]
INNER_PACKAGES = [
    "allocators.rocketmq",
    "allocators.sticky",
    "rebalance.brokers",
    "rebalance.groups",
    "rebalance.groups.handover",
    "rebalance.groups.members",
    "rebalance.groups.model",
    "rebalance.groups.standing",
    "streaming.cell",
    "streaming.cell.stored",
    "streaming.cell.version_1",
    "streaming.metrics",
    "streaming.startup",
    "streaming.wire",
]


def contracts(kind: str) -> list[dict[str, Any]]:
    """The import contracts of one type."""
    every = settings()["tool"]["importlinter"]["contracts"]
    return [contract for contract in every if contract["type"] == kind]


def test_every_contract_is_kept() -> None:
    """Imports flow down the layers, without cycles, and each module has a place in them."""
    linter = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-logo", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert linter.returncode == 0, linter.stdout + linter.stderr


def test_every_package_is_under_contract() -> None:
    """The linter's roots are the controller's packages and the SDK: no more, no less."""
    roots = settings()["tool"]["importlinter"]["root_packages"]

    assert sorted([*controller_packages(), "trimtab"]) == sorted(roots)


def test_every_package_has_a_layer() -> None:
    """Each of the controller's packages stands in the contract that orders the folders."""
    folders = contracts("layers")[0]["layers"]
    placed = [name.strip() for layer in folders for name in layer.split("|")]

    assert controller_packages() == sorted(placed)


def test_every_package_orders_its_own_modules() -> None:
    """Each package has an exhaustive list of layers: a new module must find its place."""
    inside = [contract for contract in contracts("layers") if "containers" in contract]
    contained = [container for contract in inside for container in contract["containers"]]

    assert [] == [contract["id"] for contract in inside if not contract.get("exhaustive")]
    expected = [*controller_packages(), *INNER_PACKAGES, *SDK_PACKAGES]
    assert sorted(expected) == sorted(contained)


def test_every_package_is_type_checked() -> None:
    """Mypy looks at all the code there is."""
    assert sorted([*packages(), SDK]) == sorted(settings()["tool"]["mypy"]["files"])


def test_every_package_is_shipped() -> None:
    """The controller's wheel carries its packages, named one by one, and never tests or benches."""
    shipped = settings()["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]

    assert controller_packages() == sorted(shipped)


def test_nothing_imports_tests_or_benches() -> None:
    """What runs in production does not lean on what proves it."""
    offenders = [
        f"{path}:{line}: {name}"
        for path in modules(tests=False)
        if path.parts[0] not in {"bench", "chaos"}
        for line, name in imports(path)
        if name.split(".")[0] in {"bench", "chaos", "tests"}
    ]

    assert [] == offenders


def test_folders_of_tests_share_by_builders_alone() -> None:
    """A test imports from its own folder, one around it, or one inside it; and from `builders`."""
    offenders = [
        f"{path}:{line}: {name}"
        for path in modules()
        if path.parts[0] == "tests"
        for line, name in imports(path)
        if name.startswith("tests.")
        and not name.startswith("tests.builders.")
        and not _on_one_line(path.parent.parts, tuple(name.split(".")))
    ]

    assert [] == offenders


def _on_one_line(folder: tuple[str, ...], imported: tuple[str, ...]) -> bool:
    """Say whether one of the two folders contains the other; names end with module and object."""
    there = next(
        imported[:depth]
        for depth in range(len(imported), 0, -1)
        if (ROOT / Path(*imported[:depth])).is_dir()
    )
    least = min(len(folder), len(there))
    return len(there) > 1 and folder[:least] == there[:least]
