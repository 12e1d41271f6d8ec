"""Slots: to which cell of its partition a key belongs, as Spark computes it.

Spark's ``hash`` deals a heartbeat partition out to several cells. It is Murmur3 with two
peculiarities: the seed 42, and each byte that is left over at the end is mixed in as a signed word.
A record that is delivered to every cell (``rocketmq``) must find out by itself where it belongs,
and a replay must deal the same way, because a cell's clock moves with the beats that the cell sees.

Called by ``rocketmq`` and by `trimtab replay`. Every key gets the same slot as Spark gives it.
"""

from typing import Final

CellKey = tuple[int, int]
"""A cell, by its partition and its slot."""

_SEED: Final = 42
_WORD: Final = 0xFFFFFFFF
_C1: Final = 0xCC9E2D51
_C2: Final = 0x1B873593
_SIGN: Final = 0x80


def slot_of(key: bytes | None, slots: int) -> int:
    """Return the slot of a key: ``pmod(hash(key), slots)``."""
    hashed = _SEED if key is None else murmur3(key)
    signed = hashed - (1 << 32) if hashed >> 31 else hashed
    return signed % slots


def murmur3(data: bytes, seed: int = _SEED) -> int:
    """Hash as ``org.apache.spark.unsafe.hash.Murmur3_x86_32.hashUnsafeBytes`` does."""
    state, whole = seed, len(data) // 4 * 4
    for at in range(0, whole, 4):
        state = _mixed(state, int.from_bytes(data[at : at + 4], "little"))
    for byte in data[whole:]:
        state = _mixed(state, byte - 2 * _SIGN if byte & _SIGN else byte)
    state ^= len(data)
    state = (state ^ state >> 16) * 0x85EBCA6B & _WORD
    state = (state ^ state >> 13) * 0xC2B2AE35 & _WORD
    return state ^ state >> 16


def _mixed(state: int, word: int) -> int:
    word = word * _C1 & _WORD
    word = _rotated(word, 15) * _C2 & _WORD
    return (_rotated(state ^ word, 13) * 5 + 0xE6546B64) & _WORD


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> (32 - by)) & _WORD
