"""Which bytes are a record to a member in Java: those that Python and the controller take for one.

One that a waiting heir believes, and the holder and the controller do not, would make two owners.
"""

from base64 import b64encode
from typing import Final

import pytest

from tests.builders.sessions import a_release, assignment
from tests.integration.java_programs import answered, java
from trimtab.protocol import BROKERS, TOPICS, UndecodableRecord, Verdict, decode, encode

pytestmark = pytest.mark.slow

VERDICT: Final = Verdict(
    cluster="c",
    broker="b",
    available=True,
    since_ms=1,
    reason="so",
    panic=False,
    reports=0,
    errors=0,
)
RECORDS: Final = {
    "assignment": (TOPICS["assignments"], assignment(3, hold=((0, 1),))),
    "release": (TOPICS["releases"], a_release("a", (0, 1, 7, None))),
    "verdict": (BROKERS, VERDICT),
}
VALUES: Final = (
    *(
        sign + "1" * digits + part
        for sign in ("", "-")
        for digits in (4_300, 4_301)
        for part in ("", ".0", "e3")
    ),
    *("1." + "1" * 5_000, "1e400", "-0", "-0.0E-0", "1E+5", "-NaN", "+Infinity", "nan", "Inf"),
    *("01", "-01", "+1", ".5", "1.", "1e", "-", "0x1", "True", "[1,]", '{"a":1,}', "{1:2}", ""),
    *("1 /**/", "1\x0c", "\xa01", " \r\n\t1 ", "1}{", '{"a":1,"a":[]}', '"\x01"', '"\x7f"'),
    *(r'"\x41"', r'"\/"', r'"\u12"', r'"\u0000"', r'"\uD83D\uDE00"', '"\U0001f600\ufffd\uffff"'),
)
"""Of a field that nobody knows."""
TWICE: Final = ('"v":2', '"v":1', '"v":1.0', '"v":true', '"kind":"x"', '"kind":null')
"""Fields that a record has: the last counts."""


def bytes_of(record: bytes) -> list[bytes]:
    """The record with each of these in front and behind, and in other bytes."""
    more = [it.encode() for it in [*(f'"x":{it}' for it in VALUES), *TWICE]]
    before = [b"{" + it + b"," + record[1:] for it in more]
    behind = [record[:-1] + b"," + it + b"}" for it in more]
    others = [b"", b"\xef\xbb\xbf" + record, record + b"\x00", record.decode().encode("utf-16")]
    return before + behind + others


def test_what_is_no_record_to_one_is_none_to_the_other() -> None:
    """Numbers of many digits, what is no JSON, and names that come twice."""
    lines, expected = list[str](), list[str]()
    for kind, (topic, record) in RECORDS.items():
        for text in bytes_of(encode(record)):
            lines.append(f"{kind} {b64encode(text).decode()}")
            try:
                decode(topic, text)
                expected.append("read")
            except UndecodableRecord:
                expected.append("skipped")

    answers = answered(java("protocol.ByteRules"), lines)
    assert [] == [it for it in zip(lines, expected, answers, strict=True) if it[1] != it[2]]
    assert min(expected.count(it) for it in ("read", "skipped")) > 50
