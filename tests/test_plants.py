"""Each planted bug takes the place of something: a name that is gone would be found late.

The simulation plants them by name, and lives for minutes before it comes to the last.
"""

from collections.abc import Callable
from importlib import import_module
from inspect import Parameter, signature
from typing import Any

import pytest

from tests.laws import test_baton, test_named_lives, test_takeovers
from tests.simulation.brokers.plants import PLANTS as OF_THE_JURY
from tests.simulation.plants import PLANTS

Function = Callable[..., Any]
LAWS = test_baton, test_named_lives, test_takeovers
PLANTED: dict[str, tuple[str | Function, Function]] = {
    **{name: (it.where, it.wrong) for name, it in PLANTS.items()},
    **{name: (where, wrong) for name, (where, wrong, *_) in OF_THE_JURY.items()},
    **{
        f"{name}, in {law.__name__}": (getattr(owner, where), wrong)
        for law in LAWS
        for name, (owner, where, wrong, *_) in law.PLANTS.items()
    },
}


def found(where: str) -> Function:
    """Return what has this name: of a module, or of a class in it."""
    module, _, name = where.rpartition(".")
    try:
        return getattr(import_module(module), name)  # type: ignore[no-any-return] # any function
    except ModuleNotFoundError:
        return getattr(found(module), name)  # type: ignore[no-any-return] # any function


@pytest.mark.parametrize(("where", "wrong"), PLANTED.values(), ids=PLANTED)
def test_a_planted_bug_is_called_like_what_is_right(where: str | Function, wrong: Function) -> None:
    """So it is the bug that is found, and not a call that fails."""
    right = found(where) if isinstance(where, str) else where
    told = signature(right).parameters.values()
    named = {it.name: it for it in told if it.kind is Parameter.KEYWORD_ONLY}

    signature(wrong(right)).bind(*(it for it in told if it.name not in named), **named)
