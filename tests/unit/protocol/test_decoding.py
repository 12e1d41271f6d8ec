"""Reading records: what is good is read for ever, what is bad has one reason."""

import json
import pickle
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders.wire_examples import Bad, Golden, bad, golden
from trimtab.protocol import (
    HEARTBEATS,
    LATENCY,
    MEMBERS,
    TOPICS,
    Beat,
    Topic,
    UndecodableRecord,
    decode,
    encode,
)
from trimtab.protocol.limits import QUEUES_PER_RECORD, TEXT_CHARACTERS

LIFE = b'"member":"m","incarnation":"1767225600000-9f86d081","sequence":1'
BEAT = b'"v":1,"kind":"beat",' + LIFE + b',"epoch":1'
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5
)


def a_beat(*more: bytes) -> bytes:
    """A beat with more fields than it needs."""
    return b"{%s}" % b",".join((BEAT, *more))


def refusal_of(topic: Topic[Any], value: bytes) -> UndecodableRecord | None:
    """Why a value is refused, if it is."""
    try:
        decode(topic, value)
    except UndecodableRecord as refusal:
        return refusal
    return None


@pytest.mark.parametrize("record", golden(), ids=str)
def test_golden_records_decode_for_ever(record: Golden) -> None:
    """What was written once is read, and written back in one form."""
    topic = TOPICS[record.topic]
    decoded = decode(topic, record.wire.encode())

    assert record.again == encode(decoded).decode()
    assert decoded == decode(topic, record.again.encode())


@pytest.mark.parametrize("topic", TOPICS.values(), ids=lambda topic: str(topic.name))
def test_every_kind_has_a_golden_record(topic: Topic[Any]) -> None:
    """No record type is without a memory."""
    kinds = {json.loads(it.wire)["kind"] for it in golden() if it.topic == topic.name}

    assert set(topic.kinds) == kinds


@pytest.mark.parametrize("record", golden(), ids=str)
def test_unknown_fields_are_ignored(record: Golden) -> None:
    """A newer writer may say more, of any shape."""
    more = json.loads(record.wire) | {"future": {"deep": [[{"x": None}]]}, "kinds": "tick"}
    topic = TOPICS[record.topic]

    assert decode(topic, record.wire.encode()) == decode(topic, json.dumps(more).encode())


@pytest.mark.parametrize("record", bad(), ids=str)
def test_bad_records_have_one_reason(record: Bad) -> None:
    """Each bad record is refused for its outermost fault, which the detail names."""
    with pytest.raises(UndecodableRecord) as refusal:
        decode(TOPICS[record.topic], record.value)

    assert record.reason == refusal.value.reason
    assert record.detail in refusal.value.detail


@pytest.mark.parametrize(
    ("topic", "value", "reason"),
    [
        (HEARTBEATS, None, "null_value"),
        (HEARTBEATS, b" " * (HEARTBEATS.max_record_bytes + 1), "oversize"),
        (LATENCY, b"{" * (LATENCY.max_record_bytes + 1), "oversize"),
        (HEARTBEATS, b"[" * 1_000_000, "garbage"),
        (HEARTBEATS, b'{"a":' * 200_000, "garbage"),
        (HEARTBEATS, b'{"v":' + b"9" * 1_000_000 + b"}", "garbage"),
        (HEARTBEATS, a_beat(b'"epoch":' + b"9" * 4_000), "invalid"),
        (HEARTBEATS, a_beat(b'"owned":[' + b"0," * 500_000 + b"0]"), "invalid"),
        (MEMBERS, b'{"v":1,"kind":"' + b"x" * 1_000_000 + b'"}', "unknown_kind"),
    ],
    ids=[
        "nothing",
        "a heartbeat too long",
        "a report too long",
        "a deep list",
        "a deep object",
        "an endless number",
        "a very large number",
        "a long list of the wrong things",
        "a very long kind",
    ],
)
def test_enormous_records_have_a_reason_too(
    topic: Topic[Any], value: bytes | None, reason: str
) -> None:
    """What is too long to be written down is refused as quickly as the rest."""
    before = time.process_time()
    with pytest.raises(UndecodableRecord) as refusal:
        decode(topic, value)

    assert reason == refusal.value.reason
    assert time.process_time() - before < 0.5


