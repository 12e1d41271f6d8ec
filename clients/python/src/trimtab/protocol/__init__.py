"""The wire: what members, producers, operators and the controller say to each other by Kafka.

Pure: no I/O, no clock. One module per topic holds its records (pydantic models); `topics` says
where they live, `decoding` turns them into bytes and back, `names`, `quantities` and `limits` say
what is allowed. Both sides import this package, and the contracts under `docs/contracts` are
generated from it. Its one rule: what has been written once can be read for ever.
"""

from trimtab.protocol.adoption import Adopt, Advance, Settings, Start, Told
from trimtab.protocol.assignments import Assignment
from trimtab.protocol.brokers import Verdict
from trimtab.protocol.cause import Cause
from trimtab.protocol.commands import (
    Approve,
    ChooseMode,
    ChoosePolicy,
    ChooseStrategy,
    Command,
    CommandsRecord,
    DrainMember,
    Eject,
    EvictMember,
    Forget,
    Pace,
    Pause,
    Rebalance,
    Restore,
    Resume,
    UndrainMember,
)
from trimtab.protocol.controllers import BatchTimes, Controller, GroupTotals, HandOver
from trimtab.protocol.deadletters import DeadLetter, Place
from trimtab.protocol.decoding import decode, encode
from trimtab.protocol.groups import Group, LeftOutCounts, MemberSummary, QueueCounts, TopicSummary
from trimtab.protocol.heartbeats import Beat, HeartbeatsRecord, Tick
from trimtab.protocol.history import (
    Ailment,
    Claim,
    CommandAnswer,
    Conflict,
    Doubled,
    HistoryRecord,
    Hold,
    LeftOut,
    MemberChanged,
    PauseEnded,
    RebalanceDone,
)
from trimtab.protocol.keys import (
    BrokerKey,
    MemberKey,
    broker_key,
    member_key,
    read_broker_key,
    read_group_key,
    read_member_key,
    read_topic_key,
)
from trimtab.protocol.latency import BrokerLatency, Hosts, LatencyRecord, Report, Sample
from trimtab.protocol.members import Drain, Join, Leave, MembersRecord
from trimtab.protocol.names import START_KEY, TICK_KEY, TOLD_KEY
from trimtab.protocol.overrides import Overrides
from trimtab.protocol.partitioner import murmur2, partition_of
from trimtab.protocol.passages import Granted, Handover
from trimtab.protocol.queues import GrantRef, HolderRef, InheritRef, LifeRef, QueueRef, ReleaseRef
from trimtab.protocol.reasons import Reason, UndecodableRecord
from trimtab.protocol.record import MemberRecord, Record
from trimtab.protocol.releases import Release
from trimtab.protocol.rocketmq import (
    Registration,
    RegistrationChange,
    Unregistration,
    registration_changes,
)
from trimtab.protocol.routes import RackRef, Route, RunRef
from trimtab.protocol.topic_specs import TopicSpec, kept_for, topic_specs
from trimtab.protocol.topics import (
    ASSIGNMENTS,
    BROKERS,
    COMMANDS,
    CONTROLLERS,
    DEADLETTERS,
    DEFAULT_PARTITIONS,
    DEFAULT_PREFIX,
    GROUPS,
    HEARTBEATS,
    HISTORY,
    LATENCY,
    MEMBERS,
    RELEASES,
    ROCKETMQ,
    ROUTES,
    TOPICS,
    Topic,
)

__all__ = [
    "ASSIGNMENTS",
    "BROKERS",
    "COMMANDS",
    "CONTROLLERS",
    "DEADLETTERS",
    "DEFAULT_PARTITIONS",
    "DEFAULT_PREFIX",
    "GROUPS",
    "HEARTBEATS",
    "HISTORY",
    "LATENCY",
    "MEMBERS",
    "RELEASES",
    "ROCKETMQ",
    "ROUTES",
    "START_KEY",
    "TICK_KEY",
    "TOLD_KEY",
    "TOPICS",
    "Adopt",
    "Advance",
    "Ailment",
    "Approve",
    "Assignment",
    "BatchTimes",
    "Beat",
    "BrokerKey",
    "BrokerLatency",
    "Cause",
    "ChooseMode",
    "ChoosePolicy",
    "ChooseStrategy",
    "Claim",
    "Command",
    "CommandAnswer",
    "CommandsRecord",
    "Conflict",
    "Controller",
    "DeadLetter",
    "Doubled",
    "Drain",
    "DrainMember",
    "Eject",
    "EvictMember",
    "Forget",
    "GrantRef",
    "Granted",
    "Group",
    "GroupTotals",
    "HandOver",
    "Handover",
    "HeartbeatsRecord",
    "HistoryRecord",
    "Hold",
    "HolderRef",
    "Hosts",
    "InheritRef",
    "Join",
    "LatencyRecord",
    "Leave",
    "LeftOut",
    "LeftOutCounts",
    "LifeRef",
    "MemberChanged",
    "MemberKey",
    "MemberRecord",
    "MemberSummary",
    "MembersRecord",
    "Overrides",
    "Pace",
    "Pause",
    "PauseEnded",
    "Place",
    "QueueCounts",
    "QueueRef",
    "RackRef",
    "Reason",
    "Rebalance",
    "RebalanceDone",
    "Record",
    "Registration",
    "RegistrationChange",
    "Release",
    "ReleaseRef",
    "Report",
    "Restore",
    "Resume",
    "Route",
    "RunRef",
    "Sample",
    "Settings",
    "Start",
    "Tick",
    "Told",
    "Topic",
    "TopicSpec",
    "TopicSummary",
    "UndecodableRecord",
    "UndrainMember",
    "Unregistration",
    "Verdict",
    "broker_key",
    "decode",
    "encode",
    "kept_for",
    "member_key",
    "murmur2",
    "partition_of",
    "read_broker_key",
    "read_group_key",
    "read_member_key",
    "read_topic_key",
    "registration_changes",
    "topic_specs",
]
