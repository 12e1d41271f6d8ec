"""The fault table: what one producer, or one controller, knows of the brokers it talks to.

RocketMQ's `LatencyFaultToleranceImpl` with the switch of `MQFaultStrategy` in front. Only brokers
that had trouble are in the table; all others are available.

Called by the selectors for every message, and after each measured send. It never waits. Every
operation is a look-up or a store in a plain dictionary, so threads may share a table; of two
updates at one instant either may win, as in Java.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from trimtab.faults.item import FaultItem
from trimtab.faults.java import map_order, wrap_long
from trimtab.faults.rotation import Rotation
from trimtab.faults.rules import ROCKETMQ_5, FaultRules

DETECT_INTERVAL_MS = 2_000
"""How long a broker that was probed is left alone (`detectInterval`)."""
DETECT_TIMEOUT_MS = 200
"""How long a probe may take (`detectTimeout`)."""

Resolve = Callable[[str], str | None]
"""A broker's address; None when it is not known any more."""
Probe = Callable[[str, int], bool]
"""Whether the broker at an address answers within so many milliseconds."""


class FaultTable:
    """The items by broker, and the rules they follow."""

    def __init__(
        self,
        rules: FaultRules = ROCKETMQ_5,
        *,
        enabled: bool = True,
        items: Iterable[FaultItem] = (),
    ) -> None:
        """Start with the given items; RocketMQ's own default for ``enabled`` is off."""
        self.rules = rules
        self.enabled = enabled
        self._items = {item.broker: item for item in items}

    def __iter__(self) -> Iterator[FaultItem]:
        """Walk the items as they are now, oldest first."""
        return iter(list(self._items.values()))

    def update(
        self,
        broker: str,
        latency: int,
        now: int,
        *,
        isolation: bool = False,
        reachable: bool = True,
    ) -> None:
        """Enter one call: how long it took, and whether it failed (``isolation``)."""
        if self.enabled:
            old = self._items.get(broker, FaultItem(broker=broker))
            self._items[broker] = old.updated(
                latency, now, self.rules, isolation=isolation, reachable=reachable
            )

    def is_available(self, broker: str, now: int) -> bool:
        """Return whether the broker may be used; one that is not in the table may."""
        item = self._items.get(broker)
        return item is None or item.is_available(now, self.rules.generation)

    def is_reachable(self, broker: str) -> bool:
        """Return whether the broker answered when last heard of."""
        item = self._items.get(broker)
        return item is None or item.reachable

    def remove(self, broker: str) -> None:
        """Forget a broker."""
        self._items.pop(broker, None)

    def ranked(self, now: int) -> list[FaultItem]:
        """Return the items, best first; equals stay in the order in which they came."""
        return sorted(self, key=lambda item: item.order(now, self.rules.generation))

    def pick_one_at_least(self, now: int, worst: Rotation) -> str | None:
        """Return one of the better half in turn, though none may be available (4.x)."""
        items = self.ranked(now)
        if not items:
            return None
        half = len(items) // 2
        return items[worst.next() % half if half else 0].broker

    def reachable(self) -> list[str]:
        """Return the brokers that 5.x's own `pickOneAtLeast` draws from."""
        return [item.broker for item in self if item.reachable]

    def detect(self, now: int, resolve: Resolve, probe: Probe) -> None:
        """Probe each broker whose turn it is, once (5.x).

        An answer makes it reachable; silence changes nothing; a broker without an address is
        forgotten. An isolation runs on whatever the probe says.
        """
        for broker in map_order(list(self._items)):  # others may be entered meanwhile
            item = self._items.get(broker)
            if item is None or wrap_long(now - item.check_stamp) < 0:
                continue
            self._items[broker] = replace(item, check_stamp=wrap_long(now + DETECT_INTERVAL_MS))
            address = resolve(broker)
            if address is None:
                self.remove(broker)
            elif probe(address, DETECT_TIMEOUT_MS):
                self._mark_reachable(broker)

    def _mark_reachable(self, broker: str) -> None:
        item = self._items.get(broker)  # a probe takes its time: sends were reported meanwhile
        if item is not None:
            self._items[broker] = replace(item, reachable=True)
