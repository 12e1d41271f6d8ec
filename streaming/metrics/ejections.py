"""Ejections: verdicts that take a broker out of use, each known by when that began.

A verdict is said again when a panic begins or ends, and is no further ejection then. Used by
``account`` and ``history_log``: each knows those that it was told of. Its one rule: none is new
twice.
"""


class Ejections:
    """Since when each broker is out of use, as it was said last."""

    def __init__(self) -> None:
        self._since_ms: dict[tuple[str, str], int] = {}

    def is_new(self, cluster: str, broker: str, since_ms: int) -> bool:
        """Note one; tell whether it was not said before."""
        before = self._since_ms.get((cluster, broker))
        self._since_ms[cluster, broker] = since_ms
        return before != since_ms

    def forget(self, cluster: str, broker: str) -> None:
        """The broker is in use again, or gone."""
        self._since_ms.pop((cluster, broker), None)
