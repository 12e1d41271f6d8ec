"""What a follower is told of a record."""

import pytest

from tests.builders.sessions import assignment
from trimtab import Followed, TransportError, follow
from trimtab.following import _news
from trimtab.protocol import Assignment, encode, member_key

KEY = member_key("billing", "worker-2")
RECORD = assignment(4, member="worker-2")


def told(known: dict[str, Assignment], record: Assignment | None, key: bytes = KEY) -> object:
    """What is made of a record."""
    return _news(key, None if record is None else encode(record), "billing", known)


def test_what_is_older_is_no_news() -> None:
    """Of an older controller that was frozen a record may come late."""
    known: dict[str, Assignment] = {}
    later = RECORD.model_copy(update={"epoch": 5, "target_epoch": 5})
    said = [told(known, it) for it in (RECORD, later, RECORD, later)]

    assert [Followed("worker-2", RECORD), Followed("worker-2", later), None, None] == said


def test_who_is_gone_is_told_once() -> None:
    """By a tombstone; of whom nobody knew, nothing."""
    known = {"worker-2": RECORD}

    assert [Followed("worker-2", None), None] == [told(known, None), told(known, None)]


@pytest.mark.parametrize("key", [member_key("others", "worker-2"), b"garbage", b"\xff/x"])
def test_what_concerns_others_or_nobody_is_left_out(key: bytes) -> None:
    """Several groups share a partition, and anybody with the right may write there."""
    assert told({}, RECORD, key) is None


def test_what_cannot_be_read_is_left_out() -> None:
    """A newer controller may write what is not known here."""
    assert _news(KEY, b"{}", "billing", {}) is None


def test_a_kafka_that_nobody_reaches_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would wait without a word."""
    monkeypatch.setattr("trimtab.following._PATIENCE_S", 0.1)

    with pytest.raises(TransportError, match=r"^following, by Kafka at 127\.0\.0\.1:1: "):
        next(follow("127.0.0.1:1", group="billing", kafka={"log_level": 0}))
