"""What the tests of the simulation share: a folder of the run, the same for all its workers."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where results of this run are kept; a worker's own folder is inside it."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
