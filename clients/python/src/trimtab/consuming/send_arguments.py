"""What may be sent with a commit: refused at once, where the application can still see why.

It is written later, with others, in one transaction. What the client would not take then could
never be committed, nor could anything after it. Used by `assembly`.
"""

from collections.abc import Mapping
from itertools import chain
from typing import Any, Final, SupportsIndex

from trimtab.consuming.choice import is_topic
from trimtab.errors import ConfigurationError

_SENT: Final = {"topic", "value", "key", "headers", "partition", "timestamp"}
"""What confluent-kafka's `produce` takes, but for callbacks."""
_BESIDE, _EACH = 64, 8
"""Bytes of a record beside its contents, and for the length of each: no less than librdkafka counts
(`RD_KAFKAP_MESSAGE_V2_MAX_OVERHEAD`)."""
_NUMBERS: Final = {"partition": 2**31, "timestamp": 2**63}
"""Those that are numbers, and what they are less than: as C has them."""


def checked(arguments: Mapping[str, Any], largest: int) -> dict[str, Any]:
    """Return what is to be sent, as it is now; `largest` is `message.max.bytes`.

    Raises:
        ConfigurationError: The client would not take it.
    """
    for name in arguments.keys() - _SENT:
        raise ConfigurationError(f"send: {name} is not an option of send")
    topic = arguments["topic"]
    if not isinstance(topic, str) or not is_topic(topic):
        raise ConfigurationError(f"send: topic {topic!r} is not a valid topic name")
    headers = _headers(arguments.get("headers"))
    size = _BESIDE + sum(
        _size(name, it) + _EACH
        for name, those in (
            ("value", [arguments["value"]]),
            ("key", [arguments["key"]]),
            ("headers", chain.from_iterable(headers)),
        )
        for it in those
    )
    if size > largest:
        raise ConfigurationError(
            f"send: {size} bytes are more than message.max.bytes, {largest}: set that in `kafka`"
        )
    _check_numbers(arguments)
    return {**arguments, "headers": headers}


def _check_numbers(arguments: Mapping[str, Any]) -> None:
    for name, most in _NUMBERS.items():
        number = arguments.get(name, -1)  # as if it were left out
        if not isinstance(number, SupportsIndex) or not -1 <= number.__index__() < most:
            raise ConfigurationError(
                f"send: {name} must be a whole number from 0 to {most - 1}; or leave it out"
            )


def _headers(given: object) -> list[tuple[Any, ...]]:
    """Headers, of a dictionary or a list of pairs, which the application may use again at once."""
    if not isinstance(given, dict | list | None):
        raise ConfigurationError("send: headers are a dictionary, or a list of pairs")
    pairs = [*given.items()] if isinstance(given, dict) else [*(given or ())]
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[0], str):  # noqa: PLR2004 - a pair
            raise ConfigurationError("send: a header is a pair: its name as text, and its value")
    return pairs


def _size(name: str, content: object) -> int:
    """How many bytes it takes."""
    match content:
        case None:
            return 0
        case bytes():
            return len(content)
        case str():
            try:
                return len(content.encode())
            except UnicodeEncodeError as error:
                raise ConfigurationError(f"send: {name} cannot be encoded: {error}") from error
        case _:
            raise ConfigurationError(f"send: {name} is neither text nor bytes")
