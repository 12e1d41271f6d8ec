"""Places of servers, as RocketMQ's clients are told them: "names-1:9876;names-2:9876".

Those of several clusters stand one after another, with commas between.

Its one rule: a place that no socket could be opened to is refused where it is written.
"""

import re
from typing import Annotated

from pydantic import AfterValidator

_PLACE = re.compile(r"[A-Za-z0-9_.-]{1,255}:(\d{1,5})")
_LAST_PORT = 65_535


def places(text: str) -> tuple[tuple[tuple[str, int], ...], ...]:
    """Of each cluster, host and port of each."""
    return tuple(_of_one(it.strip()) for it in text.split(","))


def _of_one(text: str) -> tuple[tuple[str, int], ...]:
    found = [_PLACE.fullmatch(it) for it in text.split(";")]
    ports = [int(it[1]) for it in found if it is not None]
    if len(ports) < len(found) or not all(0 < it <= _LAST_PORT for it in ports):
        raise ValueError('must be host and port of each, like "names-1:9876;names-2:9876"')
    return tuple((it.rpartition(":")[0], int(it.rpartition(":")[2])) for it in text.split(";"))


def _read(text: str) -> str:
    places(text)
    return text


Places = Annotated[str, AfterValidator(_read)]
