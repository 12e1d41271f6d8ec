"""What all incidents choose from: victims, names, wishes and durations."""

from random import Random
from typing import TYPE_CHECKING, Final

from tests.simulation.process import Process
from tests.simulation.rules import GROUP
from tests.simulation.scenario import SESSION_MS

if TYPE_CHECKING:
    from tests.simulation.world import World


KEY: Final = GROUP.encode()
HOUR_MS: Final = 3_600_000
TEN_SESSIONS_MS: Final = 10 * SESSION_MS + 1_000
ODD_NAMES: Final = (
    "..",
    "a/b\\c",
    " ",
    "$tick",
    "null",
    "x@1000000000000-00000001",
    "'; DROP TABLE members; --",
    "<script>alert('hello')</script>",
    '{"member": "m0"}',
    "%s{0}${HOME}",
    "\u202eжил\u0301\U0001f6a2",
    "n" * 255,
)
"""What the rule for names allows."""
NO_NAMES: Final = ("", "a\nb", "\x00", "\u2028", "\ud800", "n" * 256, "n" * 65_536)
"""What it refuses."""
SHORT_OR_LONG: Final = [500, SESSION_MS - 500, SESSION_MS + 1_000, 3 * SESSION_MS]


def victim_of(world: "World", dice: Random) -> Process | None:
    """Pick somebody who is there."""
    there = [process for process in world.processes if not process.ended]
    return dice.choice(there) if there else None


def fresh_name(world: "World") -> str:
    """Make up a name."""
    return f"m{world.born}"


def wishes(world: "World", dice: Random) -> tuple[str, ...]:
    """Choose a subscription: mostly everything."""
    topics = tuple(world.driver.topics)
    return topics if dice.random() < 0.6 else (dice.choice(topics),)
