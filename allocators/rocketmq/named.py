"""RocketMQ's strategies by their names, with RocketMQ's options by theirs.

    AVG, AVG_BY_CIRCLE
    CONFIG                messageQueueList
    MACHINE_ROOM          consumeridcs
    MACHINE_ROOM_NEARBY   inner, resolver (and the inner one's options)
    CONSISTENT_HASH       virtualNodeCnt

A resolver is one of ``RESOLVERS``, or a table of rooms: {"brokers": {broker: room}, "clients":
{client: room}}.

Called by the registry and by `trimtab allocate`. What Java's constructors and setters refuse or
let pass, these refuse and let pass.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from allocators.options import BadOption, Options
from allocators.rocketmq.averagely import AVERAGELY
from allocators.rocketmq.circular import CIRCULAR
from allocators.rocketmq.configured import configured
from allocators.rocketmq.consistent_hash import consistent_hash
from allocators.rocketmq.contract import Strategy
from allocators.rocketmq.machine_room import machine_room
from allocators.rocketmq.nearby import nearby
from allocators.rocketmq.rooms import ListedRooms, PrefixRooms, RoomResolver

RESOLVERS = {
    "before-first-at": "@",
    "before-first-colon": ":",
    "before-first-dash": "-",
    "before-first-dot": ".",
    "before-first-slash": "/",
    "before-first-underscore": "_",
}


def rocketmq(name: str, options: Options) -> Strategy:
    """Return RocketMQ's strategy called ``name``; ``KeyError`` when there is none."""
    return ROCKETMQ[name](options)


def _nearby(options: Options) -> Strategy:
    inner = options.text("inner")
    plain = ROCKETMQ.keys() - {"MACHINE_ROOM_NEARBY"}  # one option names one inner strategy
    if inner is not None and inner not in plain:
        raise BadOption(f"inner is {inner!r}, it must be one of {', '.join(sorted(plain))}")
    rooms = resolver(options)
    return nearby(None if inner is None else rocketmq(inner, options), rooms)


def resolver(options: Options) -> RoomResolver | None:
    """Return who says which room a broker and a client stand in."""
    if not options.given("resolver"):
        return None
    if not isinstance(options.raw("resolver"), Mapping):
        mark = RESOLVERS.get(options.text("resolver") or "")
        if mark is None:
            raise BadOption(f"resolver must be a table of rooms or one of {', '.join(RESOLVERS)}")
        return PrefixRooms(mark)
    tables = options.inside("resolver")
    rooms = ListedRooms(tables.table("brokers"), tables.table("clients"))
    tables.nothing_left()
    return rooms


ROCKETMQ: Mapping[str, Callable[[Options], Strategy]] = MappingProxyType(
    {
        "AVG": lambda _: AVERAGELY,
        "AVG_BY_CIRCLE": lambda _: CIRCULAR,
        "CONFIG": lambda options: configured(options.queues("messageQueueList")),
        "CONSISTENT_HASH": lambda options: consistent_hash(options.integer("virtualNodeCnt")),
        "MACHINE_ROOM": lambda options: machine_room(options.texts("consumeridcs")),
        "MACHINE_ROOM_NEARBY": _nearby,
    }
)
