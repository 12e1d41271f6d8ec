"""Java's numbers and maps, where RocketMQ's fault rules depend on their differences from Python's.

A `long` that overflows changes its sign, `Math.abs` of the smallest `int` is negative, `%` has the
sign of the dividend, and a `ConcurrentHashMap` iterates by the hash of its keys. Real latencies
never come near these; an exact port has to.

Called by the fault table and by the selectors. Its one rule: nothing here knows RocketMQ.
"""

from collections.abc import Iterable, Iterator

INT_MIN = -(2**31)
LONG_MIN = -(2**63)

_BUCKETS = 32
"""What `new ConcurrentHashMap(16)` starts with: the power of two above 16 / 0.75 + 1."""


def wrap_int(number: int) -> int:
    """Return what an `int` of Java holds after a computation."""
    return (number - INT_MIN) % 2**32 + INT_MIN


def wrap_long(number: int) -> int:
    """Return what a `long` of Java holds after a computation."""
    return (number - LONG_MIN) % 2**64 + LONG_MIN


def java_order(text: str) -> bytes:
    """Return a sort key that puts strings in Java's order, which is that of UTF-16."""
    return text.encode("utf-16-be", "surrogatepass")


def string_hash(text: str) -> int:
    """Return what `String.hashCode` returns."""
    code = 0
    for unit in memoryview(text.encode("utf-16", "surrogatepass")[2:]).cast("H"):
        code = (31 * code + unit) % 2**32
    return wrap_int(code)


def map_order(names: Iterable[str]) -> Iterator[str]:
    """Yield names as a `ConcurrentHashMap` walks them, given as they were put into it.

    Buckets double when three quarters of them are taken.
    """
    buckets: list[list[str]] = [[] for _ in range(_BUCKETS)]
    for count, name in enumerate(names, start=1):
        buckets[_spread(name) & (len(buckets) - 1)].append(name)
        if count >= len(buckets) - len(buckets) // 4:
            low = [_split(bucket, len(buckets), high=False) for bucket in buckets]
            high = [_split(bucket, len(buckets), high=True) for bucket in buckets]
            buckets = low + high
    return (name for bucket in buckets for name in bucket)


def _split(bucket: list[str], bit: int, *, high: bool) -> list[str]:
    """Take a bucket's half: the last names of one kind keep their order, the others turn round."""
    kinds = [bool(_spread(name) & bit) for name in bucket]
    run = len(kinds)
    while run and kinds[run - 1] == kinds[-1]:
        run -= 1
    turned = [name for name, kind in zip(bucket[:run], kinds, strict=False) if kind == high]
    return turned[::-1] + [
        name for name, kind in zip(bucket[run:], kinds[run:], strict=True) if kind == high
    ]


def _spread(name: str) -> int:
    code = string_hash(name) % 2**32
    return (code ^ code >> 16) & 0x7FFFFFFF
