"""The model brokers: how long a call really takes, and where each broker really is.

Only the world knows. Healthy brokers are much alike. A bad broker is so bad that every reporter
with a working network sees it, so the jury must find it.
"""

from typing import Final

from tests.simulation.brokers.plan import Plan, Trouble

FAILS: Final = -1.0
"""In place of a latency."""
_LATENCY_MS: Final = {
    Trouble.SLOW: 600.0,
    Trouble.OSCILLATING: 900.0,
    Trouble.VERY_SLOW: 4_500.0,
    Trouble.FAILING: FAILS,
}


class Brokers:
    """The truth."""

    def __init__(self, plan: Plan, began: int) -> None:
        self._plan, self._began = plan, began
        self.all = plan.brokers
        self._lives = dict.fromkeys(plan.brokers, 0)
        self._cured: dict[str, int] = {}
        """Who was replaced, and so has nothing of what was planned for it before that."""
        self.healed_at: int | None = None
        self._worse: dict[str, int] = {}

    def latency_ms(self, broker: str, now: int) -> float:
        """What a call takes."""
        if now >= self._worse.get(broker, now + 1):
            return FAILS
        if self.healed_at is not None and now >= self.healed_at:
            return self._usual_ms(broker)
        for episode in self._plan.episodes:
            cured_at = self._cured.get(broker, now + 1)
            cured = self._began + episode.begin_ms <= cured_at <= now
            if not cured and episode.afflicts(broker, now - self._began):
                return _LATENCY_MS[episode.trouble]
        return self._usual_ms(broker)

    def _usual_ms(self, broker: str) -> float:
        return 5.0 + self.all.index(broker) % 3

    def is_bad(self, broker: str, now: int) -> bool:
        """Whether anybody could complain of it."""
        return self.latency_ms(broker, now) != self._usual_ms(broker)

    def was_bad(self, broker: str, since: int, now: int) -> bool:
        """Whether it was bad at any time in between."""
        return any(self.is_bad(broker, at) for at in range(max(since, 0), now + 1, 500))

    def address(self, broker: str) -> str:
        """Where it is."""
        return f"host-{broker}-{self._lives[broker]}:9092"

    def replace(self, broker: str, now: int) -> None:
        """Another one takes its name, and is well."""
        self._lives[broker] += 1
        self._cured[broker] = now

    def worsen(self, broker: str, now: int) -> None:
        """From now on every call fails."""
        self._worse[broker] = now
