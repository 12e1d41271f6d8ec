"""What becomes of a row."""

import pytest

from rebalance.groups.model.events import Joined
from sinks import BadRecord
from streaming.wire.decoding import OfGroup
from streaming.wire.rows import Row
from tests.builders.log import PARTITIONS, Log, beat, join, rules
from tests.builders.records import at
from trimtab.protocol import (
    HEARTBEATS,
    MEMBERS,
    ROUTES,
    START_KEY,
    TICK_KEY,
    encode,
    limits,
    partition_of,
)

DECODER = rules().decoder
STAMP = at(0)
GOOD = encode(join("a"))


def row(key: bytes | None, value: bytes | None, partition: int | None = None) -> Row:
    """A row of `members`, in the partition of its key unless another is named."""
    return Log().append(MEMBERS, key, value, at=5, partition=partition)


def test_a_good_row_is_an_event_of_its_group() -> None:
    """The key says which group, the value what happened."""
    match DECODER.read(row(b"billing", GOOD), STAMP):
        case OfGroup(group, Joined() as event):
            assert ("billing", "a", STAMP) == (group, event.member, event.stamp)
        case other:
            pytest.fail(f"not an event: {other}")


POISON = {
    "null key": (None, GOOD, "null_key"),
    "key is not text": (b"\xff\xfe", GOOD, "bad_key"),
    "empty key": (b"", GOOD, "bad_key"),
    "reserved key": (b"$tick", GOOD, "bad_key"),
    "key with a control character": (b"billing\n", GOOD, "bad_key"),
    "endless key": (b"x" * limits.DEAD_LETTER_BYTES, GOOD, "bad_key"),
    "null value": (b"billing", None, "null_value"),
    "empty value": (b"billing", b"", "garbage"),
    "garbage": (b"billing", b"\x00\xffgarbage", "garbage"),
    "deep nesting": (b"billing", b"[" * 100_000, "garbage"),
    "not an object": (b"billing", b"[1]", "not_object"),
    "another version": (b"billing", GOOD.replace(b'"v":1', b'"v":2'), "unsupported_version"),
    "another kind": (b"billing", GOOD.replace(b'"join"', b'"jump"'), "unknown_kind"),
    "another topic's record": (b"billing", encode(beat("a")), "unknown_kind"),
    "missing field": (b"billing", b'{"v":1,"kind":"leave"}', "invalid"),
}


@pytest.mark.parametrize(("key", "value", "reason"), POISON.values(), ids=POISON)
def test_a_bad_row_is_a_dead_letter(key: bytes | None, value: bytes | None, reason: str) -> None:
    """Whatever the bytes, the answer is a dead letter with the reason."""
    bad = DECODER.read(row(key, value), STAMP)

    assert isinstance(bad, BadRecord)
    assert (reason, "t.members", 0, 5) == (
        bad.letter.reason,
        bad.letter.topic,
        bad.letter.offset,
        bad.letter.timestamp_ms,
    )


def test_a_row_in_a_foreign_partition_is_misrouted() -> None:
    """Two cells must never decide about one group."""
    wrong = (partition_of(b"billing", PARTITIONS) + 1) % PARTITIONS
    bad = DECODER.read(row(b"billing", GOOD, wrong), STAMP)

    assert isinstance(bad, BadRecord)
    assert "misrouted" == bad.letter.reason


def test_an_oversize_row_is_judged_by_its_true_size() -> None:
    """Only the head of an oversize value reaches Python; the letter tells how long it was."""
    whole = row(b"billing", GOOD)
    size = limits.RECORD_BYTES + 1
    bad = DECODER.read(whole._replace(size=size), STAMP)

    assert isinstance(bad, BadRecord)
    assert ("oversize", size, True) == (bad.letter.reason, bad.letter.size, bad.letter.truncated)


def test_a_row_that_was_cut_is_no_record() -> None:
    """Of what is large and names no kind only the head reaches Python."""
    bad = DECODER.read(row(b"billing", b"{}")._replace(size=9_000), STAMP)

    assert isinstance(bad, BadRecord)
    assert ("garbage", 9_000, True) == (bad.letter.reason, bad.letter.size, bad.letter.truncated)
    assert "9000 bytes, and no field kind" == bad.letter.detail


def test_ticks_are_told_by_place_and_key() -> None:
    """What is keyed as a tick is one only on the topic of heartbeats."""
    beats = Log().append(HEARTBEATS, TICK_KEY, b"whatever", at=5, partition=3)
    members = Log().append(MEMBERS, TICK_KEY, b"whatever", at=5, partition=3)

    assert [True, False] == [DECODER.is_tick(beats), DECODER.is_tick(members)]


def test_starts_are_told_by_place_and_key_and_are_nothing_to_a_group() -> None:
    """What is keyed as a start is one only on the topic of routes; no cell makes an event of it."""
    routes = Log().append(ROUTES, START_KEY, b"whatever", at=5, partition=3)
    members = Log().append(MEMBERS, START_KEY, b"whatever", at=5, partition=3)

    assert [True, False] == [DECODER.is_start(routes), DECODER.is_start(members)]
    assert [] == list(DECODER.heard(routes, STAMP))
