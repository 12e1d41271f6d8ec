"""What else a cell holds, with something in every field, as golden files of the state hold it."""

import numpy as np

from rebalance.brokers.cluster import (
    Broker,
    Calls,
    Cluster,
    Out,
    Reporter,
    Spared,
    StandingCommand,
    Streak,
)
from rebalance.brokers.decisions import VerdictIssued
from rebalance.brokers.events import ClusterName, ReporterId
from rebalance.clock import Left, LogClock
from rebalance.ids import BrokerName, GroupName, Incarnation, Millis, TopicName
from streaming.cell.gate import Gate
from streaming.cell.pulses import Pulses
from streaming.wire.rows import Row
from trimtab.faults import FaultItem

CLUSTER = Cluster(
    name=ClusterName("n1"),
    now=Millis(2),
    swept=Millis(3),
    sweep_ends=Millis(4),
    panic_until=Millis(5),
    reporters={
        ReporterId("n6"): Reporter(
            heard=Millis(7),
            incarnation=Incarnation("n8"),
            sequence=9,
            calls={
                BrokerName("n10"): Calls(11, 12, 13.5, "n14"),
                BrokerName("n15"): Calls(16, 17, 18.5, "n19"),
            },
            streaks={
                BrokerName("n20"): Streak(21, Millis(22)),
                BrokerName("n23"): Streak(24, Millis(25)),
            },
            tests={
                BrokerName("n26"): Calls(27, 28, 29.5, "n30"),
                BrokerName("n31"): Calls(32, 33, 34.5, "n35"),
            },
        ),
        ReporterId("n36"): Reporter(
            heard=Millis(37),
            incarnation=Incarnation("n38"),
            sequence=39,
            calls={
                BrokerName("n40"): Calls(41, 42, 43.5, "n44"),
                BrokerName("n45"): Calls(46, 47, 48.5, "n49"),
            },
            streaks={
                BrokerName("n50"): Streak(51, Millis(52)),
                BrokerName("n53"): Streak(54, Millis(55)),
            },
            tests={
                BrokerName("n56"): Calls(57, 58, 59.5, "n60"),
                BrokerName("n61"): Calls(62, 63, 64.5, "n65"),
            },
        ),
    },
    brokers={
        BrokerName("n66"): Broker(
            heard=Millis(67),
            calm=Millis(68),
            address="n69",
            place="n70",
            past=(
                71.5,
                72.5,
            ),
            ejections=73,
            out=Out(
                detector="n74",
                reason="n75",
                since_ms=Millis(76),
                until_ms=Millis(77),
                tested_from=Millis(78),
                until=Millis(79),
                testers=(
                    ReporterId("n80"),
                    ReporterId("n81"),
                ),
                voters=(ReporterId("n74a"), ReporterId("n74b")),
                callers=(ReporterId("n81a"),),
            ),
            shadow="n82",
            spared=Spared(detector="n83", reason="n84", limit="n85", voters=(ReporterId("n85a"),)),
            reports=86,
            errors=87,
            elsewhere=("n87a",),
        ),
        BrokerName("n88"): Broker(
            heard=Millis(89),
            calm=Millis(90),
            address="n91",
            place="n92",
            past=(
                93.5,
                94.5,
            ),
            ejections=95,
            out=Out(
                detector="n96",
                reason="n97",
                since_ms=Millis(98),
                until_ms=Millis(99),
                tested_from=Millis(100),
                until=Millis(101),
                testers=(
                    ReporterId("n102"),
                    ReporterId("n103"),
                ),
            ),
            shadow="n104",
            spared=Spared(detector="n105", reason="n106", limit="n107"),
            reports=108,
            errors=109,
            elsewhere=("n109a", "n109b"),
        ),
    },
    commands={
        BrokerName("n110"): StandingCommand(
            available=True,
            reason="n112",
            since_ms=Millis(113),
            until_ms=Millis(114),
            until=Millis(115),
            heard=Millis(1150),
        ),
        BrokerName("n116"): StandingCommand(
            available=True,
            reason="n118",
            since_ms=Millis(119),
            until_ms=Millis(120),
            until=Millis(121),
            heard=Millis(1210),
        ),
    },
    topics={
        TopicName("n122"): frozenset({BrokerName("n123"), BrokerName("n124")}),
        TopicName("n125"): frozenset({BrokerName("n126"), BrokerName("n127")}),
    },
    leases={TopicName("n128"): Millis(129), TopicName("n130"): Millis(131)},
    items={
        BrokerName("n132"): FaultItem(
            broker="n133", current_latency=134, start_timestamp=135, check_stamp=136, reachable=True
        ),
        BrokerName("n138"): FaultItem(
            broker="n139", current_latency=140, start_timestamp=141, check_stamp=142, reachable=True
        ),
    },
    told={
        BrokerName("n144"): VerdictIssued(
            cluster=ClusterName("n145"),
            broker=BrokerName("n146"),
            available=True,
            since_ms=Millis(148),
            until_ms=Millis(149),
            reason="n150",
            detector="n151",
            panic=True,
            testers=(
                ReporterId("n153"),
                ReporterId("n154"),
            ),
            shadow="n155",
            reports=156,
            errors=157,
            turned=True,
            voters=(ReporterId("n158"),),
        ),
        BrokerName("n159"): VerdictIssued(
            cluster=ClusterName("n160"),
            broker=BrokerName("n161"),
            available=True,
            since_ms=Millis(163),
            until_ms=Millis(164),
            reason="n165",
            detector="n166",
            panic=True,
            testers=(
                ReporterId("n168"),
                ReporterId("n169"),
            ),
            shadow="n170",
            reports=171,
            errors=172,
            turned=True,
        ),
    },
    renewed=Millis(174),
)
GATE = Gate(
    start="n1",
    shut=True,
    told=True,
    ticks=4,
    waiting=(
        Row("n5", 6, 7, 8, b"n9", b"n10", 11),
        Row("n12", 13, 14, 15, b"n16", b"n17", 18),
    ),
    beats={
        "n19": Row("n20", 21, 22, 23, b"n24", b"n25", 26),
        "n27": Row("n28", 29, 30, 31, b"n32", b"n33", 34),
    },
)
CLOCK = LogClock(
    now=Millis(1),
    latest=Millis(2),
    lent=Millis(3),
    owed=Millis(4),
    left=(
        Left(Millis(5), Millis(6), Millis(7)),
        Left(Millis(8), Millis(9), Millis(10)),
    ),
    behind=(
        (
            "n11",
            12,
        ),
        (
            "n13",
            14,
        ),
    ),
    ticks=(
        15,
        16,
    ),
)
PULSES = Pulses(
    names=[GroupName("n1"), GroupName("n2")],
    until=np.array([3, 4]),
    first=np.array([5, 6, 7]),
    second=np.array([8, 9, 10]),
    group=np.array([1, 0, 1]),
    place=np.array([11, 12, 13]),
    silence=np.array([14, 15, 16]),
    seen=np.array([17, 18, 19]),
    number=np.array([20, 21, 22]),
    asks=np.array([23, 24, 25]),
)
