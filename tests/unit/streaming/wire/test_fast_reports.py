"""The side door lets in nothing that the contract keeps out, and changes nothing on the way."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.wire import reports
from streaming.wire.fast_reports import report_of
from tests.builders.records import at
from tests.builders.wire_examples import bad, golden
from trimtab.protocol import LATENCY, UndecodableRecord, decode, limits

STAMP = at(5)
SEEN = {"broker": "a", "count": 7, "errors": 1, "p50_ms": 2.5, "p99_ms": 9, "max_ms": 31.0}
REPORT = {
    "v": 1,
    "kind": "report",
    "reporter": "checkout-7",
    "incarnation": "1767225600000-9f86d081",
    "sequence": 12,
    "window_ms": 5_000,
    "brokers": [SEEN, {**SEEN, "broker": "b", "address": "east-2:9092"}],
}


def by_contract(value: bytes) -> object:
    """What the contract makes of a record; None if it refuses it."""
    try:
        return reports.broker_event_of(decode(LATENCY, value), STAMP)
    except UndecodableRecord:
        return None


def agrees(value: bytes) -> bool:
    """Whether a record is left to the contract, or read as the contract reads it."""
    return report_of(value, STAMP) in (None, by_contract(value))


def test_an_ordinary_report_is_read() -> None:
    """Or the side door would be a wall."""
    value = json.dumps(REPORT).encode()

    assert None is not report_of(value, STAMP)
    assert by_contract(value) == report_of(value, STAMP)


def test_all_that_was_ever_written_is_read_as_the_contract_reads_it() -> None:
    """The golden reports by the side door, and no bad record of any topic."""
    assert all(agrees(it.wire.encode()) for it in golden() if it.topic == LATENCY.name)
    assert {None} == {report_of(it.value, STAMP) for it in bad()}


ODD: list[object] = [
    *(None, True, -1, 0, 2.0, 2.5, -0.0, 1e400, float("nan"), 2**53, 2**53 - 1, 2**64, 10**30),
    *(limits.DURATION_MS, limits.DURATION_MS + 1, [], [[]], {}, [SEEN], [None]),
    *("", "a", "1", "a\n", "\n", "a\u2028", "\u00ad", "\x7f", "é", "\U0001f600", " ", "/", "$x"),
    *("x" * limits.NAME_CHARACTERS, "x" * (limits.NAME_CHARACTERS + 1), "report", "sample"),
    *("1767225600000-9f86d081\n", "1767225600000-9F86D081", "\u0661767225600000-9f86d081"),
]
"""Whatever somebody might write in place of something else."""


@pytest.mark.parametrize("name", [*REPORT, "unheard-of"])
def test_an_odd_field_is_judged_by_the_contract(name: str) -> None:
    """Anything in any place of a report."""
    reports = [json.dumps({**REPORT, name: odd}).encode() for odd in ODD]

    assert [] == [it for it in reports if not agrees(it)]


@pytest.mark.parametrize("name", [*SEEN, "address", "unheard-of"])
def test_an_odd_figure_is_judged_by_the_contract(name: str) -> None:
    """Anything in any place of what was seen of a broker."""
    odd_ones = [{**REPORT, "brokers": [SEEN, {**SEEN, name: odd}]} for odd in ODD]
    reports = [json.dumps(it, ensure_ascii=False).encode() for it in odd_ones]

    assert [] == [it for it in reports if not agrees(it)]


@given(st.data())
def test_damage_is_judged_by_the_contract(data: st.DataObject) -> None:
    """Bytes that were cut out, put in or turned over."""
    value = json.dumps(REPORT).encode()
    start = data.draw(st.integers(0, len(value)))
    end = data.draw(st.integers(start, min(len(value), start + 9)))
    put_in = data.draw(
        st.binary(max_size=6) | st.sampled_from([b"1", b"0", b'"', b",", b"\\u0000"])
    )

    assert agrees(value[:start] + put_in + value[end:])


@pytest.mark.parametrize("field", [*REPORT, *SEEN])
def test_a_missing_field_is_judged_by_the_contract(field: str) -> None:
    """No default stands in for what the contract asks for."""
    seen = {name: it for name, it in SEEN.items() if name != field}
    report = {name: it for name, it in REPORT.items() if name != field}
    if field in SEEN:
        report["brokers"] = [seen]

    assert None is report_of(json.dumps(report).encode(), STAMP)


def test_what_is_too_much_is_left_to_the_contract() -> None:
    """More brokers than a report may have."""
    many = {**REPORT, "brokers": [SEEN] * (limits.BROKERS_PER_REPORT + 1)}

    assert None is report_of(json.dumps(many).encode(), STAMP)
