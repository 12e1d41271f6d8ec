"""The settings that one group has of its own, as an operator types them for `groups policy`.

Each value is checked alone: what it may be beside the others, and beside the controller's, only the
controller knows, and it answers. Used by the command. Its one rule: the operator's own settings
have no say in it.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from pydantic import ValidationError, create_model

from console.errors import ExitCode, Failure
from console.settings.groups import PolicySettings
from console.settings.units import AUTO, milliseconds
from trimtab.protocol import Overrides


def own_rules(rules: Iterable[str]) -> dict[str, object]:
    """Read `KEY=VALUE`, each by the name that the wire has for it.

    Raises:
        Failure: A key is none of a group's, or its value is none.
    """
    names = {it.replace("_ms", ""): it for it in Overrides.model_fields}
    own = dict[str, object]()
    for rule in rules:
        key, equals, text = rule.partition("=")
        if key not in names:
            reason = f"{key} cannot be set for one group. Possible: {', '.join(names)}"
            raise Failure(reason, ExitCode.USAGE)
        if not equals:
            raise Failure(f"{rule}: give it as KEY=VALUE", ExitCode.USAGE)
        own[names[key]] = _value(key, text)
    return own


def _value(key: str, text: str) -> object:
    field = PolicySettings.model_fields[key]
    alone: dict[str, Any] = {"value": (field.annotation, field)}
    try:
        value = dict(create_model("Alone", **alone).model_validate({"value": text}))["value"]
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]["msg"]
        said = problem.removeprefix("Value error, ").removeprefix("Input ")
        raise Failure(f'policy.{key} = "{text}" {said}', ExitCode.USAGE) from None
    if value == AUTO:
        raise Failure(f'{key}: omit it to use "auto"', ExitCode.USAGE)
    return milliseconds(value) if isinstance(value, timedelta) else value
