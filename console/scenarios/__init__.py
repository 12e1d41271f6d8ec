"""Allocation scenarios: one JSON line in, one JSON line out.

How others check our strategies, so the format is fixed; docs/strategies.md describes it. Called by
`trimtab allocate`. Its one rule: whatever a line holds, it gets one answer, and a bad one gets an
error that says what is wrong.
"""

import json
from collections.abc import Collection, Iterable, Iterator

from allocators import BadOption
from allocators.rocketmq import Refused
from console.scenarios.of_groups import plan_answer
from console.scenarios.of_rocketmq import rocketmq_answer


def answers(lines: Iterable[bytes], plugins: Collection[str] = ()) -> Iterator[str]:
    """Answer every line, in order. Text beyond ASCII is escaped, lone surrogates too.

    Args:
        lines: The scenarios.
        plugins: Which strategies of the user's own (``module:factory``) a line may name. A line is
            data: it must not choose what code is run.
    """
    for line in lines:
        yield json.dumps(_answer(line, plugins), separators=(",", ":"))


def _answer(line: bytes, plugins: Collection[str]) -> object:
    try:
        return _answered(json.loads(line), plugins)
    except json.JSONDecodeError as error:
        message: str | None = f"not JSON: {error.msg} at character {error.pos}"
    except Refused as refused:
        message = refused.message
    except KeyError as error:
        message = str(error.args[0])
    except Exception as error:  # noqa: BLE001 - a line may hold anything, even a user's strategy
        message = str(error) or type(error).__name__
    return {"error": {"message": message}}


def _answered(scenario: object, plugins: Collection[str]) -> object:
    if not isinstance(scenario, dict):
        raise BadOption("a scenario must be a JSON object")
    if "members" in scenario:
        return plan_answer(scenario, plugins)
    return rocketmq_answer(scenario)
