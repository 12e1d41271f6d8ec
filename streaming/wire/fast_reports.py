"""A fast reader of producers' reports.

A busy cluster sends mostly reports of dozens of figures each, all well formed. The contract makes a
model of every figure; here the parser checks the ranges as it goes, and rules over several fields
are one comparison. That takes a quarter of the time, which matters because all reports of a cluster
come to one cell.

Whatever it is not sure of (a field that it does not know, a name that is not plainly printable, a
figure out of range) goes to the contract, which decides and gives the reasons. A property test
compares the two.

Called by ``decoding``. What it reads, the contract would read too, as the same event.
"""

import re
from typing import Annotated, Final, Literal

from msgspec import Meta, MsgspecError, Struct, json

from rebalance.brokers.events import Reported, ReporterId, Sight
from rebalance.ids import BrokerName, Incarnation
from rebalance.stamp import Stamp
from trimtab.protocol import limits

_Count = Annotated[int, Meta(ge=0, le=limits.SAFE_INTEGER)]
_Latency = Annotated[float, Meta(ge=0, le=limits.DURATION_MS)]
_Label = Annotated[str, Meta(min_length=1, max_length=limits.NAME_CHARACTERS)]

_INCARNATION: Final = re.compile(r"[0-9]{13}-[0-9a-f]{8}")


class _Seen(Struct, forbid_unknown_fields=True, gc=False):
    broker: Annotated[str, Meta(max_length=limits.NAME_CHARACTERS)]
    count: _Count
    errors: _Count
    p50_ms: _Latency
    p99_ms: _Latency
    max_ms: _Latency
    address: _Label | None = None


class _Report(Struct, forbid_unknown_fields=True, gc=False):
    v: Literal[1]
    kind: Literal["report"]
    reporter: _Label
    incarnation: str
    sequence: _Count
    window_ms: Annotated[int, Meta(ge=0, le=limits.DURATION_MS)]
    brokers: Annotated[list[_Seen], Meta(max_length=limits.BROKERS_PER_REPORT)]


_read: Final = json.Decoder(_Report).decode


def report_of(value: bytes, stamp: Stamp) -> Reported | None:
    """Read a report; None when it is anything else, or needs a closer look."""
    try:
        report = _read(value)
    except (MsgspecError, UnicodeDecodeError):
        return None
    if not (report.reporter.isprintable() and _INCARNATION.fullmatch(report.incarnation)):
        return None
    sights = [
        Sight(BrokerName(it.broker), it.count, it.errors, it.p50_ms, it.address or "", it.max_ms)
        for it in report.brokers
        # What spans fields; and printable text has nothing of what names must not have.
        if it.errors <= it.count
        and it.p50_ms <= it.p99_ms <= it.max_ms
        and it.broker.isprintable()
        and (it.address is None or it.address.isprintable())
    ]
    if len(sights) < len(report.brokers):
        return None
    return Reported(
        stamp,
        ReporterId(report.reporter),
        Incarnation(report.incarnation),
        report.sequence,
        tuple(sights),
    )
