"""The controller's verdicts as a producer keeps them: which brokers are out of use, until when.

Every verdict has its own end. When no verdict has come for a while, renewals included, all of them
are ignored and the producer's own table decides. So a controller that is gone keeps no broker out
of use, and a producer never waits for it.

Both ends are on the log's clock. The producer's own may be hours away from it, so it is set by the
verdicts that have just come. One that comes late looks like a log that is behind: that is believed
of two alone. And for the log it is no earlier than its last record says, whenever that came.

Called by ``BrokerSelector``. Its one rule: it only excludes brokers; no verdict proves that a
broker is fit.
"""

from collections.abc import Iterator
from dataclasses import dataclass

FRESH_FOR_MS = 180_000
"""Three renewals: the controller repeats each verdict once a minute, and two may be late."""

AGREE_MS = 2_000
"""Two verdicts that were published further apart, and came as far apart within this, came at once.
Of a backlog, which comes in a moment, no two do."""

TRIAL_EVERY_MS = 1_000
"""How often the one reporter on trial sends a message to a broker that is out of use."""


@dataclass(slots=True)
class _Notice:
    until: int | None
    trial: bool
    tried: int


class VerdictBoard:
    """What the controller has said, by broker. What it is told is log time; `now` is your own."""

    def __init__(self, fresh_for_ms: int = FRESH_FOR_MS) -> None:
        """Start empty, which counts as stale."""
        self._fresh_for_ms = fresh_for_ms
        self._latest: int | None = None
        self._asked: int | None = None
        """When anybody first asked after that was posted, by the producer's clock."""
        self._ahead = 0
        """By how much the producer's clock is ahead of the log's."""
        self._late: tuple[int, int] | None = None
        """When the last was published that says that it is more, and how much; or it was late."""
        self._ejected: dict[str, _Notice] = {}

    def post(
        self, broker: str, *, available: bool, until: int | None, at: int, trial: bool = False
    ) -> None:
        """Enter a verdict.

        Args:
            broker: Which broker it is about.
            available: What it says.
            until: When it lapses, if ever.
            at: When it was published.
            trial: Whether this producer is to try the broker all the same.
        """
        self._asked = None
        self._latest = at  # of the last, not the largest: a stamp may have been wrong
        if available:
            self._ejected.pop(broker, None)
        else:
            before = self._ejected.get(broker)
            tried = at if before is None else min(before.tried, at)  # or it was wrong
            self._ejected[broker] = _Notice(until, trial, tried)

    def set_clock(self, at: int, now: int) -> None:
        """Something that was published then has come now, and no sooner than at once."""
        ahead = now - at
        before_at, before = self._late or (at, ahead)
        if ahead <= self._ahead:
            self._ahead, self._late = ahead, None
        elif abs(ahead - before) <= AGREE_MS < abs(at - before_at):
            self._ahead, self._late = min(ahead, before), None
        elif self._late is None or abs(ahead - before) > AGREE_MS:
            self._late = (at, ahead)

    def forget(self, broker: str) -> None:
        """Take down what is said of a broker: its record is gone."""
        self._ejected.pop(broker, None)

    def tried(self, broker: str, now: int) -> None:
        """Enter that a message goes there; the next trial is due a while later."""
        verdict = self._ejected.get(broker)
        if verdict is not None:
            verdict.tried = self._log_time(now)

    def age(self, now: int) -> int | None:
        """Return for how long nothing was posted; None when nothing ever was."""
        return None if self._latest is None else self._log_time(now) - self._latest

    def is_fresh(self, now: int) -> bool:
        """Return whether the board is to be believed."""
        age = self.age(now)
        return age is not None and age <= self._fresh_for_ms

    def avoided(self, now: int) -> frozenset[str]:
        """Return which brokers are out of use: none, when the verdicts are stale."""
        return frozenset(broker for broker, _ in self._standing(now))

    def to_try(self, now: int) -> list[str]:
        """Return whom this producer is to try now, though they are out of use."""
        return [
            broker
            for broker, verdict in self._standing(now)
            if verdict.trial and self._log_time(now) - verdict.tried >= TRIAL_EVERY_MS
        ]

    def _standing(self, now: int) -> Iterator[tuple[str, _Notice]]:
        at = self._log_time(now)
        if self._ejected and self.is_fresh(now):
            for broker, verdict in list(self._ejected.items()):
                if verdict.until is None or at < verdict.until:
                    yield broker, verdict

    def _log_time(self, now: int) -> int:
        """Say what time it is for the log: no earlier than its last record says, and on from it."""
        latest, asked = self._latest, self._asked
        if latest is None:
            return now - self._ahead
        if asked is None or now < asked:  # it may be set back
            self._asked = asked = now
        return max(now - self._ahead, latest + now - asked)
