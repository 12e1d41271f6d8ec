"""A group's question: who should own what, given who owns it now?

``{"strategy", "params", "members": [{"id", "topics", "weight", "cap", "rack", "instance"}],
"topics": {name: count or [[broker, id], …]}, "previous": {member: [[topic, broker, id], …]}}``.
Where two members claim a queue in ``previous``, the first one in Java's order is believed. A queue
of a member that is gone counts as a move, a queue that is gone does not.

The answer is what a controller makes of the plan, which it limits to what members can take, and
refuses if it makes no sense. It says what moved, and how little could have: the fewest moves to the
fairest loads.

Called by the package and by ``simulation``. An error names the field.
"""

from collections.abc import Collection, Mapping

from allocators import DEFAULT, BadOption, allocator
from allocators.java_order import queue_order, ranked
from allocators.options import Options, queue_of
from allocators.sticky.strategy import sticky
from rebalance.allocation import (
    TO_NOBODY,
    AllocationPlan,
    AllocationRequest,
    Applicant,
    check_known,
    check_wanted,
)
from rebalance.groups.model.capacity import limited
from rebalance.ids import BrokerName, MemberId, Queue, TopicName, java_order

MOST_QUEUES = 2_000_000
"""Four times the largest group of the benches: a count of 10**12 is a typing error."""
MOST_WEIGHT = 1_000_000
"""Far beyond the wire's 1,000; what is larger would only test Python's patience."""


def plan_answer(scenario: Mapping[str, object], plugins: Collection[str] = ()) -> object:
    """Answer one question, or raise what is wrong with it."""
    fields = Options(scenario)
    name = fields.text("strategy")
    if name is None:
        raise BadOption("strategy is missing")
    if ":" in name and name not in plugins:
        raise BadOption(f"strategy {name!r} is not one of the plug-ins that the command allows")
    params = fields.inside("params") if fields.given("params") else Options({})
    strategy = allocator(name, {option: params.raw(option) for option in params})
    request = AllocationRequest(_members(fields), _topics(fields), _previous(fields))
    fields.nothing_left()
    plan = _in_force(request, strategy(request))
    return {
        "assignment": _assignment(request, plan),
        "unassigned": _unassigned(request, plan),
        "moves": moves(request, plan),
        "minimum_moves": _fewest(request, plan, name, params),
        **({"refusal": plan.refusal} if plan.refusal else {}),
    }


def _in_force(request: AllocationRequest, plan: AllocationPlan) -> AllocationPlan:
    """Return the plan as a controller would take it."""
    caps = {name: it.capacity for name, it in request.candidates.items() if it.capacity is not None}
    plan = limited(plan, caps, request.current)
    check_wanted(request, plan.owners.items())
    check_known(request, plan.owners)
    return plan


def _fewest(
    request: AllocationRequest, plan: AllocationPlan, name: str, params: Options
) -> int | None:
    """Count STICKY's moves, the fewest; with unequal weights of queues nobody knows how few."""
    if params.given("queue_weights"):
        return None
    return moves(request, plan if name == DEFAULT else sticky(request))


def moves(request: AllocationRequest, plan: AllocationPlan) -> int:
    """Count the queues that are still there, had an owner, and lose it."""
    current = request.current
    return sum(
        1
        for shelf in request.queues.values()
        for queue in shelf
        if queue in current and plan.owners.get(queue) != current[queue]
    )


def _assignment(request: AllocationRequest, plan: AllocationPlan) -> Mapping[str, object]:
    owned: dict[MemberId, list[Queue]] = {name: [] for name in ranked(request.candidates)}
    for queue, member in plan.owners.items():
        owned[member].append(queue)
    return {
        member: [list(queue) for queue in sorted(queues, key=queue_order)]
        for member, queues in owned.items()
    }


def _unassigned(request: AllocationRequest, plan: AllocationPlan) -> list[Mapping[str, object]]:
    left = [it for shelf in request.queues.values() for it in shelf if it not in plan.owners]
    return [
        {"queue": list(queue), "reason": plan.unassigned.get(queue, TO_NOBODY)}
        for queue in sorted(left, key=queue_order)
    ]


def _members(fields: Options) -> dict[MemberId, Applicant]:
    rows = fields.raw("members")
    if not isinstance(rows, list):
        raise BadOption("members must be a list")
    members: dict[MemberId, Applicant] = {}
    for place, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise BadOption(f"members[{place}] must be a table")
        name, candidate = _member(Options(row), f"members[{place}]")
        if name in members:
            raise BadOption(f"members[{place}].id: there are two members called {name!r}")
        members[name] = candidate
    return members


def _member(fields: Options, where: str) -> tuple[MemberId, Applicant]:
    name, topics = fields.text("id"), fields.texts("topics")
    if name is None or topics is None:
        raise BadOption(f"{where} needs an id and topics")
    weight, cap = fields.integer("weight"), fields.integer("cap")
    if weight is not None and not 1 <= weight <= MOST_WEIGHT:
        raise BadOption(f"{where}.weight must lie between 1 and {MOST_WEIGHT}")
    if cap is not None and cap < 0:
        raise BadOption(f"{where}.cap must not be negative")
    candidate = Applicant(
        frozenset(map(TopicName, topics)),
        1 if weight is None else weight,
        None if cap is None else min(cap, MOST_QUEUES),
        fields.text("rack") or "",
        fields.text("instance") or "",
    )
    fields.nothing_left(where)
    return MemberId(name), candidate


def _topics(fields: Options) -> dict[TopicName, tuple[Queue, ...]]:
    rows = fields.raw("topics")
    if not isinstance(rows, Mapping):
        raise BadOption("topics must be a table")
    left = MOST_QUEUES
    topics: dict[TopicName, tuple[Queue, ...]] = {}
    for name, shelf in rows.items():
        topic = TopicName(str(name))
        if isinstance(shelf, int | list) and not isinstance(shelf, bool):
            left -= len(shelf) if isinstance(shelf, list) else shelf
        if left < 0:
            raise BadOption(f"topics.{name}: there are more than {MOST_QUEUES} queues")
        topics[topic] = _shelf(topic, shelf)
    return topics


def _shelf(topic: TopicName, shelf: object) -> tuple[Queue, ...]:
    if isinstance(shelf, int) and not isinstance(shelf, bool) and shelf >= 0:
        return tuple(Queue(topic, BrokerName(""), number) for number in range(shelf))
    if not isinstance(shelf, list):
        raise BadOption(f"topics.{topic} must be a count or a list of [broker, id]")
    where = f"topics.{topic}"
    queues = [queue_of([topic, *_pair(row, where)], where) for row in shelf]
    if len(set(queues)) < len(queues):
        raise BadOption(f"topics.{topic}: a queue is there twice")
    return tuple(queues)


def _pair(row: object, where: str) -> list[object]:
    if not isinstance(row, list):
        raise BadOption(f"{where} must be a count or a list of [broker, id]")
    return row


def _previous(fields: Options) -> dict[Queue, MemberId]:
    if not fields.given("previous"):
        return {}
    owned = fields.inside("previous")
    owners: dict[Queue, MemberId] = {}
    for member in sorted(owned, key=java_order):
        for queue in owned.queues(member) or []:
            owners.setdefault(queue, MemberId(member))
    return owners
