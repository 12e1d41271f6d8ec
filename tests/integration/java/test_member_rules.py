"""What a member in Java says and takes, and how it ends where there is no Kafka."""

import json
from base64 import b64encode
from typing import Any, Final

import pytest

from tests.builders.sessions import MINE, OTHERS, a_release, assignment
from tests.integration.java_programs import answered, java
from trimtab.protocol import TOPICS, UndecodableRecord, decode, encode, limits

pytestmark = pytest.mark.slow

CENTURY_MS: Final = 36_500 * 86_400_000


def test_a_life_has_a_name_of_ascii_digits_in_every_language() -> None:
    """Others the controller does not take."""
    program, *rest = java("MemberRules")
    for language in ("fa", "ar"):
        command = [program, f"-Duser.language={language}", "-Duser.country=EG", *rest]
        assert ["1767225600000-0000000a"] == answered(command, ["life"])


def test_for_ever_can_be_added_to_a_clock() -> None:
    """A hundred years will do."""
    assert [str(CENTURY_MS)] == answered(java("MemberRules"), ["forever"])


def test_a_member_that_fails_before_it_has_reached_kafka_ends() -> None:
    """It would go on trying for ever."""
    assert ["ABANDONED true"] == answered(java("MemberRules"), ["unconnected"])


def test_a_member_fails_also_where_that_cannot_be_logged() -> None:
    """Half dead it would keep its queues, and tell nobody."""
    program, *rest = java("MemberRules")
    command = [program, "-Dtrimtab.checks.log=true", *rest]

    assert ["ABANDONED lost"] == answered(command, ["unspeakable"])


def test_what_is_lost_before_it_is_told_as_revoked_is_told_as_lost_alone() -> None:
    """The application would finish and commit what others may work on by then."""
    assert ["assigned 1 lost 1"] == answered(java("MemberRules"), ["revoked-late"])


def test_what_is_lost_before_it_is_told_as_assigned_is_not_told() -> None:
    """The application would begin beside others; and what it never had it does not lose."""
    assert ["assigned 1 lost 1"] == answered(java("MemberRules"), ["assigned-late"])


def test_what_is_told_to_another_life_under_the_name_is_not_for_this_one() -> None:
    """It was answered under a name of its own; later under the plain one, and that counts then."""
    assert ["1 1 0"] == answered(java("MemberRules"), ["named-apart"])


def test_a_certificate_that_has_expired_is_named() -> None:
    """What Kafka's client says is that the handshake failed, whatever was wrong."""
    said = answered(java("MemberRules"), ["expired"])[0]

    assert "SSL handshake failed: CertificateExpiredException: NotAfter: yesterday" in said


def test_a_writer_that_meets_an_error_says_so_and_goes_on() -> None:
    """Its thread would be gone, and the member beat no more."""
    assert ["2"] == answered(java("transport.WriterRules"), ["failing"])


def test_a_record_that_nothing_is_heard_of_counts_as_tried_in_vain() -> None:
    """A producer whose own thread has died says nothing: in a minute there is another one."""
    assert ["false true"] == answered(java("transport.WriterRules"), ["dead"])


def test_a_request_that_may_take_longer_than_a_record_is_fitted() -> None:
    """It is given for all clients; a producer refuses it, by the name of what nobody has given."""
    assert ["made"] == answered(java("transport.WriterRules"), ["slow-requests"])


def test_where_verdicts_were_cut_they_are_read_from_their_beginning() -> None:
    """Kafka's client would go on at the end, and what is valid stands before that."""
    assert ["earliest"] == answered(java("transport.WriterRules"), ["cut"])


def test_verdicts_are_read_beside_a_partition_without_a_leader() -> None:
    """It may be of other clusters; what stands in it is read when it has one again."""
    assert ["1 true, 1 true"] == answered(java("transport.WriterRules"), ["leaderless"])


def test_a_producer_of_reports_that_nothing_is_heard_of_is_replaced() -> None:
    """One whose own thread has died says nothing, and the jury would miss a witness for good."""
    assert ["true true 1"] == answered(java("transport.WriterRules"), ["reports"])
    assert ["false 2 true"] == answered(java("transport.WriterRules"), ["unmade"])


def test_a_topic_that_grew_ends_no_producers_reports() -> None:
    """What is said there from now on is not read before it is opened anew; all else is."""
    assert ["2 true"] == answered(java("transport.WriterRules"), ["grown"])


