"""The static checks as tests, so that `make test` alone tells whether a change may go in.

`make check` runs the same targets directly and leaves these out.
"""

import os
import subprocess

import pytest

from tests.builders.checkout import ROOT

# Our own `make` may run us; its flags (a job server, --dry-run) are not for this one.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}


@pytest.mark.gate
@pytest.mark.timeout(300)  # mypy starts from nothing in a fresh checkout
@pytest.mark.parametrize("target", ["lint", "types"])
def test_static_checks_pass(target: str) -> None:
    """Format, lint and types are clean."""
    make = subprocess.run(
        ["make", "--no-print-directory", target],
        cwd=ROOT,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert make.returncode == 0, make.stdout + make.stderr
