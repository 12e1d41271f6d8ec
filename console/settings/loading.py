"""Put the layers together: flags over environment over file over defaults.

Everything is checked here, before anything starts.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import InitSettingsSource

from console.encoding import visible
from console.errors import ExitCode, Failure
from console.settings.keys import Key, dotted
from console.settings.layers import Layer, from_environment, from_file, from_flags, nested
from console.settings.masking import MASK, is_masked, masked
from console.settings.model import Settings

DEFAULT_FILE = Path("trimtab.toml")


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings, and where each of them came from."""

    settings: Settings
    layers: tuple[Layer, ...]
    """The sources that said something, strongest first."""

    def origin(self, key: Key) -> str:
        """Where the effective value of ``key`` was given, itself or within a table."""
        found = (
            layer[whole].origin
            for layer in self.layers
            for whole in (key[:length] for length in range(len(key), 0, -1))
            if whole in layer and _has(layer[whole].value, key[len(whole) :])
        )
        return next(found, "default")


def _has(value: object, within: Key) -> bool:
    """Tell whether a table says something of this; tables of several sources are put together."""
    for name in within:
        if not isinstance(value, dict) or name not in value:
            return False
        value = value[name]
    return True


def load(
    *,
    config: Path | None = None,
    key_values: Sequence[str] = (),
    environment: Mapping[str, str] = os.environ,
) -> Loaded:
    """Read every source and check the whole.

    Args:
        config: The settings file; otherwise the one that TRIMTAB_CONFIG names, otherwise
        ./trimtab.toml if it
            exists.
        key_values: `KEY=VALUE` as given by `--set`.
        environment: The environment's variables.

    Raises:
        Failure: Something is unknown, malformed or contradictory: one line for each.
    """
    named = environment.get("TRIMTAB_CONFIG")
    path = config or (Path(named) if named else None)
    if path is None and DEFAULT_FILE.exists():
        path = DEFAULT_FILE
    layers = (
        from_flags(key_values),
        from_environment(environment),
        from_file(path) if path else {},
    )
    chosen = {key: it for layer in reversed(layers) for key, it in layer.items()}
    for key, it in ((key, it) for key, it in chosen.items() if is_masked(it.value)):
        raise Failure(
            f"{dotted(key)} ({it.origin}) is {MASK}, as `trimtab config show` prints it: give "
            "the value itself",
            ExitCode.USAGE,
        )
    sources = tuple(InitSettingsSource(Settings, init_kwargs=nested(layer)) for layer in layers)
    # A documented parameter of pydantic-settings that the signature made for mypy leaves out.
    given: dict[str, Any] = {"_build_sources": (sources, {})}
    try:
        return Loaded(Settings(**given), layers)
    except ValidationError as error:
        problems = (_line(problem, layers) for problem in error.errors(include_url=False))
        raise Failure("\n".join(problems), ExitCode.USAGE) from None


def _line(problem: ErrorDetails, layers: tuple[Layer, ...]) -> str:
    """One problem as one line that names the key, the value and who gave it."""
    key = tuple(str(part) for part in problem["loc"])
    message = problem["msg"].removeprefix("Value error, ").removeprefix("Input ")
    for layer in layers:
        if key in layer:
            value = visible(str(masked(key, layer[key].value)))
            return f'{dotted(key)} = "{value}" ({layer[key].origin}) {message}'
    return ": ".join(part for part in (dotted(key), message) if part)


def effective(loaded: Loaded) -> Iterator[tuple[Key, object, str]]:
    """Every key with its value as a file would have it, and its origin; secrets masked."""
    for key, value in _flat((), loaded.settings.model_dump(mode="json")):
        yield key, masked(key, value), loaded.origin(key)


def _flat(above: Key, values: Mapping[str, object]) -> Iterator[tuple[Key, object]]:
    for name, value in values.items():
        if isinstance(value, dict) and value:
            yield from _flat((*above, name), value)
        else:
            yield (*above, name), value
