"""Undoing: the command that takes back what a command has done, as it would be typed.

Made from how the group was before. Some commands cannot be taken back: an eviction, an approval, a
group that was forgotten.
"""

import shlex
from collections.abc import Mapping

from trimtab.protocol import Group

_REASON = '--reason "as before"'


def of_group(verb: str, before: Group, said: Mapping[str, object]) -> str | None:
    """Return what undoes a command to a group."""
    name = shlex.quote(before.group)
    match verb:
        case "pause" if not before.paused:
            return f"trimtab groups resume {name} {_REASON}"
        case "resume" if before.paused:
            return f"trimtab groups pause {name} {_REASON}"
        case "drain" | "undrain":
            other = "undrain" if verb == "drain" else "drain"
            return f"trimtab groups {other} {name} {shlex.quote(str(said['member']))} {_REASON}"
        case "strategy":
            return f"trimtab groups strategy {name} {shlex.quote(before.strategy)} {_REASON}"
        case "policy":
            return " ".join(["trimtab groups policy", name, *_rules(before), _REASON])
        case _:
            return None


def of_broker(verb: str, cluster: str, broker: str) -> str | None:
    """Return what undoes a command about a broker."""
    if verb != "eject":
        return None
    names = f"{shlex.quote(broker)} --cluster {shlex.quote(cluster)}"
    return f"trimtab brokers restore {names} {_REASON}"


def _rules(before: Group) -> list[str]:
    """Write a group's own policy as `groups policy` takes it."""
    own = {} if before.overrides is None else before.overrides.model_dump(exclude_none=True)
    return [
        f"{key.replace('_ms', '')}={f'{value}ms' if '_ms' in key else value}"
        for key, value in own.items()
    ]
