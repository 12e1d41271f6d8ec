"""Planting: a mistake put into the brain or the SDK, and what an exploration finds of it."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.laws.exploration import Exploration
from tests.laws.worlds import Scope

Plant = tuple[object, str, Callable[[Any], Any], Scope, str]
"""Where, and under which name; what makes it wrong; the scope that shows it; what is found then."""


def finds(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what is found with it."""
    where, name, wrong, scope, _ = plant
    monkeypatch.setattr(where, name, wrong(getattr(where, name)))
    return Exploration(scope).run().wrong
