"""Typed: a command of ours as it would be typed, whatever the names in it are.

A name that begins with a dash would be taken for an option: it stands behind `--`, where no option
does any more. Every text that tells somebody to type a command with a name gets it here.
"""

from shlex import quote

WHY = '--reason "..."'
"""What whoever types it is to fill in."""


def typed(command: str, *names: str, options: str = "") -> str:
    """Write a command: its words, its names, its options."""
    given, told = " ".join(map(quote, names)), [options] if options else []
    if any(it.startswith("-") for it in names):
        return " ".join(["trimtab", command, *told, "--", given])
    return " ".join(["trimtab", command, given, *told])
