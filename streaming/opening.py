"""The opening: what a controller tells itself before and after what it has published.

A stage hand who calls "house lights down" before the scene is set, and "curtain" when it is. Before
anything is told, each partition is told that it begins, and after everything, that this was all;
and a first tick is written behind all the beats that are there. What cells read until then they
leave undecided (``gate``).

Called by ``application`` around ``reminder``. Its one rule: the query starts when all of it has
arrived.
"""

from typing import Final

from streaming.horizon import FIRST_TICK
from streaming.options import Options
from streaming.registered_post import RegisteredPost
from trimtab.protocol import HEARTBEATS, TICK_KEY, TOLD_KEY, Tick, Told

_NAME: Final = "opening"
_PATIENCE_S: Final = 30.0
"""So long Kafka may take for a few small records."""


def begin_telling(options: Options, start: str) -> tuple[int, ...]:
    """Say in each partition that what is published is told from here on; return at which offsets.

    Raises:
        Undelivered: Kafka did not take it.
    """
    return _say(options, start, whole=False)


def end_telling(options: Options, start: str) -> None:
    """Say in each partition that this was all, and tick.

    Raises:
        Undelivered: Kafka did not take it.
    """
    _say(options, start, whole=True)
    post = RegisteredPost(options, _NAME, "the first tick", _PATIENCE_S, HEARTBEATS)
    tick = Tick(controller=options.name, number=FIRST_TICK, start=start)
    for partition in range(options.topics.partitions):
        post.send(tick, TICK_KEY, partition)
    post.arrived()


def _say(options: Options, start: str, *, whole: bool) -> tuple[int, ...]:
    post = RegisteredPost(options, _NAME, "telling what is told", _PATIENCE_S)
    for partition in range(options.topics.partitions):
        told = Told(controller=options.name, start=start, whole=whole)
        post.send(told, TOLD_KEY, partition)
    receipts = post.arrived()
    return tuple(receipts[it].offset() or 0 for it in range(options.topics.partitions))
