"""A group with something in every field, as golden files of the state hold it."""

from rebalance.causes import Cause, CauseKind
from rebalance.groups.model.decisions import Ending
from rebalance.groups.model.events import Mode
from rebalance.groups.model.handover import Handover
from rebalance.groups.model.member import Departure, Doubled, Flaps, Member, Pulse, Unread
from rebalance.groups.model.membership import Membership
from rebalance.groups.model.outbox import Outbox
from rebalance.groups.model.overrides import Overrides
from rebalance.groups.model.ownership import Asked, Grant, Over, Ownership
from rebalance.groups.model.policy import Compat, TwinRule
from rebalance.groups.model.route import Doubt, Route
from rebalance.groups.model.rules import Rules
from rebalance.groups.model.state import Ailment, GroupState
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
from rebalance.racks import RackRun

GROUP = GroupState(
    name=GroupName("n1"),
    epoch=Epoch(2),
    group_epoch=Epoch(3),
    membership=Membership(
        members={
            MemberId("n5"): Member(
                incarnation=Incarnation("n6"),
                sequence=7,
                topics=frozenset({TopicName("n8"), TopicName("n9")}),
                session_timeout_ms=Millis(10),
                revocation_timeout_ms=Millis(11),
                instance=InstanceId("n12"),
                rack="n13",
                weight=14,
                capacity=15,
                mode=Mode.SHARED,
                eager=True,
                since=Epoch(17),
                draining=True,
                dismissed=True,
                away=True,
                resting_until=Millis(21),
                challenger=Life(MemberId("n22"), Incarnation("n23")),
                patterns=frozenset({Pattern("n24"), Pattern("n25")}),
                presumed=True,
                awaits_mark=True,
                groups_hash=27,
                doubled=Doubled(
                    beats=(Millis(28), Millis(29)),
                    epoch=Epoch(30),
                    said=(
                        frozenset({TopicName("n31"), TopicName("n32")}),
                        Mode.SHARED,
                        33,
                    ),
                    before=(
                        frozenset({TopicName("n34"), TopicName("n35")}),
                        Mode.SHARED,
                        36,
                    ),
                    swaps=37,
                    swapped_at=Millis(38),
                    noted_at=Millis(39),
                ),
                guarded=True,
                pops=frozenset({TopicName("n253"), TopicName("n254")}),
                leaves=True,
                on_hold_alone=True,
            ),
            MemberId("n40"): Member(
                incarnation=Incarnation("n41"),
                sequence=42,
                topics=frozenset({TopicName("n43"), TopicName("n44")}),
                session_timeout_ms=Millis(45),
                revocation_timeout_ms=Millis(46),
                instance=InstanceId("n47"),
                rack="n48",
                weight=49,
                capacity=50,
                mode=Mode.SHARED,
                eager=True,
                since=Epoch(52),
                draining=True,
                dismissed=True,
                away=True,
                resting_until=Millis(56),
                challenger=Life(MemberId("n57"), Incarnation("n58")),
                patterns=frozenset({Pattern("n59"), Pattern("n60")}),
                presumed=True,
                awaits_mark=True,
                groups_hash=62,
                doubled=Doubled(
                    beats=(Millis(63), Millis(64)),
                    epoch=Epoch(65),
                    said=(
                        frozenset({TopicName("n66"), TopicName("n67")}),
                        Mode.SHARED,
                        68,
                    ),
                    before=(
                        frozenset({TopicName("n69"), TopicName("n70")}),
                        Mode.SHARED,
                        71,
                    ),
                    swaps=72,
                    swapped_at=Millis(73),
                    noted_at=Millis(74),
                ),
                guarded=True,
                pops=frozenset({TopicName("n255"), TopicName("n256")}),
                leaves=True,
                on_hold_alone=True,
            ),
        },
        pulses={
            MemberId("n75"): Pulse(
                seen=Millis(76),
                sequence=77,
                unread=Unread(epoch=Epoch(78), since=Millis(79), times=80),
            ),
            MemberId("n81"): Pulse(
                seen=Millis(82),
                sequence=83,
                unread=Unread(epoch=Epoch(84), since=Millis(85), times=86),
            ),
        },
        suspected={MemberId("n196"): Millis(197), MemberId("n198"): Millis(199)},
        flaps={
            "n200": Flaps(count=201, since=Millis(202)),
            "n203": Flaps(count=204, since=Millis(205)),
        },
        departures={
            MemberId("n206"): Departure(
                incarnation=Incarnation("n207"), sequence=208, at=Millis(209)
            ),
            MemberId("n210"): Departure(Incarnation("n211"), sequence=212, at=Millis(213)),
        },
        empty_since=Millis(248),
    ),
    topics=Topics(
        routes={
            TopicName("n87"): Route(
                version=88,
                exists=True,
                queues=(
                    Queue(TopicName("n90"), BrokerName("n91"), 92),
                    Queue(TopicName("n93"), BrokerName("n94"), 95),
                ),
                generation="n96",
                left_out=97,
                racks=(RackRun(frozenset({"n250", "n251"}), 252, 253),),
            ),
            TopicName("n98"): Route(
                version=99,
                exists=True,
                queues=(
                    Queue(TopicName("n101"), BrokerName("n102"), 103),
                    Queue(TopicName("n104"), BrokerName("n105"), 106),
                ),
                generation="n107",
                left_out=108,
            ),
        },
        doubts={
            TopicName("n170"): Doubt(
                route=Route(
                    version=171,
                    exists=True,
                    queues=(
                        Queue(TopicName("n173"), BrokerName("n174"), 175),
                        Queue(TopicName("n176"), BrokerName("n177"), 178),
                    ),
                    generation="n179",
                    left_out=180,
                ),
                since=Millis(181),
                confirmed=True,
            ),
            TopicName("n183"): Doubt(
                route=Route(
                    version=184,
                    exists=True,
                    queues=(
                        Queue(TopicName("n186"), BrokerName("n187"), 188),
                        Queue(TopicName("n189"), BrokerName("n190"), 191),
                    ),
                    generation="n192",
                    left_out=193,
                ),
                since=Millis(194),
                confirmed=True,
            ),
        },
    ),
    target=Target(
        owners={
            Queue(TopicName("n109"), BrokerName("n110"), 111): MemberId("n112"),
            Queue(TopicName("n113"), BrokerName("n114"), 115): MemberId("n116"),
        },
        epoch=Epoch(4),
        at=Millis(169),
        shortage={"n165": 166, "n167": 168},
        heirs={Queue(TopicName("n113"), BrokerName("n114"), 115): MemberId("n112")},
        asked="n263",
    ),
    handover=Handover(
        books={
            Queue(TopicName("n117"), BrokerName("n118"), 119): Ownership(
                holder=Grant(Life(MemberId("n120"), Incarnation("n121")), Epoch(122)),
                heirs=(Grant(Life(MemberId("n125"), Incarnation("n126")), Epoch(127)),),
                named=Epoch(127),
                asked=Asked(epoch=Epoch(123), at=Millis(124)),
                over=Over(Ending.FENCED, Millis(128), Millis(124)),
                former=(Grant(Life(MemberId("n153"), Incarnation("n154")), Epoch(126)),),
                begun=True,
            ),
            Queue(TopicName("n130"), BrokerName("n131"), 132): Ownership(
                holder=Grant(Life(MemberId("n133"), Incarnation("n134")), Epoch(135)),
                heirs=(Grant(Life(MemberId("n138"), Incarnation("n139")), Epoch(140)),),
                named=Epoch(140),
                asked=Asked(epoch=Epoch(136), at=Millis(137)),
                over=Over(Ending.FENCED, Millis(141)),
            ),
        },
        loose=(
            Queue(TopicName("n143"), BrokerName("n144"), 145),
            Queue(TopicName("n146"), BrokerName("n147"), 148),
        ),
        posted={Epoch(149): Millis(150), Epoch(151): Millis(152)},
        asked_causes={
            Epoch(153): Cause(
                CauseKind.AILMENT, "n154", Position(TopicName("n155"), 156, 157), "n158"
            ),
            Epoch(159): Cause(
                CauseKind.AILMENT, "n160", Position(TopicName("n161"), 162, 163), "n164"
            ),
        },
        strangers={Life(MemberId("n165"), Incarnation("n166")): Millis(167)},
    ),
    rules=Rules(
        paused=True,
        paused_until=Millis(215),
        strategy="n216",
        overrides=Overrides(
            session_timeout_ms=Millis(217),
            session_timeout_ms_min=Millis(218),
            session_timeout_ms_max=Millis(219),
            heartbeat_interval_ms=Millis(220),
            revocation_timeout_ms=Millis(221),
            revocation_timeout_ms_max=Millis(222),
            eager_grace_ms=Millis(223),
            compat=Compat.ROCKETMQ,
            share_number=224,
            on_twin=TwinRule.HAND_OVER,
            on_twin_instance=TwinRule.HAND_OVER,
            assignment_interval_ms=Millis(225),
            blast_percent=226,
            blast_members=227,
            blast_hold_ms=Millis(228),
            flap_half_life_ms=Millis(229),
            flap_limit=230,
            route_damping_ms=Millis(231),
            route_share_percent=232,
        ),
        obeyed=("n233", "n234"),
        pause_ends=Millis(168),
        pace_ms=Millis(252),
        popped={TopicName("n257"): 258, TopicName("n259"): 260},
        drained=(Life(MemberId("n261"), Incarnation("n262")),),
    ),
    outbox=Outbox(
        change_cause=Cause(
            CauseKind.AILMENT, "n235", Position(TopicName("n236"), 237, 238), "n239"
        ),
        epoch_cause=Cause(CauseKind.AILMENT, "n240", Position(TopicName("n241"), 242, 243), "n244"),
        unposted=(
            MemberId("n249"),
            MemberId("n250"),
        ),
        share_numbers={TopicName("n264"): 265},
    ),
    ailment=Ailment(reason="n245", tried=Epoch(246), withheld_until=Millis(247)),
    deadline=Millis(251),
)
