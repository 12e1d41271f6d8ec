"""Shrinking: a failing life with as little happening in it as still makes it fail.

Incidents are left out one by one, then quirks, as long as the same invariant is broken; each has
random numbers of its own, so the rest of the plan stays what it was. What is left is the story.
"""

from dataclasses import replace

from tests.simulation.scenario import Scenario
from tests.simulation.world import Outcome, World


def shrunk(outcome: Outcome) -> Outcome:
    """Return the smallest life found that fails as this one did."""
    smaller = True
    while smaller:
        smaller = False
        for candidate in _lesser(outcome.scenario):
            attempt = World(candidate).live()
            if _alike(attempt, outcome):
                outcome, smaller = attempt, True
                break
    return outcome


def _lesser(scenario: Scenario) -> list[Scenario]:
    lesser = [scenario.without({incident}) for incident in scenario.incidents]
    lesser += [replace(scenario, quirks=scenario.quirks - {quirk}) for quirk in scenario.quirks]
    return lesser


def _alike(one: Outcome, other: Outcome) -> bool:
    return bool(one.violations) and one.violations[0].invariant == other.violations[0].invariant
