"""Strategies by name, users' own included."""

from collections.abc import Callable
from pathlib import Path

import pytest

from allocators import ALLOCATORS, DEFAULT, BadOption, allocator
from allocators.rocketmq.rooms import PrefixRooms
from rebalance.allocation import AllocationPlan, AllocationRequest, Allocator
from tests.unit.allocators.groups import group, member, shares


def first_come(*, order: str = "up") -> Allocator:
    """Make a user's own strategy: everything to one member."""

    def allocate(request: AllocationRequest) -> AllocationPlan:
        chosen = sorted(request.candidates)[0 if order == "up" else -1]
        return AllocationPlan(
            {queue: chosen for shelf in request.queues.values() for queue in shelf}
        )

    return allocate


NEEDED: dict[str, dict[str, object]] = {
    "CANARY": {"prefix": "b", "percent": 50},
    "MACHINE_ROOM_NEARBY": {
        "inner": "AVG",
        "resolver": {"brokers": {"": "x"}, "clients": {"a": "x", "b": "x"}},
    },
}


@pytest.mark.parametrize("name", sorted(set(ALLOCATORS) - {"CONFIG", "MACHINE_ROOM"}))
def test_every_strategy_assigns_a_plain_group(name: str) -> None:
    """Two members, four queues: every queue has an owner, or the ring's client."""
    strategy = allocator(name, NEEDED.get(name, {}))
    plan = strategy(group({"a": member("t"), "b": member("t")}, {"t": 4}))

    assert 4 == len(plan.owners)
    assert not plan.unassigned


def test_a_room_is_that_of_what_a_client_calls_itself() -> None:
    """Where twins are told apart each life has a name of its own, which no table can list."""
    strategy = allocator("MACHINE_ROOM_NEARBY", NEEDED["MACHINE_ROOM_NEARBY"])
    names = ("a@1767225600000-9f86d081", "b")
    plan = strategy(group(dict.fromkeys(names, member("t")), {"t": 4}))

    assert set(names) == set(plan.owners.values())


def test_a_room_is_the_whole_name_of_a_client_without_the_mark() -> None:
    """What tells lives apart has marks of its own, and is no part of the name."""
    rooms = PrefixRooms("-")
    names = ("east", "east@1767225600000-9f86d081", "east-1@1767225600000-9f86d081")

    assert {"east"} == {rooms.client_room(name) for name in names}
    assert "a@1767225600000" == rooms.broker_room("a@1767225600000-9f86d081")


@pytest.mark.parametrize(
    ("name", "option"), [("CONFIG", "messageQueueList"), ("MACHINE_ROOM", "consumeridcs")]
)
def test_a_strategy_that_was_told_nothing_is_refused(name: str, option: str) -> None:
    """It would take all queues from everybody. An empty list is an answer: queues are reported."""
    with pytest.raises(BadOption, match=f"{name} needs the option {option}"):
        allocator(name)
    plan = allocator(name, {option: []})(group({"a": member("t")}, {"t": 2}))

    assert {"the strategy gives it to nobody"} == set(plan.unassigned.values())


def test_the_default_is_there() -> None:
    """The default is one of them."""
    assert "STICKY" == DEFAULT
    assert DEFAULT in ALLOCATORS


def test_a_user_s_own_strategy_is_named_by_module_and_factory() -> None:
    """Options are the factory's keywords."""
    strategy = allocator(f"{__name__}:first_come", {"order": "down"})

    assert {"b": ["t0", "t1"]} == shares(
        strategy(group({"a": member("t"), "b": member("t")}, {"t": 2}))
    )


def test_an_unknown_name_says_which_there_are() -> None:
    """The message helps."""
    with pytest.raises(KeyError, match="no strategy is called 'AVERAGE'; there are: AVG, "):
        allocator("AVERAGE")


@pytest.mark.parametrize(
    "name", ["no.such.module:factory", f"{__name__}:nothing", ":factory", ".here:factory"]
)
def test_a_factory_that_cannot_be_loaded_is_named(name: str) -> None:
    """Neither the module nor the attribute may be missing, and a module has its full name."""
    with pytest.raises(KeyError, match="cannot be loaded"):
        allocator(name)


