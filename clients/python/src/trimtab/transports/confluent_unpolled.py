"""Settings of clients that nobody polls: those that only ask, or commit.

librdkafka keeps what it has to say to a callback until its client is polled; statistics also where
there is no callback. With `statistics.interval.ms` at 5 s that is some 120 MB a day, for ever. So
it does with lines for a logger; without one they are on the error stream, twenty a second while
Kafka is away. What is wrong is in the answers, or said by the client that reads.
"""

from collections.abc import Mapping
from typing import Any, Final

_CALLBACKS: Final = ("error_cb", "stats_cb", "throttle_cb")
_NOTHING: Final = 0


def unpolled(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what would never be heard."""
    heard = {name: value for name, value in settings.items() if name not in _CALLBACKS}
    return heard | {"statistics.interval.ms": 0, "log_level": _NOTHING}
