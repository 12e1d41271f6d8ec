r"""Recordings as JSON lines: one record of Kafka each, and a line between batches.

    {"topic": "trimtab.members", "partition": 3, "offset": 90, "timestamp": 1767225600000,
     "key": "billing", "value": "{\"v\": 1, \"kind\": \"join\", ...}"}
    {"batch": 2}

The value is the record's text as it is on the wire; null is a tombstone. A value that is an object
is taken for the text that it would be. A topic may be named without its prefix. Lines that hold a
``comment`` and empty lines are passed over. A number is at most what Kafka and our own records,
which name it as a cause, can carry.

Its one rule: a line that is none of these ends the reading, with its number and what is wrong.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from console.errors import ExitCode, Failure
from streaming.wire.rows import Row
from trimtab.protocol import TOPICS, limits

_GZIP: Final = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Cut:
    """A line between two batches."""

    number: int


Line = Row | Cut


def read(files: Sequence[Path], prefix: str) -> Iterator[Line]:
    """Read recordings, one after the other.

    Raises:
        Failure: A file is not there, or a line cannot be read.
    """
    for file in files:
        try:
            lines = file.open("rb")
        except OSError as error:
            raise Failure(f"{file}: {error.strerror}", ExitCode.NOT_FOUND) from error
        with lines:
            if lines.peek(2)[:2] == _GZIP:
                raise Failure(f"{file}: it is compressed: `gunzip` it first", ExitCode.USAGE)
            yield from parsed(lines, prefix, str(file))


def parsed(lines: Iterable[bytes], prefix: str, name: str) -> Iterator[Line]:
    """Read lines; ``name`` is whose they are said to be."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found = _line(json.loads(line), prefix)
        except RecursionError as error:
            raise Failure(f"{name}, line {number}: nested too deeply") from error
        except (ValueError, TypeError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else error
            raise Failure(f"{name}, line {number}: {reason}") from error
        if found is not None:
            yield found


def _line(line: object, prefix: str) -> Line | None:
    if not isinstance(line, dict):
        raise TypeError("not a JSON object")
    if "batch" in line:
        return Cut(_number(line, "batch"))
    if "comment" in line and "topic" not in line:
        return None
    topic = _text(line, "topic")
    value = _value(line)
    key = line.get("key")
    if key is not None and not isinstance(key, str):
        raise TypeError("key: must be a string or null")
    return Row(
        f"{prefix}{topic}" if topic in TOPICS else topic,
        _number(line, "partition", limits.PARTITION),
        _number(line, "offset"),
        _number(line, "timestamp"),
        None if key is None else key.encode(),
        value,
        0 if value is None else len(value),
    )


def _text(line: dict[str, object], field: str) -> str:
    value = line.get(field)
    if not isinstance(value, str) or not value:
        raise TypeError(f"{field}: must be a string")
    return value


def _number(line: dict[str, object], field: str, most: int = limits.SAFE_INTEGER) -> int:
    value = line.get(field)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise TypeError(f"{field}: must be a number from 0 to {most}")
    return value


def _value(line: dict[str, object]) -> bytes | None:
    if "value" not in line:
        raise TypeError("value: is missing")
    value = line["value"]
    if value is None:
        return None
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    raise TypeError("value: must be the record's text, or null")
