"""Bytes to records and back.

Good records are read in one pass, at the speed of the parser; only a bad one is read twice, to say
what is wrong with it. Whatever the bytes, the result is a record or an `UndecodableRecord`. The
cost is linear in their number, and of the bytes only the path of a field reaches the reason.

A key that appears twice in an object counts as its last appearance, as in every common parser.
"""

from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails, from_json

from trimtab.protocol.reasons import UndecodableRecord
from trimtab.protocol.record import Record
from trimtab.protocol.topics import Topic

R = TypeVar("R", bound=Record)

_ENVELOPE = frozenset({"v", "kind"})


def decode(topic: Topic[R], value: bytes | None) -> R:
    """Read a record of a topic, or raise `UndecodableRecord`.

    A null value raises too: on a compacted topic the caller looks for tombstones first.
    """
    if value is None:
        raise UndecodableRecord("null_value", "The record has no value")
    if len(value) > topic.max_record_bytes:
        raise UndecodableRecord(
            "oversize", f"{len(value)} bytes, more than {topic.max_record_bytes}"
        )
    try:
        record = topic.records.validate_json(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise _judged(topic, value, first) from None
    if not record.model_fields_set >= _ENVELOPE:
        raise _judged(topic, value, None)  # filled in by default, but a reader must be told
    return record


def encode(record: Record) -> bytes:
    """Write a record: compact, fields in the order of declaration, absent ones left out."""
    return record.model_dump_json(exclude_none=True).encode()


def _judged(topic: Topic[Any], value: bytes, error: ErrorDetails | None) -> UndecodableRecord:
    """Say what is wrong, the outermost fault first."""
    if error is not None and error["type"] == "json_invalid":
        return UndecodableRecord("garbage", error["msg"])
    document: Any = from_json(value)
    if not isinstance(document, dict):
        return UndecodableRecord("not_object", "The value is not a JSON object")
    version = document.get("v")
    if type(version) is not int or version != 1:
        return UndecodableRecord("unsupported_version", "v: this reader knows version 1 only")
    if error is None or error["type"].startswith("union_tag") or error["loc"] == ("kind",):
        return UndecodableRecord("unknown_kind", f"kind: not one of {', '.join(topic.kinds)}")
    # A union's path begins with the kind that was chosen.
    steps = error["loc"][1:] if len(topic.models) > 1 else error["loc"]
    path = ".".join(str(step) for step in steps)
    return UndecodableRecord("invalid", f"{path}: {error['msg']}")
