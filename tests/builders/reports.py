"""Producers' reports, and an outage of one broker as they tell it."""

from typing import Final

from tests.builders.log import LIFE, Log
from trimtab.protocol import LATENCY, BrokerLatency, Report

EAST: Final = "east"
START: Final = 1_767_225_600_000


def report(reporter: str, sequence: int, **latency: float) -> Report:
    """A window of twenty calls to each broker; a negative latency is a failure."""
    brokers = tuple(
        BrokerLatency(
            broker=broker,
            count=20,
            errors=20 if ms < 0 else 0,
            p50_ms=max(ms, 0.0),
            p99_ms=max(ms, 0.0),
            max_ms=max(ms, 0.0),
        )
        for broker, ms in latency.items()
    )
    return Report(
        reporter=reporter, incarnation=LIFE, sequence=sequence, window_ms=5_000, brokers=brokers
    )


def outage(log: Log, seconds: int = 30) -> None:
    """Three producers report each second that broker a fails; the log ticks."""
    log.tick(EAST, at=START)
    for second in range(seconds):
        at = START + 1_000 * second
        for reporter in ("p", "q", "r"):
            seen = report(reporter, second, a=-1.0, b=5.0, c=5.0, d=5.0)
            log.append(LATENCY, EAST, seen, at=at + 300)
        log.tick(EAST, at=at + 1_000)
