"""`make bench NAME=brain`: what a step costs in a very large group, and in very many small ones."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Final

import typer

from bench.brain.floods import FLOODS, Flood, flooded
from bench.brain.population import (
    QUEUES_EACH,
    STRATEGY,
    Population,
    population,
    released,
    stepped,
)
from bench.command import conclude, run
from console.output import columns
from console.progress import Stderr
from rebalance.allocation import AllocationPlan, AllocationRequest
from streaming.cell.packed import pack, unpack

_REPEATS: Final = 9
"""The fastest of nine: noise only ever makes things slower."""
_FLOOD: Final = 2_000
"""Events of one kind in one batch."""
_SMALL: Final = 10
"""Members of a small group."""


@dataclass(slots=True)
class Watched:
    """The strategy, and how long it has taken."""

    seconds: float = 0.0

    def __call__(self, request: AllocationRequest, /) -> AllocationPlan:
        """Ask it."""
        begun = time.process_time()
        plan = STRATEGY(request)
        self.seconds += time.process_time() - begun
        return plan


def brain(
    members: Annotated[int, typer.Option(min=2, help="Members of the large group.")] = 10_000,
    groups: Annotated[int, typer.Option(min=1, help="How many small groups.")] = 10_000,
) -> None:
    """Step groups in this process, without Spark and without bytes: two minutes.

    Examples:
      make bench NAME=brain
      python -m bench.brain --members 1000 --groups 100 | tail -1 | jq .join_beyond_strategy_ms
    """
    tell = Stderr()
    with tell.step(f"{members} members and {QUEUES_EACH * members} queues come together"):
        large = population(members)
    with tell.step("timing what may happen to them"):
        headline = figures(large, members)
    with tell.step(f"timing a beat of everybody in {groups} groups of {_SMALL}"):
        headline["small_groups_s"] = round(everybody_beats(groups), 3)
    with tell.step(f"flooding a batch with {_FLOOD} events of one kind, and twice as many"):
        headline |= {f"{name}_times": doubled(flood) for name, flood in FLOODS.items()}
    titles = {
        "beat_us": "a beat that changes nothing",
        "join_strategy_ms": "a join: the strategy",
        "join_beyond_strategy_ms": "a join: all the rest",
        "release_ms": "what it has let go is booked",
        "leave_ms": "a leave",
        "packed_join_ms": "a join, unpacked before and packed after",
        "small_groups_s": f"everybody beats in {groups} groups of {_SMALL}",
        **{f"{name}_times": f"twice the {name} in one batch" for name in FLOODS},
    }
    rows = [
        {"what": title, "time": f"{headline[name]:,.1f} {name.rpartition('_')[2]}"}
        for name, title in titles.items()
    ]
    conclude(columns(rows, "what", "time"), headline)


def figures(large: Population, members: int) -> dict[str, float]:
    """Time what may happen to a large group."""
    joined = stepped(large.state, large.join)
    let_go = released(joined)
    packed = pack(large.state)
    inside, beyond = min(map(_join, [large] * _REPEATS), key=sum)
    return {
        "beat_us": round(seconds(lambda: stepped(large.state, large.beats)) / members * 1e6, 2),
        "join_strategy_ms": round(inside * 1e3, 2),
        "join_beyond_strategy_ms": round(beyond * 1e3, 2),
        "release_ms": _ms(lambda: stepped(joined.state, let_go)),
        "leave_ms": _ms(lambda: stepped(large.state, large.leave)),
        "packed_join_ms": _ms(lambda: pack(stepped(unpack(packed), large.join).state)),
    }


def _join(large: Population) -> tuple[float, float]:
    """Return how long the strategy takes over one join, and how long all the rest does."""
    watched = Watched()
    whole = _once(lambda: stepped(large.state, large.join, strategy=watched))
    return watched.seconds, whole - watched.seconds


def everybody_beats(groups: int) -> float:
    """Return the processor time of one batch in which everybody beats."""
    populations = [population(_SMALL, f"group-{number}") for number in range(groups)]
    return seconds(lambda: [stepped(it.state, it.beats) for it in populations], repeats=3)


def doubled(flood: Flood) -> float:
    """Return how many times as much twice as many events cost."""
    once, twice = flood(_FLOOD), flood(2 * _FLOOD)
    shorter, longer = (seconds(partial(flooded, it), repeats=3) for it in (once, twice))
    return round(longer / shorter, 2)


def seconds(call: Callable[[], object], repeats: int = _REPEATS) -> float:
    """Return the processor's time, so that what others do meanwhile does not count."""
    return min(_once(call) for _ in range(repeats))


def _once(call: Callable[[], object]) -> float:
    begun = time.process_time()
    call()
    return time.process_time() - begun


def _ms(call: Callable[[], object]) -> float:
    return round(seconds(call) * 1e3, 2)


if __name__ == "__main__":
    run(brain, "python -m bench.brain")
