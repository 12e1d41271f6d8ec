"""The log of Kafka clients is worth reading."""

import logging

import pytest

from trimtab.kafka_log import Once

REFUSED = "FAIL [rdkafka#consumer-%d]: Connect to broker-%d failed (after %dms in state CONNECT)"


def passes(filtered: Once, text: str, *values: object, level: int = logging.ERROR) -> bool:
    """Whether this is written."""
    return bool(
        filtered.filter(logging.LogRecord("trimtab.kafka", level, "", 0, text, values, None))
    )


def test_what_is_said_again_is_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A minute later once more; what is new is written at once."""
    now = [100.0]
    monkeypatch.setattr("trimtab.kafka_log.time.monotonic", lambda: now[0])
    once = Once()
    said = [passes(once, REFUSED, client, 1, client) for client in range(9)]
    other = passes(once, "SASL authentication error")
    now[0] += 59.0
    soon = passes(once, REFUSED, 1, 1, 1)
    now[0] += 2.0

    assert [True] + 8 * [False] == said
    assert (True, False, True) == (other, soon, passes(once, REFUSED, 1, 1, 1))


def test_who_debugs_sees_everything() -> None:
    """They asked for it."""
    once = Once()

    assert all(passes(once, "SEND", level=logging.DEBUG) for _ in range(3))


def test_it_does_not_grow() -> None:
    """However many different things are said."""
    once = Once()
    letters = "abcdefghijklmnop"
    texts = [a + b + c for a in letters for b in letters for c in letters]

    assert all(passes(once, it) for it in texts)
    assert len(vars(once)["_said"]) <= 1_000
