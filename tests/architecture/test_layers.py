"""Who may import whom, and that nothing escapes the question.

The contracts themselves stand in pyproject.toml; import-linter checks them. The tests here see to
it that every package is under contract, under mypy and in a wheel: a folder that somebody adds
later cannot be forgotten. What a pure folder may import is in ``test_purity``.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.builders.checkout import (
    ROOT,
    controller_packages,
    imports,
    modules,
    packages,
    settings,
)

SDK = "clients/python/src"
MAPPED = ["console", "rebalance", "rebalance.groups", "streaming", "trimtab"]
"""Where a new module must find its place among the layers. Elsewhere no cycle is enough."""

# Of other people's packages, what a folder may import. A new one has to be entered here, and among
# the dependencies of the wheel. Those folders that are not here have stricter lists (test_purity).
PACKAGES = {
    "console": {
        "confluent_kafka",
        "msgspec",
        "pydantic",
        "pydantic_core",
        "pydantic_settings",
        "rich",
        "structlog",
        "typer",
        "yaml",
    },
    "streaming": {
        "confluent_kafka",
        "msgspec",
        "numpy",
        "pandas",
        "py4j",
        "pydantic",
        "pyspark",
        "redis",
        "structlog",
        "yaml",
    },
    SDK: {"confluent_kafka", "kafka", "pydantic", "pydantic_core", "typing_extensions"},
}
OURS = {"allocators", "audit", "console", "rebalance", "sinks", "streaming", "trimtab"}


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
    """Each of the controller's packages, and the SDK, stands in the contract that orders them."""
    folders = contracts("layers")[0]["layers"]
    placed = [name.strip() for layer in folders for name in layer.split("|")]

    assert [*controller_packages(), "trimtab"] == sorted(placed)


def test_no_package_may_have_a_cycle() -> None:
    """At every depth, siblings that import each other would be one thing in two places."""
    (acyclic,) = contracts("acyclic_siblings")

    assert sorted([*controller_packages(), "trimtab"]) == acyclic["ancestors"]


def test_a_map_of_layers_is_complete() -> None:
    """Where the layers inside a package are listed, a new module must find its place."""
    inside = [contract for contract in contracts("layers") if "containers" in contract]
    contained = [container for contract in inside for container in contract["containers"]]

    assert [] == [contract["id"] for contract in inside if not contract.get("exhaustive")]
    assert sorted(contained) == MAPPED


@pytest.mark.parametrize("folder", PACKAGES)
def test_a_folder_imports_only_packages_on_its_list(folder: str) -> None:
    """Spark stays in `streaming`, and the SDK installs with pydantic and one Kafka client."""
    allowed = PACKAGES[folder] | OURS | sys.stdlib_module_names
    offenders = [
        f"{path}:{line}: {name}"
        for path in modules(tests=False)
        if path.is_relative_to(folder)
        for line, name in imports(path)
        if name.split(".")[0] not in allowed
    ]

    assert [] == offenders


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
