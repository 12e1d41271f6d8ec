"""Leaders: the brokers of queues that may come, found and connected to before they do.

librdkafka looks up a topic that it does not know by a timer, which takes half a second or a whole
one, and connects to a broker only when there is something to fetch. So an heir that had nothing to
do would begin that late. A question about a queue does both at once, and reads nothing.

Used by `handover`, before a queue is begun, and by `upkeep`, for queues that are promised. Its one
rule: it only prepares; what is wrong with a queue is told when it is read.
"""

from collections.abc import Collection
from typing import Final

from trimtab.clock import now_s
from trimtab.consuming.offsets import GroupOffsets
from trimtab.kafka_log import KAFKA_LOGGER
from trimtab.protocol import QueueRef

_AGAIN_S: Final = 240.0
"""Brokers close connections that are idle for ten minutes (their `connections.max.idle.ms`), and
librdkafka forgets a topic of which nothing is read after fifteen (`metadata.max.age.ms`)."""
_FAILED_S: Final = 10.0
"""After a failure: so that what cannot be found takes a twentieth of the time at most."""
_ASK_S: Final = 0.5
"""Nothing is read meanwhile. What takes longer to connect goes on connecting."""


class Leaders:
    """What one client has found; its callers take turns."""

    def __init__(self, offsets: GroupOffsets) -> None:
        self._offsets = offsets
        self._again_at: dict[QueueRef, float] = {}
        """When to ask again."""

    def find(self, queues: Collection[QueueRef]) -> None:
        """Be ready to read these."""
        now = now_s()
        self._again_at = {it: at for it, at in self._again_at.items() if at > now}
        if cold := [it for it in queues if it not in self._again_at]:
            lasts_s = _AGAIN_S
            if (refused := self._offsets.touch(cold, _ASK_S).refused) is not None:
                KAFKA_LOGGER.info("could not find the leaders of %d queues: %s", len(cold), refused)
                lasts_s = _FAILED_S
            self._again_at |= dict.fromkeys(cold, now + lasts_s)
