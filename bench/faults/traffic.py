"""A cluster's log, second by second: everybody reports, and in the middle one broker fails.

As rows, which Spark would hand to the state function, or as values, to be sent to a real one. Used
by the bench and by its test. Its one rule: a second is made before it is measured.
"""

from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from rebalance.groups.model.policy import Policy
from streaming.wire.rows import Row
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
POLICY: Final = Policy()


class Load(NamedTuple):
    """How much is reported, and for how long."""

    reporters: int
    brokers: int
    seconds: int


def seconds(load: Load) -> Iterator[list[Row]]:
    """Make one second after another; in the second half the first broker fails."""
    for second in range(load.seconds):
        rows = [
            _row(
                LATENCY.name,
                second * load.reporters + it,
                second,
                CLUSTER,
                window(load, second, it),
            )
            for it in range(load.reporters)
        ]
        tick = encode(Tick(controller="bench", number=second))
        rows.append(_row(HEARTBEATS.name, second, second, TICK_KEY, tick))
        yield rows


def window(load: Load, second: int, reporter: int) -> bytes:
    """What a reporter says at the end of a second."""
    beginning, end = _frame(load.brokers, fails=second * 2 >= load.seconds)
    return beginning % (reporter, second) + end


@cache
def _frame(brokers: int, *, fails: bool) -> tuple[bytes, bytes]:
    """A report but for its reporter and its sequence: writing it anew takes longer than sending."""
    report = Report(
        reporter="producer-%05d",
        incarnation=_LIFE,
        sequence=0,
        window_ms=1_000,
        brokers=tuple(_seen(it, fails=fails and it == 0) for it in range(brokers)),
    )
    beginning, mark, end = encode(report).partition(b'"sequence":')
    return beginning + mark + b"%d", end.removeprefix(b"0")


def _seen(broker: int, *, fails: bool) -> BrokerLatency:
    return BrokerLatency(
        broker=f"broker-{broker:03d}",
        count=100,
        errors=100 if fails else 0,
        p50_ms=5.0,
        p99_ms=9.0,
        max_ms=31.0,
    )


def _row(topic: str, offset: int, second: int, key: bytes, value: bytes) -> Row:
    appended = _BEGIN_MS + 1000 * second
    return Row(f"{DEFAULT_PREFIX}{topic}", 0, offset, appended, key, value, len(value))
