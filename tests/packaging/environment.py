"""A clean Python environment, filled with wheels and with nothing that they do not ask for.

Dependencies are carried over from the environment that runs the tests, distribution by
distribution, following the metadata of the wheel: exactly what pip would install from the same
locks, but without a network. A dependency that a manifest forgot is therefore missing here. They
are linked, not copied: Spark alone has 400 MB.
"""

import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

from tests.builders.checkout import ROOT


class Environment:
    """A virtual environment in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=False)
        self.folder = folder
        self.site_packages = next(folder.glob("lib/python*/site-packages"))

    def install(self, wheel: Path) -> None:
        """Install a wheel, and nothing else."""
        run(
            *(sys.executable, "-m", "pip", "--python", str(self.folder), "install", "--quiet"),
            *("--no-deps", "--no-index", "--disable-pip-version-check", str(wheel)),
        )

    def install_dependencies(self, project: str, *extras: str) -> None:
        """Carry over whatever an installed wheel asks for, and what that asks for in turn."""
        for dependency in self._closure(project, extras):
            self._carry(dependency)

    def python(self, *arguments: str) -> str:
        """Run this environment's Python far from the checkout; return what it prints."""
        return run(str(self.folder / "bin" / "python"), "-I", *arguments, cwd=self.folder)

    def owners(self) -> dict[str, list[str]]:
        """Top-level name -> the distributions that install it."""
        code = (
            "import importlib.metadata, json; "
            "print(json.dumps(importlib.metadata.packages_distributions()))"
        )
        owners: dict[str, list[str]] = json.loads(self.python("-c", code))
        return owners

    def _closure(self, project: str, extras: tuple[str, ...]) -> list[Distribution]:
        found: dict[str, Distribution] = {}
        pending = [(self._find(project), ("", *extras))]
        while pending:
            parent, wanted = pending.pop()
            for requirement in asked_for(parent, wanted):
                if requirement.name not in found:
                    found[requirement.name] = self._find(requirement.name)
                    pending.append((found[requirement.name], ("", *requirement.extras)))
        return list(found.values())

    def _find(self, project: str) -> Distribution:
        installed = Distribution.discover(name=project, path=[str(self.site_packages)])
        return next(iter(installed), None) or distribution(project)

    def _carry(self, dependency: Distribution) -> None:
        for file in dependency.files or ():
            source, target = Path(str(dependency.locate_file(file))), self.site_packages / file
            if ".." not in file.parts and source.exists() and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                os.link(source, target)


def asked_for(parent: Distribution, extras: tuple[str, ...]) -> Iterator[Requirement]:
    """What a distribution requires here, with these extras."""
    for requirement in map(Requirement, parent.requires or ()):
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras):
            yield requirement


def build_wheel(project: Path, into: Path) -> Path:
    """Build the wheel of a project with the tools of the environment that runs the tests."""
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(into), cwd=project)
    (wheel,) = into.glob("*.whl")
    return wheel


def run(*command: str, cwd: Path = ROOT) -> str:
    """Run a command that must succeed, and return what it prints."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout
