"""Each record of the wire and the event it means."""

from dataclasses import replace
from typing import Any, Literal

import pytest

from rebalance.groups.model import commands
from rebalance.groups.model.commands import Command as GroupCommand
from rebalance.groups.model.events import (
    Adopted,
    Advanced,
    BeatSeen,
    Commanded,
    DrainAsked,
    Event,
    Found,
    Inheritance,
    Joined,
    Left,
    Mode,
    Portion,
    Released,
    RouteObserved,
)
from rebalance.groups.model.overrides import Overrides
from rebalance.groups.model.policy import TwinRule
from rebalance.ids import (
    BrokerName,
    Epoch,
    Held,
    Incarnation,
    InstanceId,
    Life,
    MemberId,
    Millis,
    Naming,
    Pattern,
    Queue,
    Tenure,
    TopicName,
)
from rebalance.racks import RackRun
from streaming.wire.translation import event_of
from tests.builders.log import LIFE, join
from tests.builders.notation import queue
from tests.builders.records import at
from trimtab import protocol
from trimtab.protocol import (
    Adopt,
    Advance,
    Approve,
    Beat,
    ChooseMode,
    ChoosePolicy,
    ChooseStrategy,
    Drain,
    DrainMember,
    EvictMember,
    Forget,
    GrantRef,
    HolderRef,
    InheritRef,
    Join,
    Leave,
    Pause,
    RackRef,
    Rebalance,
    Record,
    Release,
    ReleaseRef,
    Restore,
    Resume,
    Route,
    RunRef,
    UndecodableRecord,
)

STAMP = at(3)
A, FIRST = MemberId("a"), Incarnation(LIFE)
ORDERS = TopicName("orders")

OTHERS: tuple[Literal["controller", "guard"], ...] = ("controller", "guard")
"""Who else may say that a member has stopped."""
ADOPT = Adopt(
    start=LIFE,
    member="a",
    incarnation=LIFE,
    epoch=4,
    hold=(HolderRef("orders", "", 0, 2, None),),
    give=(HolderRef("orders", "", 1, 2, 4),),
    inherit=(InheritRef("orders", "", 7, 4, "b", LIFE, 3),),
    revocation_timeout_ms=60_000,
    session_timeout_ms=10_000,
)
TOLD = Portion(
    (Naming(queue("orders-0"), Epoch(2)),),
    (Naming(queue("orders-1"), Epoch(2), Epoch(4)),),
    (Inheritance(queue("orders-7"), Epoch(4), Tenure(Life(MemberId("b"), FIRST), Epoch(3))),),
)
ADOPTED = Adopted(STAMP, Life(A, FIRST), LIFE, Epoch(4), TOLD, Millis(10_000), Millis(60_000))
ALONE = Joined(STAMP, Life(A, FIRST), 1, frozenset({ORDERS}), on_hold_alone=True)
"""Who says no marks."""

MEANINGS: list[tuple[Record, Event | Found]] = [
    (ADOPT, ADOPTED),
    (ADOPT.model_copy(update={"mode": "shared"}), replace(ADOPTED, mode=Mode.SHARED)),
    (Advance(start=LIFE, epoch=4, decided_ms=99), Advanced(STAMP, LIFE, Epoch(4), Millis(99))),
    (
        Join(member="a", incarnation=LIFE, sequence=1, topics=("orders", "payments")),
        replace(ALONE, topics=frozenset({ORDERS, TopicName("payments")})),
    ),
    (
        join(
            "a",
            session_timeout_ms=9_000,
            revocation_timeout_ms=8_000,
            instance="i",
            rack="r",
            weight=3,
            capacity=7,
        ),
        replace(
            ALONE,
            session_timeout_ms=Millis(9_000),
            revocation_timeout_ms=Millis(8_000),
            instance=InstanceId("i"),
            rack="r",
            weight=3,
            capacity=7,
        ),
    ),
    (
        join("a", mode="broadcasting", protocol="eager"),
        replace(ALONE, mode=Mode.BROADCASTING, eager=True),
    ),
    (
        Join(member="a", incarnation=LIFE, sequence=1, patterns=("orders-*",)),
        replace(ALONE, topics=frozenset(), patterns=frozenset({Pattern("orders-*")})),
    ),
    (
        join("a", marks=True, guarded=True),
        replace(ALONE, on_hold_alone=False, marks=True, guarded=True),
    ),
    (join("a", mode="shared"), replace(ALONE, mode=Mode.SHARED)),
    (
        Beat(member="a", incarnation=LIFE, sequence=5, epoch=4),
        BeatSeen(STAMP, Life(A, FIRST), 5, Epoch(4), None),
    ),
    (
        Beat(
            member="a",
            incarnation=LIFE,
            sequence=5,
            epoch=4,
            owned=(GrantRef("orders", "", 1, 3),),
        ),
        BeatSeen(STAMP, Life(A, FIRST), 5, Epoch(4), (Held(queue("orders-1"), Epoch(3)),)),
    ),
    (Drain(member="a", incarnation=LIFE, sequence=6), DrainAsked(STAMP, Life(A, FIRST), 6)),
    (Leave(member="a", incarnation=LIFE, sequence=7), Left(STAMP, Life(A, FIRST), 7)),
    (
        Leave(member="a", incarnation=LIFE, sequence=7, temporary=True),
        Left(STAMP, Life(A, FIRST), 7, temporary=True),
    ),
    (
        Release(
            member="a",
            incarnation=LIFE,
            sequence=8,
            queues=(ReleaseRef("orders", "", 0, 3, 99, 4), ReleaseRef("orders", "", 1, 2, None)),
        ),
        Released(
            STAMP,
            Life(A, FIRST),
            (Naming(queue("orders-0"), Epoch(3), Epoch(4)), Naming(queue("orders-1"), Epoch(2))),
            sequence=8,
        ),
    ),
    *(
        (
            Release(member="a", incarnation=LIFE, sequence=0, queues=(), by=other),
            Released(STAMP, Life(A, FIRST), (), own=False),
        )
        for other in OTHERS
    ),
    (
        Route(
            topic="orders", version=2, exists=True, runs=(RunRef("b2", 0, 1), RunRef("b1", 4, 2))
        ),
        RouteObserved(
            STAMP,
            ORDERS,
            2,
            exists=True,
            queues=(
                Queue(ORDERS, BrokerName("b1"), 4),
                Queue(ORDERS, BrokerName("b1"), 5),
                Queue(ORDERS, BrokerName("b2"), 0),
            ),
        ),
    ),
    (
        Route(
            topic="orders",
            version=2,
            exists=True,
            runs=(RunRef("", 0, 1),),
            racks=(RackRef(("east", "west"), 0, 1),),
        ),
        RouteObserved(
            STAMP,
            ORDERS,
            2,
            exists=True,
            queues=(Queue(ORDERS, BrokerName(""), 0),),
            racks=(RackRun(frozenset({"east", "west"}), 0, 1),),
        ),
    ),
    (
        Route(topic="orders", version=3, exists=False, runs=()),
        RouteObserved(STAMP, ORDERS, 3, exists=False, queues=()),
    ),
]


