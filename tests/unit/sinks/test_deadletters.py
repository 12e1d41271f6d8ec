"""Bad records are kept, and a command among them is answered."""

import pytest

from sinks import BadRecord, Outlet, Record, dead_letter_records
from trimtab.protocol import (
    HISTORY,
    ChooseStrategy,
    CommandAnswer,
    DeadLetter,
    Place,
    UndecodableRecord,
    decode,
    encode,
    partition_of,
)

OUTLET = Outlet("t.", partitions=8)
AT = 1_767_225_600_000
JSON = ("content-type", b"application/json")
WANTED = ChooseStrategy(id="c1", principal="ann", reason="as before", strategy="NOPE")
LONG = WANTED.model_copy(update={"reason": 300 * "\U0001f4c0"})
"""As many characters as a reason may have, of four bytes: no dead letter has room for them."""


def test_a_dead_letter_lies_under_its_source_topic() -> None:
    """Keyed by the topic it was found on, with the bytes that it was made of."""
    error = UndecodableRecord("garbage", "not JSON")
    letter = DeadLetter.of(error, Place("t.members", 3, 7, AT), b"billing", b"\xff")
    (record,) = dead_letter_records(BadRecord(letter, b"billing", b"\xff"), OUTLET)

    assert (
        Record(
            "t.deadletters",
            partition_of("t.members", 8),
            b"t.members",
            b'{"v":1,"kind":"deadletter","reason":"garbage","detail":"not JSON",'
            b'"topic":"t.members","partition":3,"offset":7,"timestamp_ms":1767225600000,"size":1,'
            b'"key_b64":"YmlsbGluZw==","value_b64":"/w==","truncated":false}',
            (JSON, ("schema", b"trimtab.deadletter/1")),
        )
        == record
    )


@pytest.mark.parametrize(
    ("value", "key", "outcome"),
    [
        (encode(WANTED), b"billing", "strategy: no strategy is called NOPE"),
        (encode(LONG), b"billing", "strategy: no strategy is called NOPE"),
        (encode(WANTED), b"$tick", None),
        (encode(WANTED), None, None),
        (b'{"v":1,"kind":"dance","id":"c1"}', b"billing", None),
        (b"\xff", b"billing", None),
        (None, b"billing", None),
    ],
)
def test_a_command_that_is_a_dead_letter_is_answered(
    value: bytes | None, key: bytes | None, outcome: str | None
) -> None:
    """In the history of its group, if it can be told which command of whom it was."""
    error = UndecodableRecord("refused", "strategy: no strategy is called NOPE")
    letter = DeadLetter.of(error, Place("t.commands", 3, 7, AT), key, value)
    records = dead_letter_records(BadRecord(letter, key, value), OUTLET)
    answers = [decode(HISTORY, it.value) for it in records if it.topic == "t.history"]

    assert "t.deadletters" == records[0].topic
    assert ([] if outcome is None else [("billing", "c1", "refused", outcome, None)]) == [
        (it.group, it.id, it.outcome, it.detail, it.epoch)
        for it in answers
        if isinstance(it, CommandAnswer)
    ]
    assert len(answers) == len(records) - 1
