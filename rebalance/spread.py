"""Spread: numbers that look drawn, and are always the same for the same words.

Random numbers could not be replayed, and Python's own hash of a text is another in each process.
"""

from typing import Final

_START: Final = 0xCBF29CE484222325
_PRIME: Final = 0x100000001B3
"""FNV-1a, 64 bits (Fowler, Noll and Vo): short, and the same everywhere for ever."""


def spread(*words: object) -> int:
    """Return a number that looks drawn, and is always the same for the same words."""
    state = _START
    for byte in "/".join(map(str, words)).encode("utf-8", "surrogatepass"):
        state = (state ^ byte) * _PRIME % 2**64
    return state ^ state >> 29  # FNV's upper bits hear little of the last bytes