@given(
    topic=st.sampled_from([topic for topic in TOPICS.values() if topic.kinds]),
    value=st.binary() | st.text('[]{}",:01evkind').map(str.encode),
)
def test_any_bytes_are_a_record_or_a_reason(topic: Topic[Any], value: bytes) -> None:
    """Nothing else can come out."""
    refusal = refusal_of(topic, value)

    assert refusal is None or len(refusal.detail) <= TEXT_CHARACTERS


@given(record=st.sampled_from(golden()), data=st.data())
def test_a_damaged_record_is_a_record_or_a_reason(record: Golden, data: st.DataObject) -> None:
    """Nor after any one field is replaced by something else."""
    document = json.loads(record.wire)
    field = data.draw(st.sampled_from(sorted(document)))
    damaged = json.dumps(document | {field: data.draw(ANYTHING)})
    refusal = refusal_of(TOPICS[record.topic], damaged.encode())

    assert refusal is None or refusal.detail.isprintable()


def test_the_detail_shows_nothing_that_strangers_wrote() -> None:
    """Not the value, not the names of fields we do not know: only where and what is wrong."""
    with pytest.raises(UndecodableRecord) as refusal:
        decode(HEARTBEATS, a_beat(b'"\\u001b[31m":1', b'"owned":[{"topic":"evil","queues":[[0]]}]'))

    assert "owned.0.queues.0.1: Field required" == refusal.value.detail


def test_a_detail_is_one_printable_line() -> None:
    """Whatever the text, it may be logged and shown."""
    error = UndecodableRecord("garbage", "red \x1b[31m and\nlong " + "x" * 1_000)

    assert error.detail.startswith("red ?[31m and?long xxx")
    assert (TEXT_CHARACTERS, True) == (len(error.detail), error.detail.isprintable())


def test_errors_travel_between_processes() -> None:
    """Spark pickles what its workers raise."""
    error = pickle.loads(pickle.dumps(UndecodableRecord("bad_key", "no")))  # noqa: S301 - our own

    assert ("bad_key", "no") == (error.reason, error.detail)


@pytest.mark.parametrize(
    "more",
    [
        b",".join(b'"k%d":0' % number for number in range(80_000)),
        b",".join([b'"k":0'] * 150_000),
        b'"x":' + b"[" * 190 + b"]" * 190,
        b'"x":"' + b"\\n" * 500_000 + b'"',
        b'"x":[' + b",".join([b"1e-9999"] * 100_000) + b"]",
        b'"x":[' + b",".join([b"9" * 4_000] * 200) + b"]",
    ],
    ids=["many fields", "one field often", "nested", "escapes", "tiny numbers", "huge numbers"],
)
def test_a_hostile_record_costs_no_more_than_its_length(more: bytes) -> None:
    """A megabyte of anything is read in less than half a second of computing."""
    value = a_beat(more)
    before = time.process_time()
    decode(HEARTBEATS, value)

    assert time.process_time() - before < 0.5
    assert len(value) <= HEARTBEATS.max_record_bytes


def test_a_full_record_fits() -> None:
    """As many queues as a record may name fit in half of the bytes it may have, at any length."""
    rows = b",".join(b"[%d,123456789]" % number for number in range(QUEUES_PER_RECORD))
    shelf = b'{"topic":"%s","queues":[%s]}' % (b"t" * 249, rows)
    value = a_beat(b'"owned":[%s]' % shelf)
    beat = decode(HEARTBEATS, value)

    assert isinstance(beat, Beat)
    assert QUEUES_PER_RECORD == len(beat.owned or ())
    assert len(value) < HEARTBEATS.max_record_bytes // 2
    with pytest.raises(UndecodableRecord, match="too many queues"):
        decode(HEARTBEATS, a_beat(b'"owned":[%s,{"topic":"t","queues":[[0,1]]}]' % shelf))
