"""A plant: a function that is wrong in one respect, where it goes, and what it breaks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from audit.violations import Invariant
from tests.simulation.scenario import Quirk, Scenario, scenario

Function = Callable[..., Any]
OWNERS: Final = frozenset({Invariant.ONE_OWNER, Invariant.ONE_WORKER})


@dataclass(frozen=True, slots=True)
class Plant:
    """A mistake, where it is made, and what it breaks."""

    where: str
    wrong: Callable[[Function], Function]
    caught_as: frozenset[Invariant]
    needs: frozenset[Quirk] = frozenset()
    """What has to be likely in a life for it to matter: other lives need not be looked at."""
    lives: Callable[[int], Scenario] = scenario
    first: int = 0
    """A life to begin with, because it showed it once; if it does not, all others follow."""
