"""The keys that exist: what a name in a file, a variable or a flag may mean.

A key is a path, ``("policy", "session_timeout")``; below a table of options the last part is the
option's own name, dots and all. All three sources look their names up here, so that a misspelt one
is an error everywhere, with the same hint.
"""

from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache

from pydantic import BaseModel

from console.errors import ExitCode, Failure
from console.settings.model import Settings

Key = tuple[str, ...]


@cache
def leaves() -> frozenset[Key]:
    """Every key that holds a value of its own."""
    return frozenset(key for key, is_table in _fields(Settings, ()) if not is_table)


@cache
def tables() -> frozenset[Key]:
    """Every key that holds a table of options."""
    return frozenset(key for key, is_table in _fields(Settings, ()) if is_table)


@cache
def sections() -> frozenset[Key]:
    """Every key that holds other keys."""
    return frozenset(key[:n] for key in leaves() | tables() for n in range(len(key)))


def unknown(name: str, where: str, known: list[str]) -> Failure:
    """The error for a name that is none, with the nearest that is one."""
    near = get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return Failure(f"unknown setting {name} in {where}{hint}", ExitCode.USAGE)


def dotted(key: Key) -> str:
    """The key as people write it."""
    return ".".join(key)


def _fields(model: type[BaseModel], above: Key) -> Iterator[tuple[Key, bool]]:
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _fields(kind, (*above, name))
        else:
            yield (*above, name), getattr(kind, "__origin__", None) is dict
