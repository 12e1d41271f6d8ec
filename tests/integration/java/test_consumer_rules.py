"""What a consumer in Java does when things happen at once, and its reader in trouble: played."""

from typing import Final

import pytest

from tests.integration.java_programs import answered, java

pytestmark = pytest.mark.slow

CONSUMER: Final = {
    "second-thread": "refused entered",
    "closed-elsewhere": "false true",
    "frozen": "true false",
    "polling": "false true false",
    "paused-late": "0",
    "sought-late": "0",
    "revoked-late": "lost",
    "flushed": "false false true",
    "committed-late": "1 0",
    "silent": "true true false",
    "withdrawn": "written true, the queues are others' now",
    "refused": "0 1",
    "begun": "[orders-0@1] 1",
    "decided": "100 [100]",
    "decided-again": "[100] {}",
    "decided-cut": "[30] {}",
    "deaf": "true [revoked]",
    "hanging": "ended",
    "deaf-and-stuck": "stuck",
    "repeated": "1",
    "recovery": "none",
}
SAID: Final = "log warn orders-1:"
ASKED: Final = "was the log cut, or the topic made anew?"
READER: Final = {
    "leaderless": "1 1 false",
    "broken": "played 0",
    "broken-checked": "played 0",
    "barred": "30 1 1",
    "refused": "0 1 1",
    "no-host": "0",
    "strayed-later": "0",
    "stray 7": f"0 {SAID} offset 7 is beyond the end, 5: reading goes on at 0: {ASKED}",
    "stray 7 3 0": f"0 {SAID} offset 7 is beyond the end, 5: reading goes on at 0: {ASKED}",
    "stray 4": f"0 {SAID} offset 4 was not there: reading goes on at 0: {ASKED}",
    "stray 0": f"0 {SAID} Kafka has deleted offset 0, reading goes on at 0",
    "stray 7 3 2": f"3 {SAID} the log was cut at offset 3, 7 is not there: reading goes on at 3",
    "subscribed": "orders visits",
}


def test_what_happens_at_once_comes_in_one_order() -> None:
    """Threads of the application, of the member, and the keeper."""
    assert [*CONSUMER.values()] == answered(java("kafka.ConsumerRules"), [*CONSUMER])


def test_a_reader_in_trouble_reads_what_can_be_read() -> None:
    """And neither spins nor meets what a listener throws."""
    assert [*READER.values()] == answered(java("kafka.ReaderRules"), [*READER])
