"""The counter that goes round: RocketMQ's `ThreadLocalIndex`.

Each thread has its own, so that no send waits for another, and each starts at a random place, so
that a thousand producers do not all begin with the first queue. Selection takes the next queue by
it, the 4.x table the next of its better half.

It is a Java `int`. It overflows to the smallest one, and what is read of it never has a sign.
"""

from dataclasses import dataclass

from trimtab.faults.java import wrap_int

_POSITIVE = 0x7FFFFFFF


@dataclass(slots=True)
class Rotation:
    """One thread's counter."""

    value: int = -1
    """As Java stores it. The first reading after -1 is 0: a fresh counter at the first queue."""

    def next(self) -> int:
        """Advance by one and read the counter without its sign."""
        self.value = wrap_int(self.value + 1)
        return self.value & _POSITIVE
