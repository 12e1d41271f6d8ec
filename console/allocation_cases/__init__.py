"""Allocation scenarios: one JSON line in, one JSON line out.

How others check our strategies, so the format is fixed; docs/strategies.md describes it. Called by
`trimtab allocate`. Whatever a line holds, it gets one answer, and a bad one gets an error that says
what is wrong.
"""

from collections.abc import Collection, Iterable, Iterator

from allocators import BadOption
from allocators.rocketmq.contract import Refused
from console import json_lines
from console.allocation_cases.of_groups import plan_answer
from console.allocation_cases.of_order import order_answer
from console.allocation_cases.of_rocketmq import rocketmq_answer


def answers(lines: Iterable[bytes], plugins: Collection[str] = ()) -> Iterator[str]:
    """Answer every line, in order.

    Args:
        lines: The scenarios.
        plugins: Which strategies of the user's own (``module:factory``) a line may name. A line is
            data: it must not choose what code is run.
    """
    return json_lines.answers(lines, lambda scenario: _answered(scenario, plugins), _describe)


def _describe(error: BaseException) -> str | None:
    return error.message if isinstance(error, Refused) else json_lines.describe(error)


def _answered(scenario: object, plugins: Collection[str]) -> object:
    if not isinstance(scenario, dict):
        raise BadOption("a scenario must be a JSON object")
    if "members" in scenario:
        return plan_answer(scenario, plugins)
    if "kind" in scenario and "strategy" not in scenario:
        return order_answer(scenario)
    return rocketmq_answer(scenario)
