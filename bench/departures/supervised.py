"""A command under `trimtab-guard`, as the system shows it.

Used by this bench, by chaos, and by tests.
"""

import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from trimtab import supervisor

SUPERVISED: Final = (sys.executable, "-IS", supervisor.__file__)
"""`trimtab-guard`, as it runs."""


def offspring(pid: int) -> list[int]:
    """Return the processes that one has started."""
    with suppress(OSError):
        return [int(it) for it in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def commands(pid: int) -> list[int]:
    """Return those that hold members: not a guard, nor what is to become one of them."""
    return [*filter(_is_command, offspring(pid))]


def _is_command(pid: int) -> bool:
    with suppress(OSError):
        told = Path(f"/proc/{pid}/cmdline").read_bytes()
        return not (b"trimtab.guard" in told or SUPERVISED[-1].encode() in told)
    return False
