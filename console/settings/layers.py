"""What each source said: a flat map from key to value, with the place that it was said at.

One function a source. They agree on everything but spelling: names are looked up in ``keys``, a
table of options may be given whole, as a JSON object, and merges with what other sources say of
it.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from console.errors import ExitCode, Failure
from console.settings.keys import Key, dotted, leaves, sections, tables, unknown
from console.settings.masking import OF_OTHERS

PREFIX = "TRIMTAB_"
_NOT_SETTINGS = {
    *("TRIMTAB_CONFIG", "TRIMTAB_DEBUG"),  # of the command itself
    "TRIMTAB_GUARD",  # of `trimtab-guard`: a command under it has this (trimtab.guard_lines)
    # of the hook in RocketMQ's brokers (docs/rocketmq.md)
    *("TRIMTAB_KAFKA", "TRIMTAB_GROUPS", "TRIMTAB_PREFIX", "TRIMTAB_PATIENCE"),
    "TRIMTAB_KAFKA_OPTIONS",
}
"""Variables with our prefix that say how to run, not what to run with, or are for other programs
of ours. No setting has such a name: those below a section have two underscores."""
_LINK = re.compile(
    r"TRIMTAB_(\w+_)?(SERVICE_(HOST|PORT(_\w+)?)=.*|PORT(_\d+_[A-Z]+(_[A-Z]+)?)?=(tcp|udp|sctp)://.*"
    r"|PORT_\d+_[A-Z]+_[A-Z]+=.*)"
)
"""What Kubernetes tells each pod beside a Service that is called `trimtab`, as ours is, with its
value: a setting that was misspelt has another one."""


@dataclass(frozen=True, slots=True)
class Given:
    """A value as a source gave it."""

    value: object
    origin: str


Layer = dict[Key, Given]


def from_flags(key_values: Sequence[str]) -> Layer:
    """Read `--set policy.strategy=AVG`.

    Raises:
        Failure: A key is unknown or has no value.
    """
    layer: Layer = {}
    for given in key_values:
        name, equals, value = given.partition("=")
        if not equals:
            raise Failure(f"--set {given}: give it as KEY=VALUE", ExitCode.USAGE)
        layer |= _read(_flag_key(name), Given(value, f"flag --set {name}"))
    return layer


def from_environment(environment: Mapping[str, str]) -> Layer:
    """Read TRIMTAB_POLICY__STRATEGY, or the file that TRIMTAB_..._FILE names.

    Raises:
        Failure: A variable is no setting, or is given both as itself and as a file.
    """
    names = {_variable(key): key for key in leaves() | tables()}
    layer: Layer = {}
    for variable in sorted(environment):
        if not variable.startswith(PREFIX) or variable in _NOT_SETTINGS:
            continue
        if _LINK.fullmatch(f"{variable}={environment[variable]}"):
            continue
        plain = variable.removesuffix("_FILE")
        if variable in names:
            value = environment[variable]
            layer |= _read(names[variable], Given(value, f"environment {variable}"))
        elif plain not in names:
            raise unknown(variable, "the environment", list(names))
        elif plain in environment:
            raise Failure(f"both {plain} and {variable} are set: unset one", ExitCode.USAGE)
        else:
            secret = _content(Path(environment[variable]), variable)
            layer |= _read(names[plain], Given(secret, f"environment {variable}"))
    return layer


def from_file(path: Path) -> Layer:
    """Read a TOML file.

    Raises:
        Failure: It is missing, not TOML, or has a key that is no setting.
    """
    try:
        content = tomllib.loads(_content(path, "the settings file"))
    except tomllib.TOMLDecodeError as error:
        raise Failure(f"{path}: {error}", ExitCode.USAGE) from error
    return _below((), content, path)


def nested(layer: Layer) -> dict[str, object]:
    """The layer as the nested tables that the model is made from."""
    root: dict[str, object] = {}
    for key, given in layer.items():
        table = root
        for name in key[:-1]:
            inner = table.setdefault(name, {})
            assert isinstance(inner, dict)
            table = inner
        table[key[-1]] = given.value
    return root


def _below(above: Key, content: Mapping[str, object], path: Path) -> Layer:
    layer: Layer = {}
    for name, value in content.items():
        key = (*above, name)
        if key in sections() and isinstance(value, dict):
            layer |= _below(key, value, path)
        elif key in leaves() or (key in tables() and isinstance(value, dict)):
            layer |= _read(key, Given(value, f"file {path}"))
        elif key in sections() | tables():
            raise Failure(f"{dotted(key)} in {path} must be a table", ExitCode.USAGE)
        else:
            raise unknown(dotted(key), str(path), [dotted(k) for k in leaves() | tables()])
    return layer


def _read(key: Key, given: Given) -> Layer:
    """One value, or the entries of a table of options."""
    if key not in tables():
        return {key: given}
    entries = given.value
    if isinstance(entries, str):
        try:
            entries = json.loads(entries)
        except json.JSONDecodeError:
            entries = None
    if not isinstance(entries, dict):
        raise Failure(
            f'{dotted(key)} ({given.origin}) must be a JSON object, like {{"name": "value"}}',
            ExitCode.USAGE,
        )
    named = _joined(entries) if key in OF_OTHERS else entries.items()
    return {(*key, name): Given(value, given.origin) for name, value in named}


def _joined(entries: Mapping[str, object], above: str = "") -> Iterator[tuple[str, object]]:
    """Return options by their whole names; `sasl.password`, without quotes, is a table in TOML."""
    for name, value in entries.items():
        if isinstance(value, dict) and value:
            yield from _joined(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def _flag_key(name: str) -> Key:
    key = tuple(name.split("."))
    for table in tables():
        if key[: len(table)] == table and len(key) > len(table):
            return (*table, ".".join(key[len(table) :]))
    if key not in leaves() | tables():
        raise unknown(name, "--set", [dotted(k) for k in leaves() | tables()])
    return key


def _variable(key: Key) -> str:
    return PREFIX + "__".join(key).upper()


def _content(path: Path, what: str) -> str:
    try:
        return path.read_text("utf-8-sig").strip()  # as TOML is; some editors put a mark first
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", "is not UTF-8 text") or "cannot be read"
        raise Failure(f"{what}: {path}: {reason.lower()}", ExitCode.USAGE) from error
