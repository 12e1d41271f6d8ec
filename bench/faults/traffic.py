"""A cluster's log, second by second: everybody reports, and in the middle one broker fails.

The rows are what Spark would hand to the state function. Used by the bench and by its test. Its
one rule: a second is made before it is measured.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from allocators import allocator
from rebalance.policy import Policy
from sinks import Outlet
from streaming.cell import Rules
from streaming.decoding import Decoder
from streaming.rows import Row
from streaming.topics import inlets
from trimtab.protocol import (
    DEFAULT_PREFIX,
    HEARTBEATS,
    LATENCY,
    TICK_KEY,
    BrokerLatency,
    Report,
    Tick,
    encode,
)

CLUSTER: Final = b"bench"
_BEGIN_MS: Final = 1_767_225_600_000
_LIFE: Final = f"{_BEGIN_MS}-00000000"
_POLICY: Final = Policy()

RULES: Final = Rules(
    Decoder(inlets(DEFAULT_PREFIX), 1),
    _POLICY,
    allocator(_POLICY.strategy),
    Outlet(DEFAULT_PREFIX, 1),
)


class Load(NamedTuple):
    """How much is reported, and for how long."""

    reporters: int
    brokers: int
    seconds: int


def seconds(load: Load) -> Iterator[list[Row]]:
    """Make one second after another; in the second half the first broker fails."""
    for second in range(load.seconds):
        seen = tuple(
            _seen(it, fails=it == 0 and second * 2 >= load.seconds) for it in range(load.brokers)
        )
        rows = [_reported(load, second, it, seen) for it in range(load.reporters)]
        tick = encode(Tick(controller="bench", number=second))
        rows.append(_row(HEARTBEATS.name, second, second, TICK_KEY, tick))
        yield rows


def _seen(broker: int, *, fails: bool) -> BrokerLatency:
    return BrokerLatency(
        broker=f"broker-{broker:03d}",
        count=100,
        errors=100 if fails else 0,
        p50_ms=5.0,
        p99_ms=9.0,
        max_ms=31.0,
    )


def _reported(load: Load, second: int, reporter: int, seen: tuple[BrokerLatency, ...]) -> Row:
    report = Report(
        reporter=f"producer-{reporter:05d}",
        incarnation=_LIFE,
        sequence=second,
        window_ms=1_000,
        brokers=seen,
    )
    return _row(LATENCY.name, second * load.reporters + reporter, second, CLUSTER, encode(report))


def _row(topic: str, offset: int, second: int, key: bytes, value: bytes) -> Row:
    appended = _BEGIN_MS + 1000 * second
    return Row(f"{DEFAULT_PREFIX}{topic}", 0, offset, appended, key, value, len(value))
