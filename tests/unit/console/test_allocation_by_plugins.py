"""`trimtab allocate` with strategies of a user's own, and what a controller makes of any plan."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from console.allocation_cases import answers
from rebalance.allocation import AllocationPlan, AllocationRequest, Allocator
from rebalance.ids import BrokerName, MemberId, Queue, TopicName
from tests.unit.console.test_allocation_cases import MEMBER, ask, message


def test_data_does_not_choose_what_code_runs() -> None:
    """A line may name a plug-in only if the command allowed it."""
    scenario = {"strategy": "os:getcwd", "members": [], "topics": {}}

    refused = "strategy 'os:getcwd' is not one of the plug-ins that the command allows"
    assert message(refused) == ask(scenario)
    assert message("os:getcwd must be a function that returns a strategy") == ask(
        scenario, "os:getcwd"
    )


def raises_nothing_but_a_kind() -> Allocator:
    """Make a user's strategy that fails without a word."""

    def allocate(_: AllocationRequest) -> AllocationPlan:
        raise KeyError

    return allocate


def ends_everything() -> Allocator:
    """Make one that thinks that it is a program."""

    def allocate(_: AllocationRequest) -> AllocationPlan:
        raise SystemExit(7)

    return allocate


def raises_what_raises() -> Allocator:
    """Be a strategy whose message cannot be read."""

    class Unreadable:
        def __str__(self) -> str:
            raise ValueError

    def allocate(_: AllocationRequest) -> AllocationPlan:
        raise KeyError(Unreadable())

    return allocate


def reasons_with_numbers() -> Allocator:
    """Make one whose answer is none that can be written."""

    def allocate(request: AllocationRequest) -> AllocationPlan:
        (queue,) = request.queues[TopicName("t")]
        number: Any = 3.5j
        return AllocationPlan({}, {queue: number})

    return allocate


@pytest.mark.parametrize(
    ("plugin", "text"),
    [
        (raises_nothing_but_a_kind, "KeyError"),
        (ends_everything, "7"),
        (raises_what_raises, "KeyError: its message cannot be read"),
        (reasons_with_numbers, "Object of type complex is not JSON serializable"),
    ],
)
def test_whatever_a_users_strategy_does_the_next_line_is_answered(
    plugin: Callable[[], Allocator], text: str
) -> None:
    """Also where it has no message, or ends the process, or answers what cannot be written."""
    name = f"{__name__}:{plugin.__name__}"
    line = json.dumps({"strategy": name, "members": [MEMBER], "topics": {"t": 1}}).encode()
    told = [json.loads(answer) for answer in answers([line, b"{}", line], [name])]

    assert (message(text), message(text)) == (told[0], told[2])


@pytest.mark.parametrize(
    "asked",
    [
        {"strategy": "AVG"},
        {"strategy": "RANGE"},
        {"strategy": "CANARY", "params": {"prefix": "c", "percent": 10, "inner": "AVG"}},
    ],
    ids=lambda it: it["strategy"],
)
def test_a_cap_holds_under_every_strategy(asked: dict[str, object]) -> None:
    """As in the controller: who is full keeps what it had, and the rest has no owner."""
    previous = {"a": [["t", "", 2]]}
    member = {**MEMBER, "cap": 1}
    told = ask({**asked, "members": [member], "topics": {"t": 3}, "previous": previous})

    assert {"a": [["t", "", 2]]} == told["assignment"]
    full = "its member is at its capacity"
    assert [{"queue": ["t", "", it], "reason": full} for it in (0, 1)] == told["unassigned"]
    assert 0 == told["moves"]


def test_what_a_strategy_refuses_is_said_where_nothing_else_tells() -> None:
    """The controller calls the group unhealthy, though every queue has its owner."""
    resolver = {"brokers": {"": "x"}, "clients": {"a": "x"}}
    told = ask(
        {
            "strategy": "MACHINE_ROOM_NEARBY",
            "params": {"inner": "AVG", "resolver": resolver},
            "members": [{"id": "stranger", "topics": ["t"]}],
            "topics": {"t": 1},
            "previous": {"stranger": [["t", "", 0]]},
        }
    )

    assert ([], 0) == (told["unassigned"], told["moves"])
    assert told["refusal"]


GIVEN: dict[Queue, MemberId] = {}
"""What the next strategy gives to whom."""


def gives_what_it_is_told() -> Allocator:
    """Make one that says of itself that it looks at capacities."""
    return lambda _: AllocationPlan(dict(GIVEN), changed=(), heeds_capacity=True)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({("t", 7): "a"}, "was given to a, but there is no such queue"),
        ({("t", 0): "b"}, "was given to b, which does not subscribe it"),
        ({("t", 0): "x"}, "was given to x, which is no candidate"),
    ],
)
def test_a_plan_that_the_controller_would_refuse_is_refused(
    monkeypatch: pytest.MonkeyPatch, given: dict[tuple[str, int], str], text: str
) -> None:
    """Here people try their own strategies."""
    told = {
        Queue(TopicName(it), BrokerName(""), at): MemberId(to) for (it, at), to in given.items()
    }
    monkeypatch.setitem(globals(), "GIVEN", told)
    name = f"{__name__}:gives_what_it_is_told"
    members = [MEMBER, {"id": "b", "topics": ["u"]}]
    answer = ask({"strategy": name, "members": members, "topics": {"t": 2, "u": 1}}, name)

    assert answer["error"]["message"].endswith(text)


def test_every_queue_without_an_owner_is_said_to_have_none() -> None:
    """Also if the strategy does not say so."""
    name = f"{__name__}:gives_what_it_is_told"
    told = ask({"strategy": name, "members": [MEMBER], "topics": {"t": 2}}, name)

    assert [
        {"queue": ["t", "", it], "reason": "the strategy gives it to nobody"} for it in range(2)
    ] == told["unassigned"]
