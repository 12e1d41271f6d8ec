"""State survives being written down."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allocators import allocator
from rebalance.allocation import AllocationRequest, Applicant
from rebalance.causes import Cause, CauseKind
from rebalance.clock import LogClock
from rebalance.groups.model.events import Mode
from rebalance.groups.model.handover import Handover
from rebalance.groups.model.member import Departure, Flaps, Member, Pulse
from rebalance.groups.model.membership import Membership
from rebalance.groups.model.outbox import Outbox
from rebalance.groups.model.overrides import Overrides
from rebalance.groups.model.ownership import Asked, Grant, Ownership
from rebalance.groups.model.policy import TwinRule
from rebalance.groups.model.route import Doubt, Route
from rebalance.groups.model.rules import Rules
from rebalance.groups.model.state import GroupState
from rebalance.groups.model.target import Target
from rebalance.groups.model.topics import Topics
from rebalance.ids import (
    BrokerName,
    Epoch,
    GroupName,
    Incarnation,
    InstanceId,
    Life,
    MemberId,
    Millis,
    Pattern,
    Position,
    Queue,
    TopicName,
)
from streaming.cell.codec import (
    Cell,
    UnreadableState,
    pack,
    packed_groups,
    read,
    unpack,
    with_groups,
    write,
)
from tests.builders.group import a_group

FIXTURES = Path(__file__).parents[3] / "fixtures" / "state"

NAMES = st.text(min_size=1, max_size=4)
NUMBERS = st.integers(0, 2**53 - 1)
MILLIS = NUMBERS.map(Millis)
EPOCHS = NUMBERS.map(Epoch)
MEMBER_IDS = NAMES.map(MemberId)
TOPICS = NAMES.map(TopicName)
QUEUES = st.builds(Queue, TOPICS, NAMES.map(BrokerName), st.integers(-1, 2**31 - 1))
POSITIONS = st.builds(Position, TOPICS, st.integers(0, 99), NUMBERS)
GRANTS = st.builds(
    Grant,
    MEMBER_IDS,
    NAMES.map(Incarnation),
    EPOCHS,
    st.none() | st.builds(Asked, EPOCHS, MILLIS),
)
MEMBERS = st.builds(
    Member,
    NAMES.map(Incarnation),
    NUMBERS,
    st.frozensets(TOPICS, max_size=2),
    MILLIS,
    MILLIS,
    instance=st.none() | NAMES.map(InstanceId),
    rack=st.text(max_size=2),
    weight=NUMBERS,
    capacity=st.none() | NUMBERS,
    mode=st.sampled_from(Mode),
    eager=st.booleans(),
    since=EPOCHS,
    draining=st.booleans(),
    dismissed=st.booleans(),
    away=st.booleans(),
    resting_until=st.none() | MILLIS,
    challenger=st.none() | st.builds(Life, MEMBER_IDS, NAMES.map(Incarnation)),
    patterns=st.frozensets(NAMES.map(Pattern), max_size=2),
)
ROUTES = st.builds(Route, NUMBERS, st.booleans(), st.lists(QUEUES, max_size=2).map(tuple))
GROUPS = st.builds(
    GroupState,
    NAMES.map(GroupName),
    EPOCHS,
    EPOCHS,
    st.builds(
        Membership,
        st.dictionaries(MEMBER_IDS, MEMBERS, max_size=2),
        st.dictionaries(MEMBER_IDS, st.builds(Pulse, MILLIS, st.integers(-1, 99)), max_size=2),
        st.dictionaries(MEMBER_IDS, MILLIS, max_size=2),
        st.dictionaries(NAMES, st.builds(Flaps, NUMBERS, MILLIS), max_size=2),
        st.dictionaries(
            MEMBER_IDS, st.builds(Departure, NAMES.map(Incarnation), NUMBERS, MILLIS), max_size=2
        ),
    ),
    st.builds(
        Topics,
        st.dictionaries(TOPICS, ROUTES, max_size=2),
        st.dictionaries(TOPICS, st.builds(Doubt, ROUTES, MILLIS, st.booleans()), max_size=1),
    ),
    st.builds(
        Target,
        st.dictionaries(QUEUES, MEMBER_IDS, max_size=2),
        EPOCHS,
        st.none() | MILLIS,
        st.dictionaries(NAMES, NUMBERS, max_size=1),
    ),
    st.builds(
        Handover,
        st.dictionaries(QUEUES, st.builds(Ownership, GRANTS, st.none() | GRANTS), max_size=2),
    ),
    st.builds(
        Rules,
        st.booleans(),
        st.none() | MILLIS,
        st.none() | NAMES,
        st.builds(
            Overrides,
            session_timeout_ms=st.none() | MILLIS,
            on_twin=st.none() | st.sampled_from(TwinRule),
            flap_limit=st.none() | NUMBERS,
        ),
        st.lists(NAMES, max_size=2).map(tuple),
    ),
    st.builds(
        Outbox,
        st.none() | st.builds(Cause, st.sampled_from(CauseKind), NAMES, POSITIONS, NAMES),
    ),
    deadline=st.none() | MILLIS,
)
CLOCKS = st.builds(LogClock, MILLIS, st.none() | MILLIS)


@settings(max_examples=50)  # each is large
@given(GROUPS)
def test_a_group_comes_back_as_it_was(group: GroupState) -> None:
    """What is packed is unpacked unchanged, types included."""
    back = unpack(pack(group))

    assert group == back
    assert all(isinstance(queue, Queue) for queue in back.handover.books)


@given(CLOCKS, st.dictionaries(NAMES.map(GroupName), st.none() | MILLIS, max_size=5))
def test_a_cell_comes_back_as_it_was(
    clock: LogClock, deadlines: dict[GroupName, Millis | None]
) -> None:
    """What is written is read unchanged, and knows the earliest of all deadlines."""
    groups = {name: pack(GroupState(name, deadline=due)) for name, due in deadlines.items()}
    cell = with_groups(Cell(clock), groups)
    back = read(write(cell))

    assert cell == back
    assert groups == packed_groups(back)
    assert min((it for it in deadlines.values() if it is not None), default=None) == back.earliest


def test_a_beat_rewrites_nothing_but_the_pulses() -> None:
    """When only pulses and deadline changed, the rest is taken over, byte for byte."""
    before = a_group().with_member("a", seen=1).with_route("orders", 4).at_epoch(1).state
    after = a_group().with_member("a", seen=2).with_route("orders", 4).at_epoch(1).state
    was = pack(before)

    packed = pack(after, before, was)

    assert was.rest is packed.rest
    assert after == unpack(packed)


@pytest.mark.parametrize("data", [b"", b"\x00", b"\x03\x94", b"{}"])
def test_an_unknown_version_is_refused(data: bytes) -> None:
    """State of another version is never guessed at, and the message says what to do."""
    with pytest.raises(UnreadableState, match="start the release that wrote it"):
        read(data)


def test_what_was_written_once_is_read_for_ever() -> None:
    """Bytes that an earlier release has written still mean the same."""
    group = (
        a_group()
        .with_member("a", seen=7)
        .with_member("b:2", "orders payments", session_ms=2_000, seen=8)
        .with_route("orders", 2)
        .with_route("payments", 0, exists=False)
        .with_target("orders-0", "a")
        .with_page("orders-0", "a@1!2 > b:2@2")
        .at_epoch(2)
        .due_at(2_008)
        .state
    )
    cell = read(bytes.fromhex((FIXTURES / "cell-v1.hex").read_text()))

    assert LogClock(Millis(9), Millis(1_767_225_600_009)) == cell.clock
    assert {"billing": group} == {name: unpack(it) for name, it in packed_groups(cell).items()}


@pytest.mark.parametrize("strategy", ["AVG", "STICKY"])
def test_the_plan_of_a_strategy_can_be_kept(strategy: str) -> None:
    """A strategy may answer in a form of its own; what is kept of it is what it says."""
    queues = tuple(Queue(TopicName("orders"), BrokerName(""), number) for number in range(3))
    candidates = {MemberId(name): Applicant(frozenset({TopicName("orders")})) for name in "ab"}
    plan = allocator(strategy)(AllocationRequest(candidates, {TopicName("orders"): queues}))
    state = GroupState(GroupName("g"), target=Target(plan.owners))

    assert dict(plan.owners) == unpack(pack(state)).target.owners
