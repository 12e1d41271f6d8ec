"""RocketMQ's heartbeats, against what its own classes read and wrote."""

import json
import re
from base64 import b64decode
from typing import Any

import pytest

from tests.builders.fault_vectors import cases, read
from tests.builders.filters import filtered, tagged
from tests.builders.lines import Line
from trimtab.protocol import UndecodableRecord
from trimtab.protocol.heartbeat_data import (
    HeartbeatData,
    SubscriptionData,
    read_heartbeat,
    write_heartbeat,
)

LINES = read("heartbeat")
NOW = 1_700_000_000_000
OURS = {"heartbeatFingerprint", "withoutSub"}
"""What 4.9.8 does not know yet."""


def plain(document: Any) -> Any:  # noqa: ANN401 - JSON of many shapes
    """A document in which the order of lists does not count: they stand for Java's sets."""
    if isinstance(document, dict):
        return {name: plain(value) for name, value in document.items()}
    if isinstance(document, list):
        return sorted(map(plain, document), key=lambda item: json.dumps(item, sort_keys=True))
    return document


def fields(data: HeartbeatData | None) -> Any:  # noqa: ANN401 - as above
    """A heartbeat as the vectors show one."""
    return None if data is None else plain(json.loads(data.model_dump_json(by_alias=True)))


def is_json(body: bytes) -> bool:
    """Whether anybody but fastjson can read it."""
    try:
        json.loads(body)
    except ValueError:
        return False
    return True


@cases(LINES, "encode")
def test_a_real_heartbeat_is_read_and_written(line: Line) -> None:
    """Every field; keys in alphabetical order, nulls left out; sets in any order."""
    body = line["body"].encode()
    data = read_heartbeat(body, NOW)

    assert plain(line["fields"]) == fields(data)
    assert data is not None
    written = json.loads(write_heartbeat(data))
    assert plain(json.loads(body)) == plain(written)
    assert sorted(written) == list(written)


@cases(read("heartbeat_4x"), "encode")
def test_a_heartbeat_of_an_old_client_is_read(line: Line) -> None:
    """RocketMQ 4 has two fields less."""
    found = fields(read_heartbeat(line["body"].encode(), NOW))

    assert plain(line["fields"]) == {name: found[name] for name in found.keys() - OURS}


@cases(LINES, "decode")
def test_odd_bodies_are_read_as_a_broker_does(line: Line) -> None:
    """Or refused: where it throws, where it finds nothing, and where it reads what is no JSON."""
    if "body_b64" in line:
        body = b"" if line["body_b64"] is None else b64decode(line["body_b64"])
    else:
        body = line["body"].encode("utf-8", "surrogatepass")
    try:
        found = fields(read_heartbeat(body, line["now"]))
    except UndecodableRecord:
        assert "error" in line or line["expect"] is None or not is_json(body)
    else:
        assert "error" not in line
        assert plain(line["expect"]) == found


@cases(LINES, "subscription")
def test_subscriptions_are_made_as_clients_make_them(line: Line) -> None:
    """``FilterAPI``: tags and their hashes, other kinds of expressions, and the refusals."""
    if "error" in line:
        with pytest.raises(ValueError, match=f"^{re.escape(line['error']['message'])}$"):
            made(line)
    else:
        assert plain(line["expect"]) == plain(json.loads(made(line).model_dump_json(by_alias=True)))


def made(line: Line) -> SubscriptionData:
    """What ``FilterAPI`` is called for in a line."""
    topic, expression, now = line["topic"], line["expression"], line["now"]
    if line["call"] == "buildSubscriptionData":
        return tagged(topic, expression, now)
    return filtered(topic, expression, line["type"], now)


def naming(model: object) -> bytes:
    """A heartbeat of one group whose message model is written so."""
    return json.dumps({"consumerDataSet": [{"messageModel": model}]}).encode()


LENIENT = {
    "a key in another spelling": (b'{"CLIENT_id":"c"}', b'{"clientID":"c"}'),
    "a key with a dash": (b'{"without-sub":true}', b'{"withoutSub":true}'),
    "a number for a text": (b'{"clientID":12}', b'{"clientID":"12"}'),
    "an ordinal": (naming(1), naming("CLUSTERING")),
    "an enum in lower case": (naming("clustering"), naming("CLUSTERING")),
    "an enum that is unknown": (naming("SHARED"), naming(None)),
    "a bean without content": (b'{"consumerDataSet":[""]}', b'{"consumerDataSet":[null]}'),
    "a null for a flag": (b'{"withoutSub":null}', b"{}"),
}


@pytest.mark.parametrize(("body", "same"), LENIENT.values(), ids=LENIENT)
def test_values_are_read_as_leniently_as_fastjson_reads_them(body: bytes, same: bytes) -> None:
    """As far as the document is JSON."""
    assert read_heartbeat(same, NOW) == read_heartbeat(body, NOW)


REFUSED = {
    "comments": b'{"clientID":"c" /* me */}',
    "single quotes": b"{'clientID':'c'}",
    "keys without quotes": b'{clientID:"c"}',
    "not UTF-8": b'{"clientID":"\xff"}',
    "endless nesting": b"[" * 100_000,
    "an ordinal that is none": b'{"consumerDataSet":[{"messageModel":7}]}',
    "an object for a text": b'{"clientID":{}}',
    "an object for a list": b'{"consumerDataSet":{}}',
    "no finite number": b'{"heartbeatFingerprint":1e999}',
    "no finite number for a name": b'{"consumerDataSet":[{"groupName":1e400}]}',
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_what_is_no_json_or_no_bean_is_refused(body: bytes) -> None:
    """With a reason that quotes nothing."""
    with pytest.raises(UndecodableRecord):
        read_heartbeat(body, NOW)
