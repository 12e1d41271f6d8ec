"""Typed: a command of ours as it would be typed, whatever the names in it are.

A name that begins with a dash would be taken for an option: it stands behind `--`, where no option
does any more. What a printer would escape is escaped here as shells read it. Every text that tells
somebody to type a command with a name gets it here.
"""

import shlex

WHY = '--reason "..."'
"""What whoever types it is to fill in."""


def quoted(word: str) -> str:
    """Write a word as a shell reads it, of characters that are printed as they are."""
    if word.isprintable():
        return shlex.quote(word)
    return f"$'{''.join(map(_escaped, word))}'"  # of bash, zsh, and POSIX since 2024


def _escaped(character: str) -> str:
    if character.isprintable():
        return f"\\{character}" if character in "\\'" else character
    # Bytes, and not its number: bash reads that only where the locale has the character.
    return "".join(f"\\x{it:02x}" for it in character.encode(errors="surrogatepass"))


def typed(command: str, *names: str, options: str = "") -> str:
    """Write a command: its words, its names, its options."""
    given, told = " ".join(map(quoted, names)), [options] if options else []
    if any(it.startswith("-") for it in names):
        return " ".join(["trimtab", command, *told, "--", given])
    return " ".join(["trimtab", command, given, *told])