SIGNED: dict[str, Any] = {"id": "c-1", "principal": "ann", "reason": "why"}

COMMANDED: list[tuple[Record, GroupCommand]] = [
    (Pause(**SIGNED), commands.Pause()),
    (Pause(**SIGNED, until_ms=7), commands.Pause(Millis(7))),
    (Resume(**SIGNED), commands.Resume()),
    (DrainMember(**SIGNED, member="a"), commands.DrainMember(A)),
    (EvictMember(**SIGNED, member="a"), commands.EvictMember(A)),
    (Rebalance(**SIGNED), commands.RebalanceNow()),
    (ChooseStrategy(**SIGNED, strategy="AVG"), commands.ChooseStrategy("AVG")),
    (ChooseStrategy(**SIGNED), commands.ChooseStrategy(None)),
    (ChoosePolicy(**SIGNED), commands.ChoosePolicy()),
    (
        ChoosePolicy(**SIGNED, overrides=protocol.Overrides(flap_limit=9, on_twin="refuse-newer")),
        commands.ChoosePolicy(Overrides(flap_limit=9, on_twin=TwinRule.REFUSE_NEWER)),
    ),
    (
        ChooseMode(**SIGNED, topic="orders", mode="pop", share_number=2),
        commands.ChooseMode(ORDERS, pops=True, share_number=2),
    ),
    (
        ChooseMode(**SIGNED, topic="orders", mode="pull"),
        commands.ChooseMode(ORDERS, pops=False),
    ),
    (Approve(**SIGNED), commands.Approve()),
    (Forget(**SIGNED), commands.Forget()),
]


@pytest.mark.parametrize(("record", "command"), COMMANDED)
def test_a_record_means_one_command(record: Record, command: GroupCommand) -> None:
    """Who gave it and why goes with it."""
    assert Commanded(STAMP, "c-1", "ann", "why", command, None) == event_of(record, STAMP)


def test_a_command_says_in_view_of_what_it_was_given() -> None:
    """The epoch is the brain's to compare."""
    event = event_of(Resume(**SIGNED, base_epoch=4), STAMP)
    assert Commanded(STAMP, "c-1", "ann", "why", commands.Resume(), Epoch(4)) == event


@pytest.mark.parametrize(("record", "event"), MEANINGS)
def test_a_record_means_one_event(record: Record, event: Event | Found) -> None:
    """Nothing is left out and nothing is added but the stamp."""
    assert event == event_of(record, STAMP)


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (Restore(**SIGNED, broker="b"), "restore: not a command for a group"),
        (
            ChooseStrategy(**SIGNED, strategy="NONESUCH"),
            "strategy: no strategy is called 'NONESUCH'",
        ),
    ],
)
def test_an_order_that_no_group_can_obey_is_refused(record: Record, why: str) -> None:
    """It never reaches a group."""
    with pytest.raises(UndecodableRecord, match=why):
        event_of(record, STAMP)
