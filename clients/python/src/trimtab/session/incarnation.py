"""Incarnations: which life of a member a record is from.

`<13 digits: start in ms>-<8 hex digits>`, so that the order of the strings is the order of age. The
random part tells apart two processes that started in the same millisecond.
"""


def incarnation(start_ms: int, nonce: int) -> str:
    """Name a life by its start and 32 random bits."""
    return f"{start_ms:013d}-{nonce & 0xFFFFFFFF:08x}"


def next_incarnation(current: str, elapsed_ms: int) -> str:
    """Name the next life of the same process: younger than the current one in any case."""
    start, nonce = current.split("-")
    return f"{int(start) + max(1, elapsed_ms):013d}-{nonce}"
