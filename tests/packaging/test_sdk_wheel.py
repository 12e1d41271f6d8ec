"""The SDK as an application gets it: alone, small, and without the controller."""

import json
import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.builders.checkout import ROOT, text
from tests.builders.examples import programs
from tests.packaging.environment import Environment

pytestmark = pytest.mark.packaging

CONTROLLERS = {"allocators", "console", "pyspark", "rebalance", "sinks", "streaming"}


def test_the_sdk_needs_only_what_it_declares(environment: Environment, sdk_wheel: Path) -> None:
    """`import trimtab` works beside its declared dependencies and gives all that it promises."""
    environment.install(sdk_wheel)
    environment.install_dependencies("trimtab")
    code = "import json, trimtab; print(json.dumps([trimtab.__file__, trimtab.__all__]))"
    missing = "import trimtab; print([it for it in trimtab.__all__ if not hasattr(trimtab, it)])"

    file, exported = json.loads(environment.python("-c", code))

    assert Path(file).is_relative_to(environment.site_packages)
    assert "Member" in exported
    assert sorted(exported) == exported
    assert environment.python("-c", missing).strip() == "[]"


def test_the_sdk_brings_nothing_of_the_controller(
    environment: Environment, sdk_wheel: Path
) -> None:
    """A user's environment gets the name `trimtab`, and neither Spark nor our generic names."""
    environment.install(sdk_wheel)
    environment.install_dependencies("trimtab", "asyncio", "confluent", "kafka-python")

    owners = environment.owners()

    assert owners["trimtab"] == ["trimtab"]
    assert CONTROLLERS.isdisjoint(owners)


def test_the_sdk_brings_its_guard(environment: Environment, sdk_wheel: Path) -> None:
    """`trimtab-guard` runs a command where there is no controller, and as yet no Kafka client."""
    environment.install(sdk_wheel)
    environment.install_dependencies("trimtab")
    guard = environment.folder / "bin" / "trimtab-guard"
    done = subprocess.run(
        [guard, "--", "sh", "-c", "test -S $TRIMTAB_GUARD && exit 7"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert (7, "", "") == (done.returncode, done.stdout, done.stderr)


def test_the_sdk_wheel_is_typed_and_licensed(sdk_wheel: Path) -> None:
    """Type checkers read our annotations, and the licence travels with the code."""
    names = ZipFile(sdk_wheel).namelist()

    assert "trimtab/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert {"trimtab"} == {name.split("/")[0] for name in names if ".dist-info" not in name}


def test_users_programs_are_typed(
    environment: Environment, sdk_wheel: Path, tmp_path: Path
) -> None:
    """`mypy --strict` against the installed wheel: all of a consumer, and what guides end with."""
    environment.install(sdk_wheel)
    environment.install_dependencies("trimtab", "confluent")
    python = environment.folder / "bin" / "python"
    shown = [it for it in programs(text(Path("docs/moving-consumers.md"))) if "trimtab" in it]
    for number, program in enumerate(shown):
        (tmp_path / f"program_{number}.py").write_text(program)
    checked = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull),
            *("--cache-dir", os.devnull, "--python-executable", str(python)),
            str(ROOT / "tests" / "packaging" / "user_program.py"),
            *map(str, tmp_path.glob("program_*.py")),
        ],
        cwd=environment.folder,
        capture_output=True,
        text=True,
        check=False,
    )

    assert checked.returncode == 0, checked.stdout
    assert f"no issues found in {1 + len(shown)} source files" in checked.stdout
    assert 3 <= len(shown)
