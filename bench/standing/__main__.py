"""`make bench NAME=standing`: what it costs to deal standing heirs, and how many change."""

import random
import time
from collections.abc import Callable
from statistics import median
from typing import Annotated, Final, NamedTuple, TypeVar

import typer

from allocators import DEFAULT, allocator
from bench.command import conclude, run
from console.output import columns
from console.progress import Stderr
from rebalance.allocation import AllocationRequest, Applicant
from rebalance.groups.standing.dealing import Dealt, Standing, deal
from rebalance.ids import BrokerName, MemberId, Queue, TopicName

_TOPIC: Final = TopicName("orders")
_STRATEGY: Final = allocator(DEFAULT)
_SEED: Final = 1
"""The same members come and go each time."""

Answer = TypeVar("Answer")


class Deal(NamedTuple):
    """One deal after a join or a leave."""

    seconds: float
    dealt: Dealt


def standing(
    members: Annotated[int, typer.Option(min=3, help="Members of the group.")] = 10_000,
    queues: Annotated[int, typer.Option(min=0, help="Queues of the group.")] = 100_000,
    changes: Annotated[int, typer.Option(min=2, help="Joins and leaves, one by one.")] = 100,
) -> None:
    """Deal standing heirs in this process, after each of many joins and leaves: half a minute.

    Examples:
      make bench NAME=standing
      python -m bench.standing --members 100 --queues 1000 | tail -1 | jq .join_ms
    """
    with Stderr().step(f"{members} members with {queues} queues, and {changes} changes"):
        headline = figures(members, queues, changes)
    titles = {
        "first_ms": "all of them, for the first time",
        "join_ms": "a join",
        "leave_ms": "a leave",
        "slowest_ms": "the slowest join or leave",
        "join_changes": "heirs that change with a join, at most",
        "leave_changes": "heirs that change with a leave, at most",
        "most_looked": "queues looked at, at most",
        "unpacked_ms": "a deal without a register, as after a restart",
    }
    rows = [{"what": title, "figure": f"{headline[name]:,}"} for name, title in titles.items()]
    conclude(columns(rows, "what", "figure"), headline)


def figures(members: int, queues: int, changes: int) -> dict[str, float]:
    """Let members come and go, by turns."""
    dice = random.Random(_SEED)
    shelf = {_TOPIC: tuple(Queue(_TOPIC, BrokerName(""), it) for it in range(queues))}
    candidates = {MemberId(f"m-{it:05}"): _member() for it in range(members)}
    owners = _STRATEGY(AllocationRequest(candidates, shelf)).owners
    first, begun = timed(lambda: deal(Standing(), candidates, owners, None))
    now, joins, leaves = begun.standing, list[Deal](), list[Deal]()
    for it in range(changes):
        candidates = dict(candidates)
        if it % 2:
            candidates[MemberId(f"n-{dice.randrange(10**9)}")] = _member()
        else:
            del candidates[dice.choice(sorted(candidates))]
        plan = _STRATEGY(AllocationRequest(candidates, shelf, owners))
        owners = plan.owners
        seconds, dealt = timed(lambda: deal(now, candidates, owners, plan.changed))  # noqa: B023 - called at once
        (joins if it % 2 else leaves).append(Deal(seconds, dealt))
        now = dealt.standing
    unpacked, _ = timed(lambda: deal(Standing(owners, now.heirs()), candidates, owners, None))
    every = [*joins, *leaves]
    return {
        "first_ms": _ms(first),
        "join_ms": _ms(median(it.seconds for it in joins)),
        "leave_ms": _ms(median(it.seconds for it in leaves)),
        "slowest_ms": _ms(max(it.seconds for it in every)),
        "join_changes": max(len(it.dealt.changes) for it in joins),
        "leave_changes": max(len(it.dealt.changes) for it in leaves),
        "most_looked": max(it.dealt.looked for it in every),
        "unpacked_ms": _ms(unpacked),
    }


def timed(call: Callable[[], Answer]) -> tuple[float, Answer]:
    """Return the processor's time, so that what others do meanwhile does not count."""
    begun = time.process_time()
    answer = call()
    return time.process_time() - begun, answer


def _member() -> Applicant:
    return Applicant(frozenset({_TOPIC}))


def _ms(seconds: float) -> float:
    return round(seconds * 1e3, 2)


if __name__ == "__main__":
    run(standing, "python -m bench.standing")
