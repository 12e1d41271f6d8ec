"""The takeover: a controller that starts says so, and waits until no other one decides.

The other half of ``supersession``. Before it reads what is published, a controller appends a start
to every partition; the offsets of these records are its age. An earlier controller may be only cut
off, or slow, not dead (fault A5): if it has ticked while this one started, it gets the time to read
the start and to end; as long as it ticks, its batch is still at work. One that is frozen all the
while, or slower than anybody waits, may still write one batch, which it had decided before. Its
next batch ends it. A member that was told something by its successor does not obey it; what is
left is in ``tests.laws.test_takeovers``.

Called by ``start``, before anything is read or decided. Its one rule: after it, this
controller is the only one that decides.
"""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import Final

from streaming.feeds.feed import logger
from streaming.options import Options
from streaming.startup.activity import Activity
from streaming.startup.delivery import StartWriter
from trimtab.protocol import START_KEY, Start

_NAME: Final = "takeover"
LONGEST_S: Final = 30.0
"""So long an earlier controller may need for the batch that it is at. Nobody decides meanwhile; a
healthy one needs a tenth of a second, one that falls into a spiral minutes."""


def new_start() -> str:
    """Return a name for a start: for people, and to tell what belongs together."""
    return f"{time.time_ns() // 1_000_000:013d}-{secrets.token_hex(4)}"


def give_time(activity: Activity, stop: Event) -> None:
    """Wait until the controller that was active has read the start, and decides no more."""
    if activity.over() is not None:
        return
    log = logger(_NAME).bind(active=activity.last)
    log.info("another controller was active a moment ago; waiting for it to end")
    if (cause := activity.wait(stop, LONGEST_S)) is not None:
        log.info("no other controller decides", cause=cause)
    elif not stop.is_set():
        log.warning(
            "the other controller still runs. Continuing. It may still publish its current batch; "
            "stop it if you can",
            waited_s=LONGEST_S,
        )


@contextmanager
def announcing(stop: Event) -> Iterator[None]:
    """Announce a start meanwhile; say what it leaves behind if it is told to stop by then.

    Also if that fails: as soon as one partition has it, the other controller reads it.
    """
    try:
        yield
    finally:
        if stop.is_set():
            logger(_NAME).warning(
                "told to stop, but this start may be announced: another controller that was at "
                "work reads that, and ends. Start one, or nobody decides"
            )


def announce(options: Options, start: str, writer: StartWriter) -> tuple[int, ...]:
    """Say in every partition that this controller starts; return at which offsets.

    Raises:
        Undelivered: Kafka did not take it.
    """
    delivery = writer.delivery("announcing this start")
    for partition in range(options.topics.partitions):
        delivery.send(Start(controller=options.name, start=start), START_KEY, partition)
    receipts = delivery.arrived()
    return tuple(receipts[it].offset() or 0 for it in range(options.topics.partitions))
