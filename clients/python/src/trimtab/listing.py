"""Listing: the first few of many, and how many more there are.

For a line that people read, where there may be thousands. Used by `watching` and `consuming`.
"""

from collections.abc import Sequence


def listed(names: Sequence[str], most: int) -> str:
    """Name so many at most, and say how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
