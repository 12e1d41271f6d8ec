"""Values made from their types alone, so that a field that is new is filled as well.

What stores a value and forgets one of its fields cannot give it back.
"""

import types
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from itertools import count
from typing import Any, NewType, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

T = TypeVar("T")


def filled(kind: type[T], seeds: Iterator[int] | None = None) -> T:
    """Return a value with something in every field: none is at its default, no two are the same."""
    return cast("T", _filled(kind, count(1) if seeds is None else seeds))


def _filled(kind: Any, seeds: Iterator[int]) -> object:  # noqa: ANN401 - any annotation
    if isinstance(kind, NewType):
        return _filled(kind.__supertype__, seeds)
    if get_origin(kind) is not None:
        return _generic(get_origin(kind), get_args(kind), seeds)
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        hints, defaults = get_type_hints(kind), _defaults(kind)
        return kind(
            **{name: _other_than(defaults.get(name), hints[name], seeds) for name in _names(kind)}
        )
    if issubclass(kind, Enum):
        return list(kind)[-1]
    number = next(seeds)
    made = {bool: True, int: number, float: number + 0.5, str: f"n{number}"}
    return made.get(kind, f"n{number}".encode())


def _generic(origin: object, inner: tuple[Any, ...], seeds: Iterator[int]) -> object:
    if origin in (Union, types.UnionType):
        return _filled(next(it for it in inner if it is not type(None)), seeds)
    if origin is Mapping:
        return {_filled(inner[0], seeds): _filled(inner[1], seeds) for _ in range(2)}
    if origin is frozenset:
        return frozenset(_filled(inner[0], seeds) for _ in range(2))
    assert origin is tuple, f"a {origin} cannot be filled"
    kinds = inner[:1] * 2 if inner[-1] is ... else inner
    return tuple(_filled(it, seeds) for it in kinds)


def _other_than(default: object, kind: Any, seeds: Iterator[int]) -> object:  # noqa: ANN401 - as above
    value = _filled(kind, seeds)
    if value != default:
        return value
    return not default if kind is bool else next(it for it in kind if it != default)


def _names(kind: Any) -> tuple[str, ...]:  # noqa: ANN401 - as above
    return tuple(it.name for it in fields(kind)) if is_dataclass(kind) else tuple(kind._fields)


def _defaults(kind: Any) -> Mapping[str, object]:  # noqa: ANN401 - as above
    if not is_dataclass(kind):
        return cast("Mapping[str, object]", kind._field_defaults)
    return {it.name: it.default for it in fields(kind) if it.default is not MISSING}


def anything(kind: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401 - any annotation
    """Return all values of a type, small ones."""
    if isinstance(kind, NewType):
        return anything(kind.__supertype__)
    if get_origin(kind) is not None:
        return _any_generic(get_origin(kind), get_args(kind))
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        hints = get_type_hints(kind)
        return st.builds(kind, **{name: anything(hints[name]) for name in _names(kind)})
    if issubclass(kind, Enum):
        return st.sampled_from(list(kind))
    plain: dict[type, st.SearchStrategy[Any]] = {
        bool: st.booleans(),
        int: st.integers(0, 9) | st.integers(-(2**31), 2**53),
        float: st.floats(0, 10),
        str: st.text(max_size=2),
        bytes: st.binary(max_size=3),
    }
    return plain[kind]


def _any_generic(origin: object, inner: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    if origin in (Union, types.UnionType):
        return st.one_of([st.none() if it is type(None) else anything(it) for it in inner])
    if origin is Mapping:
        return st.dictionaries(anything(inner[0]), anything(inner[1]), max_size=2)
    if origin is frozenset:
        return st.frozensets(anything(inner[0]), max_size=2)
    if inner[-1] is ...:
        return st.lists(anything(inner[0]), max_size=2).map(tuple)
    return st.tuples(*map(anything, inner))
