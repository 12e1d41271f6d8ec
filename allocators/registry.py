"""The strategies, by name.

A strategy is a pure function from a request to a plan (``rebalance.allocation``).
Called by the composition root, which looks one up by the name in the settings and passes it
inward; nothing else chooses a strategy. A name with a colon, ``module:factory``, is a user's own
(``own``): the factory is called with the options as keywords and returns the strategy.

A name in this registry means the same allocation for ever.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from allocators.canary import canary
from allocators.kafka import ranges, round_robin
from allocators.options import BadOption, Options
from allocators.own import users_own
from allocators.rocketmq.configured import given_once
from allocators.rocketmq.contract import NullRefused
from allocators.rocketmq.named import resolver, rocketmq
from allocators.rocketmq.nearby import by_room
from allocators.rocketmq.per_topic import per_topic
from allocators.sticky.homes import Racks, at_home
from allocators.sticky.labels import racks, weights
from allocators.sticky.strategy import sticky
from allocators.sticky.weighted import weighted
from rebalance.allocation import Allocator
from rebalance.realms import Apart

NO_OPTIONS: Mapping[str, object] = MappingProxyType({})

DEFAULT = "STICKY"


def _canary(options: Options) -> Allocator:
    prefix, percent = options.text("prefix"), options.integer("percent")
    if prefix is None or percent is None:
        raise BadOption("CANARY needs the options prefix and percent")
    inner = options.text("inner") or DEFAULT
    plain = ALLOCATORS.keys() - {"CANARY", "MACHINE_ROOM_NEARBY"}  # without an inner one
    if inner not in plain:
        known = ", ".join(sorted(plain))
        raise BadOption(f"inner is {inner!r}, CANARY can only wrap one of {known}")
    return canary(prefix, percent, ALLOCATORS[inner](options))


def _config(options: Options) -> Allocator:
    _need(options, "CONFIG")
    return per_topic(given_once(options.queues("messageQueueList")))


def _machine_room(options: Options) -> Allocator:
    _need(options, "MACHINE_ROOM")
    return per_topic(rocketmq("MACHINE_ROOM", options))


def _need(options: Options, strategy: str | None) -> None:
    """Refuse what leaves every queue without an owner, as RocketMQ does when nothing was set."""
    option = {"CONFIG": "messageQueueList", "MACHINE_ROOM": "consumeridcs"}.get(strategy or "")
    if option is not None and not options.given(option):
        raise BadOption(f"{strategy} needs the option {option}: without it nobody gets anything")


def _nearby(options: Options) -> Allocator:
    _need(options, options.text("inner"))
    try:
        strategy = per_topic(rocketmq("MACHINE_ROOM_NEARBY", options))
    except NullRefused as refused:
        needs = "MACHINE_ROOM_NEARBY needs the options inner and resolver"
        raise BadOption(f"{needs}: {refused.message}") from refused
    rooms = resolver(options)
    return strategy if rooms is None else Apart(strategy, by_room(rooms))


def _sticky(options: Options) -> Allocator:
    strategy: Allocator = sticky
    if options.given("queue_weights"):
        strategy = weighted(weights(options))
    kafkas = options.text("racks")
    if kafkas not in {None, "kafka"}:
        raise BadOption(f'racks can be "kafka", where its replicas stand, and is {kafkas!r}')
    if kafkas or options.given("queue_racks") or options.given("broker_racks"):
        stand = Racks(racks(options), options.table("broker_racks"), kafkas=kafkas is not None)
        strategy = at_home(stand, strategy)
    return strategy


ALLOCATORS: Mapping[str, Callable[[Options], Allocator]] = MappingProxyType(
    {
        "AVG": lambda options: per_topic(rocketmq("AVG", options)),
        "AVG_BY_CIRCLE": lambda options: per_topic(rocketmq("AVG_BY_CIRCLE", options)),
        "CANARY": _canary,
        "CONFIG": _config,
        "CONSISTENT_HASH": lambda options: per_topic(rocketmq("CONSISTENT_HASH", options)),
        "MACHINE_ROOM": _machine_room,
        "MACHINE_ROOM_NEARBY": _nearby,
        "RANGE": lambda _: ranges,
        "ROUND_ROBIN": lambda _: round_robin,
        "STICKY": _sticky,
    }
)


def allocator(name: str, options: Mapping[str, object] = NO_OPTIONS) -> Allocator:
    """Return the strategy called ``name``, also a user's own; ``KeyError`` says that it is none."""
    return users_own(name, options) if ":" in name else shipped(name, options)


def shipped(name: str, options: Mapping[str, object] = NO_OPTIONS) -> Allocator:
    """Return a strategy of this folder; ``KeyError`` names it and the ones there are."""
    if name not in ALLOCATORS:
        known = ", ".join(sorted(ALLOCATORS))
        raise KeyError(f"no strategy is called {name!r}; there are: {known}")
    given = Options(options)
    strategy = ALLOCATORS[name](given)
    given.nothing_left()
    return strategy
