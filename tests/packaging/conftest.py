"""Both wheels, built once for all tests of this folder."""

from pathlib import Path

import pytest

from tests.builders.checkout import ROOT
from tests.packaging.environment import Environment, build_wheel


@pytest.fixture(scope="session")
def sdk_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of `trimtab`."""
    return build_wheel(ROOT / "clients" / "python", tmp_path_factory.mktemp("sdk-wheel"))


@pytest.fixture(scope="session")
def controller_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of `trimtab-controller`."""
    return build_wheel(ROOT, tmp_path_factory.mktemp("controller-wheel"))


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    """An empty environment."""
    return Environment(tmp_path / "environment")
