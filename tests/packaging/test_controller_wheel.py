"""The controller as an image gets it: five packages, one command, jars described."""

from importlib.metadata import packages_distributions
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.builders.checkout import ROOT, controller_packages
from tests.packaging.environment import Environment, run

pytestmark = pytest.mark.packaging

JARS = "console/_deploy/jars"


def test_the_command_runs_from_the_wheel(
    environment: Environment, controller_wheel: Path, sdk_wheel: Path
) -> None:
    """`trimtab --help` works from site-packages, with the checkout out of sight."""
    environment.install(controller_wheel)
    environment.install(sdk_wheel)
    environment.install_dependencies("trimtab-controller")

    shown = run(str(environment.folder / "bin" / "trimtab"), "--help", cwd=environment.folder)
    found = environment.python("-c", "import console; print(console.__file__)")

    assert "trimtab" in shown
    assert Path(found.strip()).is_relative_to(environment.site_packages)


def test_each_name_has_one_owner(
    environment: Environment, controller_wheel: Path, sdk_wheel: Path
) -> None:
    """No two distributions install the same top-level name: neither ours nor a dependency."""
    environment.install(controller_wheel)
    environment.install(sdk_wheel)
    ours = {name: ["trimtab-controller"] for name in controller_packages()}
    ours["trimtab"] = ["trimtab"]

    assert ours == environment.owners()
    assert [] == [
        (name, owners)
        for name, owners in packages_distributions().items()
        if name in ours and set(owners) != set(ours[name])
    ]


def test_the_wheel_describes_its_jars(controller_wheel: Path) -> None:
    """Installed without a checkout, `trimtab kafka fetch` still knows what to fetch."""
    wheel = ZipFile(controller_wheel)

    for name in ("pom.xml", "SHA256SUMS"):
        assert (ROOT / "deploy" / "jars" / name).read_bytes() == wheel.read(f"{JARS}/{name}")


def test_the_wheel_may_not_be_uploaded(controller_wheel: Path) -> None:
    """An application with generic names says that it belongs in no index."""
    wheel = ZipFile(controller_wheel)
    (metadata,) = [name for name in wheel.namelist() if name.endswith("METADATA")]

    assert "Classifier: Private :: Do Not Upload" in wheel.read(metadata).decode()