def test_the_documentation_s_own_strategy_answers_every_group() -> None:
    """Also one whose last member drains, and one whose members subscribe different topics."""
    page = (Path(__file__).parents[3] / "docs" / "strategies.md").read_text()
    known: dict[str, Callable[[], Allocator]] = {}
    exec(page.split("```python\n")[1].split("```")[0], known)  # noqa: S102 - it is our own
    allocate = known["everything_to_the_first"]()

    assert {} == shares(allocate(group({}, {"t": 2})))
    members = {"a": member("u"), "b": member("t", "u")}
    assert {"a": ["u0"], "b": ["t0", "t1"]} == shares(allocate(group(members, {"t": 2, "u": 1})))


def no_ring(*, size: int) -> Allocator:
    """Fail as a user's own factory may."""
    raise ZeroDivisionError(f"a ring of {size}")


def test_a_user_s_own_module_or_factory_may_fail_in_any_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are named, with what went wrong: whoever starts a controller reads one line."""
    (tmp_path / "half_written.py").write_text("def factory(:\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(KeyError, match="'half_written:factory' cannot be loaded: SyntaxError: "):
        allocator("half_written:factory")
    with pytest.raises(BadOption, match=":no_ring: ZeroDivisionError: a ring of 0"):
        allocator(f"{__name__}:no_ring", {"size": 0})


def test_a_factory_must_return_a_strategy() -> None:
    """Anything else is refused at once, not at the first rebalance."""
    with pytest.raises(BadOption, match="must be a function that returns a strategy"):
        allocator("os:getcwd")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("STICKY", {"colour": 1}, "unknown option colour"),
        ("STICKY", {"queue_weights": 5}, "queue_weights must be a table"),
        (
            "STICKY",
            {"queue_weights": {"t": 0}},
            "queue_weights: a weight must be an integer",
        ),
        ("STICKY", {"queue_weights": {"t": [[0, 5]]}}, "queue_weights: what is said of one queue"),
        ("STICKY", {"queue_racks": {"t": 5}}, "queue_racks: a rack must be a string"),
        ("STICKY", {"broker_racks": {"b": 5}}, "broker_racks must be a table of strings"),
        ("STICKY", {"racks": "rocketmq"}, 'racks can be "kafka"'),
        ("MACHINE_ROOM_NEARBY", {}, "needs the options inner and resolver"),
        ("CONSISTENT_HASH", {"virtualNodeCnt": "ten"}, "virtualNodeCnt must be an integer"),
        ("CONSISTENT_HASH", {"virtualNodeCnt": True}, "virtualNodeCnt must be an integer"),
        ("MACHINE_ROOM", {"consumeridcs": "room"}, "consumeridcs must be a list"),
        ("MACHINE_ROOM", {"consumeridcs": [1]}, "consumeridcs must be a list of strings"),
        ("CONFIG", {"messageQueueList": [["t", 0]]}, "a queue must be"),
        ("MACHINE_ROOM_NEARBY", {"inner": 5}, "inner must be a string"),
        ("MACHINE_ROOM_NEARBY", {"inner": "NOPE"}, "inner is 'NOPE', it must be one of AVG, "),
        ("MACHINE_ROOM_NEARBY", {"inner": "MACHINE_ROOM_NEARBY"}, "it must be one of AVG, "),
        (
            "CANARY",
            {"prefix": "c", "percent": 5, "inner": "MACHINE_ROOM_NEARBY"},
            "inner is 'MACHINE_ROOM_NEARBY', CANARY can only wrap one of AVG, ",
        ),
        (
            "MACHINE_ROOM_NEARBY",
            {"inner": "MACHINE_ROOM", "resolver": "before-first-at"},
            "MACHINE_ROOM needs the option consumeridcs",
        ),
        (
            "MACHINE_ROOM_NEARBY",
            {"inner": "CONFIG", "resolver": "before-first-at"},
            "CONFIG needs the option messageQueueList",
        ),
        ("MACHINE_ROOM_NEARBY", {"inner": "AVG", "resolver": "dash"}, "resolver must be"),
        (
            "MACHINE_ROOM_NEARBY",
            {"inner": "AVG", "resolver": {"brokers": {"b": 1}}},
            "brokers must be a table of strings",
        ),
    ],
)
def test_a_bad_option_is_named(name: str, options: dict[str, object], message: str) -> None:
    """One line that says which option and what it must be."""
    with pytest.raises(BadOption, match=message):
        allocator(name, options)
