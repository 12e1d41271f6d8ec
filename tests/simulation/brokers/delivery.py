"""The delivery: what may happen to a report on its way to the log.

A report may be lost, repeated, overtaken, or very late. Faults are counted where it arrives, or
where it does not.
"""

from collections import Counter
from random import Random

from tests.simulation.brokers.controller import CLUSTER, Log
from tests.simulation.brokers.judges import LATE_MS
from tests.simulation.brokers.plan import Plan, Quirk
from trimtab.protocol import LATENCY


class Delivery:
    """The way to the log."""

    def __init__(self, plan: Plan, log: Log, hits: Counter[str]) -> None:
        self._log, self._hits = log, hits
        self._chance = Random(f"{plan.seed} delivery")
        self.quirks = plan.quirks
        self._bag: list[tuple[int, int, bytes]] = []
        """When it arrives, which one it is, and what it says."""
        self._sent = 0

    def send(self, value: bytes, now: int) -> None:
        """Send a report. Dice are thrown whatever the quirks, so that lives stay comparable."""
        lost, again, slow, late = (self._chance.random() for _ in range(4))
        wait = self._chance.randint(500, 2_500)
        if Quirk.LOSSY in self.quirks and lost < 0.15:
            self._hits["F2"] += 1
            return
        self._sent += 1
        if Quirk.LATE in self.quirks and late < 0.02:
            self._hits["B5"] += 1
            self._bag.append((now + LATE_MS, self._sent, value))
        elif Quirk.OVERTAKING in self.quirks and slow < 0.2:
            self._hits["B4"] += 1
            self._bag.append((now + wait, self._sent, value))
        else:
            self._bag.append((now, self._sent, value))
        if Quirk.REPEATING in self.quirks and again < 0.15:
            self._hits["B3"] += 1
            self._bag.append((now + wait, self._sent, value))

    def deliver(self, now: int) -> None:
        """Whatever has arrived is in the log."""
        for due in sorted(due for due in self._bag if due[0] <= now):
            self._log.append(LATENCY, CLUSTER.encode(), due[2], now)
        self._bag = [due for due in self._bag if due[0] > now]

    def heal(self) -> None:
        """From now on everything arrives."""
        self.quirks = frozenset()