def changed(record: bytes, field: str, value: object) -> str:
    """The record with another value in one place, as in ``hold.queues.0.topic``."""
    other = json.loads(record)
    *way, last = [int(it) if it.isdigit() else it for it in field.split(".")]
    place = other
    for step in way:
        place = place[step]
    place[last] = value
    return json.dumps(other)


MOST: Final = (limits.QUEUES_PER_RECORD, limits.QUEUES_PER_RECORD + 1)
Cases = dict[str, list[Any]]
ORDERS: Final[Cases] = {
    "incarnation": ["", "1", f"{MINE}0", MINE.upper()],
    "epoch": [-1, 2**53, 1.5, 2**70],
    "session_timeout_ms": [0, 99, 86_400_001, 2**62],
    "revocation_timeout_ms": [-1],
    "heartbeat_interval_ms": [0],
    "unknown": [2**63, -(2**70), [{"deep": 2**64}], 1e300],
    "hold.queues.0.topic": ["", "t" * 256, "a\nb", "\u2028", "t" * 255],
    "hold.queues.0.broker": ["b" * 256, "b"],
    "hold.queues.0.queues.0": [[-2, 1, None], [2**31, 1, None], [0, -1, None], [0, 2**53, None]],
    "hold.queues.0.queues.1": [[9, 1, -1], [9, 1, 2**53], [9, 1, 2**53 - 1]],
    "inherit.from.0": [["a", "x"], ["", OTHERS], ["a", OTHERS]],
    "inherit.queues.0.queues.0": [[7, 1, 1, 0], [7, 1, 0, -1], [7, 1, -1, 0], [7, 1, 0, 0]],
}
LETTING_GO: Final[Cases] = {
    "member": ["", "m" * 256, "m" * 255],
    "incarnation": ["1-2"],
    "sequence": [-1, 2**53],
    "queues.queues.0.queues.0": [
        *([0, 1, -1], [0, 1, 2**63], [0, 1, 2**63 - 1, None], [0, 1, None, 2**53]),
        *([0, 1, None, 2**53 - 1], [0, 1, None, -1], [0, 1, 0, None]),
        *([0, 1, None], [0, 1, None, 2, None], [0, 1, None, 2, None, None]),
    ],
    "queues.queues.0.queues": [[[it, 1, None, None] for it in range(most)] for most in MOST],
    "queues.queues": [[{"topic": f"{it}", "queues": []} for it in range(most)] for most in MOST],
    "queues.queues.0.broker": [None, "", "b"],
    "queues.to": [None, [], *([["a", OTHERS]] * most for most in MOST)],
    "gone": [True, False, None],
    "by": ["guard", "controller", "member", "", 1, None],
    "unknown": [
        *(float("nan"), float("inf"), -float("inf"), "\ud800", {"\ude00\ud83d": 1}, "\ud83d\ude00"),
    ],
}
DEEP: Final = ["[" * depth + "]" * depth for depth in (64, 65, 200, 201)]


def test_what_is_out_of_range_is_skipped_as_in_python() -> None:
    """A record that anybody may have written ends no reader.

    And the first release of a grant is the same one for all: who reads one that others skip begins
    beside whoever the next one names.
    """
    given = assignment(3, hold=((0, 1), (1, 1)), inherit=((5, 3, "a", 2),))
    gone = encode(a_release("a", (0, 1, 7, None)))
    asked = [("assignment", changed(encode(given), *it).encode()) for it in pairs(ORDERS)]
    asked += [("release", changed(gone, *it).encode()) for it in pairs(LETTING_GO)]
    asked += [("release", gone.replace(b"1,", b'1,"u":%s,' % it.encode(), 1)) for it in DEEP]
    asked += [
        ("release", gone.replace(b'"a"', it)) for it in (b'"\xff"', b'"\xc3\xa9"', b'"\\u0661"')
    ]
    asked += [("release", gone.ljust(limits.RECORD_BYTES + more)) for more in (0, 1)]
    expected = ["read" if is_read(*it) else "skipped" for it in asked]
    lines = [f"{kind} {b64encode(value).decode()}" for kind, value in asked]

    assert expected == answered(java("MemberRules"), lines)
    assert min(expected.count(it) for it in ("read", "skipped")) > 20


def is_read(kind: str, value: bytes) -> bool:
    """Whether Python takes it."""
    try:
        decode(TOPICS[f"{kind}s"], value)
    except UndecodableRecord:
        return False
    return True


def pairs(cases: Cases) -> list[tuple[str, Any]]:
    """Each place with each of its values."""
    return [(field, value) for field, values in cases.items() for value in values]
