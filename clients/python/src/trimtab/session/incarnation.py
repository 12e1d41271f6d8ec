"""Incarnations: which life of a member a record is from.

`<13 digits: start in ms>-<8 hex digits>`, so that the order of the strings is the order of age. The
start is that of the process, in all of its lives: a process that was frozen and comes back is older
than the one that took its name meanwhile. The rest is random at first, which tells apart two
processes that started in the same millisecond, and then counts the lives of the process.
"""


def incarnation(start_ms: int, nonce: int) -> str:
    """Name the first life of a process by its start and 31 random bits: there is room to count."""
    return f"{start_ms:013d}-{nonce & 0x7FFFFFFF:08x}"


def next_incarnation(current: str) -> str:
    """Name the next life of the same process."""
    start, number = current.split("-")
    return f"{start}-{int(number, 16) + 1:08x}"
