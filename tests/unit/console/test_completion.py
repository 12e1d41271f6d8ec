"""The tab key: what a shell reads, and what the command answers it."""

import os
import subprocess
import sys

import pytest

from tests.builders.command_line import Run


@pytest.mark.slow
def test_the_tab_key_completes_commands_and_options() -> None:
    """By a script for each shell, which asks the command itself."""
    call = [sys.executable, "-m", "console.main"]
    for words, number, found in (
        ("trimtab gro", 1, "groups"),
        ("trimtab groups drain --re", 3, "--reason"),
    ):
        asked = {
            "COMP_WORDS": words,
            "COMP_CWORD": str(number),
            "_TRIMTAB_COMPLETE": "complete_bash",
        }
        done = subprocess.run(
            call, capture_output=True, env={**os.environ, **asked}, text=True, check=False
        )
        assert (0, found) == (done.returncode, done.stdout.strip())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_read_its_script(run: Run, shell: str) -> None:
    """It names what the command listens to."""
    code, out, _ = run("completion", shell)
    assert (0, True) == (code, "_TRIMTAB_COMPLETE=complete_" in out)
