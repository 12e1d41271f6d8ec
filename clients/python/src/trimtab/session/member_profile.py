"""Who a member is and what it wants: everything a session is told when it is made.

The member's signature and wishes, as its joins will state them. Made by the shells from their
options, read by the session.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from trimtab.protocol import Join
from trimtab.protocol.limits import PATTERNS_PER_MEMBER
from trimtab.protocol.members import Mode

MIN_HEARTBEAT_MS = 100
"""As the wire's shortest timeout: beating faster than this is load and no knowledge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A member's wishes. The controller may clamp the timeouts; its word counts."""

    group: str
    member: str
    topics: tuple[str, ...]
    session_timeout_ms: int = 10_000
    """Silence after which the member is dead. A crash costs this long; so does, at worst, every
    mistake about a member that is only slow."""
    revocation_timeout_ms: int = 60_000
    """Time the application gets to let a queue go: at least its longest piece of work."""
    patterns: tuple[str, ...] = ()
    mode: Mode = "clustering"
    """Whether it owns its queues, works on all of them, or on some together with others."""
    instance: str | None = None
    rack: str | None = None
    weight: int = 1
    capacity: int | None = None
    client: str | None = None
    guarded: bool = False
    """Whether somebody speaks for it when its process is dead."""

    @property
    def heartbeat_interval_ms(self) -> int:
        """How often to beat until the controller says otherwise: Kafka's rule, a third."""
        return max(MIN_HEARTBEAT_MS, self.session_timeout_ms // 3)

    def join(self, incarnation: str, sequence: int, last_epoch: int | None = None) -> Join:
        """The wishes as a record, with the last epoch that an earlier life of the process knew."""
        return Join(
            member=self.member,
            incarnation=incarnation,
            sequence=sequence,
            patterns=self.patterns or None,
            topics=self.topics,
            session_timeout_ms=self.session_timeout_ms,
            revocation_timeout_ms=self.revocation_timeout_ms,
            instance=self.instance,
            rack=self.rack,
            weight=self.weight,
            capacity=self.capacity,
            mode=self.mode,
            client=self.client,
            last_epoch=last_epoch,
            marks=True if self.mode == "clustering" else None,
            guarded=self.guarded or None,
        )

    def subscribes(self, topic: str) -> bool:
        """Whether it wants a topic: by name, or by a pattern, which stands for whole names."""
        return topic in self.topics or any(_glob(it).fullmatch(topic) for it in self.patterns)


@lru_cache(maxsize=PATTERNS_PER_MEMBER)
def _glob(pattern: str) -> re.Pattern[str]:
    meant = {"*": ".*", "?": "."}
    return re.compile("".join(meant.get(it) or re.escape(it) for it in pattern))
