"""`config show`: every value with its origin, as a table, as JSON, or as a file to start from.

All three show the same: what is in force, written as a settings file would have it, secrets masked.
"""

import json
import re
from itertools import groupby

from console.encoding import as_toml
from console.settings.loading import Loaded, effective
from console.settings.masking import is_masked

_BARE = re.compile(r"[A-Za-z0-9_-]+")
"""What TOML takes for a key without quotes."""


def rows(loaded: Loaded) -> list[dict[str, object]]:
    """One row a key, in the order of the sections."""
    return [
        {"key": ".".join(key), "value": value, "origin": origin}
        for key, value, origin in effective(loaded)
    ]


def toml(loaded: Loaded) -> str:
    """A settings file that says all of it; what is unset, or hidden, is a comment."""
    lines: list[str] = []
    entered = list(effective(loaded))
    sections = [(), *dict.fromkeys(key[:-1] for key, _, _ in entered)]  # root keys first
    ordered = sorted(entered, key=lambda entry: sections.index(entry[0][:-1]))
    for section, entries in groupby(ordered, key=lambda entry: entry[0][:-1]):
        if section:
            lines += ["", f"[{'.'.join(section)}]"]
        for key, value, origin in entries:
            name = key[-1] if _BARE.fullmatch(key[-1]) else as_toml(key[-1])
            if value is None or value == {}:
                lines.append(f"# {name} is not set")
            elif is_masked(value):
                lines.append(f"# {name} = {_written(value)}  # {origin}, and hidden here")
            else:
                lines.append(f"{name} = {_written(value)}  # {origin}")
    return "\n".join(lines).lstrip() + "\n"


def _written(value: object) -> str:
    """Write a value as TOML: as JSON, but for tables."""
    if isinstance(value, dict):
        entries = (f"{as_toml(name)} = {_written(each)}" for name, each in value.items())
        return f"{{{', '.join(entries)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return as_toml(value) if isinstance(value, str) else json.dumps(value)
