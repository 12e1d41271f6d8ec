"""RocketMQ's question: who gets which of these queues, and in what order?

``{"strategy", "params", "cid", "cids", "queues"}`` asks for one client, without ``cid`` for
everybody; with ``K`` it is POP's ``allocate4Pop``. Null and missing lists are Java's null. No list
is sorted. A line without lists only builds the strategy; one with ``key`` asks for the place of
that text on the hash ring.

Called by the package. The fields are those of the golden vectors in tests/fixtures/vectors.
"""

from collections.abc import Callable, Mapping
from functools import partial

from allocators.options import BadOption, Options
from allocators.rocketmq.consistent_hash import ring_hash
from allocators.rocketmq.contract import Client, Refused, Round, Share
from allocators.rocketmq.named import ROCKETMQ, rocketmq
from allocators.rocketmq.pop import shared


def rocketmq_answer(scenario: Mapping[str, object]) -> object:
    """Answer one question, or raise what is wrong with it."""
    fields = Options(scenario)
    key = fields.text("key")
    if key is not None:
        return {"result": ring_hash(key)}
    name = fields.text("strategy")
    if name is None or name not in ROCKETMQ:
        known = ", ".join(sorted(ROCKETMQ))
        raise BadOption(f"strategy is {name!r}, without members it must be one of {known}")
    params = fields.inside("params") if fields.given("params") else Options({})
    strategy = rocketmq(name, params)
    params.nothing_left()
    if "queues" not in scenario and "cids" not in scenario:
        return {"result": {"name": strategy.name}}
    clients = _clients(fields)
    dealt = Round(strategy, fields.queues("queues"), clients)
    following = fields.integer("K")
    ask = dealt.share if following is None else partial(shared, dealt, following=following)
    if "cid" in scenario:
        return {"result": _written(ask(fields.text("cid")))}
    return {"result_by_cid": [[one, _told(ask, one)] for one in dict.fromkeys(clients or ())]}


def _clients(fields: Options) -> list[Client] | None:
    clients = fields.raw("cids")
    if clients is None:
        return None
    if not isinstance(clients, list) or not all(isinstance(one, str | None) for one in clients):
        raise BadOption("cids must be a list of strings")
    return clients


def _told(ask: Callable[[Client], Share], client: Client) -> object:
    try:
        return _written(ask(client))
    except Refused as refused:
        return {"error": {"message": refused.message}}


def _written(share: Share) -> object:
    return None if share is None else [list(queue) for queue in share]
