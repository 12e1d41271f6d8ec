"""The topics: what is on each, how it is keyed, and how it must be configured.

One table, `TOPICS`. Codecs read a topic's records and limit from it; `trimtab topics init|check`
reads `topic_specs`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Final, Generic, Literal, TypeVar, Union

from pydantic import Field, TypeAdapter

from trimtab.protocol import limits
from trimtab.protocol.adoption import Adopt, Advance, Start, Told
from trimtab.protocol.assignments import Assignment
from trimtab.protocol.brokers import Verdict
from trimtab.protocol.commands import (
    Approve,
    ChooseMode,
    ChoosePolicy,
    ChooseStrategy,
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
from trimtab.protocol.controllers import Controller, ControllersRecord, HandOver
from trimtab.protocol.deadletters import DeadLetter
from trimtab.protocol.groups import Group
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
from trimtab.protocol.latency import Hosts, LatencyRecord, Report, Sample
from trimtab.protocol.members import Drain, Join, Leave, MembersRecord
from trimtab.protocol.names import START_KEY, TICK_KEY, TOLD_KEY
from trimtab.protocol.passages import Granted, Handover
from trimtab.protocol.record import Record
from trimtab.protocol.releases import Release
from trimtab.protocol.routes import Route, RoutesRecord

KeyKind = Literal[
    "group",
    "cluster",
    "client",
    "group or cluster",
    "group/member",
    "cluster/broker",
    "topic",
    "controller",
]
R = TypeVar("R", bound=Record)

DEFAULT_PREFIX: Final = "trimtab."
DEFAULT_PARTITIONS: Final = 8
"""Two for each core of a small cluster; groups spread over them by hash."""

_HOUR_MS: Final = 60 * 60 * 1000
_DAY_MS: Final = 24 * _HOUR_MS


@dataclass(frozen=True)
class Topic(Generic[R]):
    """A topic and its contract. `retention_ms` None: compacted, each key's last record stays."""

    name: str
    about: str
    key: KeyKind
    models: tuple[type[R], ...]
    """None where another system's records are read as they are."""
    retention_ms: int | None
    max_record_bytes: int = limits.RECORD_BYTES

    @cached_property
    def records(self) -> TypeAdapter[R]:
        """The reader of this topic's records; by `kind`: one look, no trial and error."""
        if len(self.models) == 1:
            return TypeAdapter(self.models[0])
        union: Any = Union[self.models]  # noqa: UP007 - of a tuple known only at run time
        return TypeAdapter(Annotated[union, Field(discriminator="kind")])

    @cached_property
    def kinds(self) -> Mapping[str, type[R]]:
        """The model of each kind of record."""
        return {model.model_fields["kind"].default: model for model in self.models}

    @property
    def compacted(self) -> bool:
        """Whether each key's last record is kept for ever, and a null value means: gone."""
        return self.retention_ms is None

    @property
    def partitioned_by_group(self) -> bool:
        """Whether a record is in the partition of its group, whatever else its key says."""
        return self.key.startswith("group")


MEMBERS: Final[Topic[MembersRecord]] = Topic(
    "members",
    "Urgent: a member joins, drains, leaves.",
    "group",
    (Join, Drain, Leave),
    # A controller that was away for a week still learns who joined meanwhile.
    retention_ms=7 * _DAY_MS,
)
HEARTBEATS: Final[Topic[HeartbeatsRecord]] = Topic(
    "heartbeats",
    "Routine: members beat, the controller ticks.",
    "group",
    (Beat, Tick),
    # High volume and worthless once read; a day is what an operator needs to look back.
    retention_ms=_DAY_MS,
)
RELEASES: Final[Topic[Release]] = Topic(
    "releases",
    "The baton: a holder lets queues go, the heir starts.",
    "group",
    (Release,),
    # As long as joins: whom they named may have its queues from nothing else.
    retention_ms=7 * _DAY_MS,
)
ROUTES: Final[Topic[RoutesRecord]] = Topic(
    "routes",
    "The queues of the topics that a group asks for; what a starting controller finds published.",
    "group",
    (Route, Adopt, Advance, Start, Told),
    # The last known route is kept in the controller's state; a week covers its absence.
    retention_ms=7 * _DAY_MS,
)
LATENCY: Final[Topic[LatencyRecord]] = Topic(
    "latency",
    "What producers saw of the brokers.",
    "cluster",
    (Report, Sample, Hosts),
    retention_ms=6 * _HOUR_MS,  # verdicts look back minutes
    max_record_bytes=limits.REPORT_BYTES,
)
COMMANDS: Final[Topic[CommandsRecord]] = Topic(
    "commands",
    "Operators' commands.",
    "group or cluster",
    (
        Pause,
        Resume,
        DrainMember,
        UndrainMember,
        EvictMember,
        Rebalance,
        ChoosePolicy,
        ChooseMode,
        ChooseStrategy,
        Pace,
        Approve,
        Eject,
        Restore,
        Forget,
    ),
    # An audit trail of who commanded what, and what a new checkpoint knows of standing ejections.
    retention_ms=90 * _DAY_MS,
)
ROCKETMQ: Final[Topic[Record]] = Topic(
    "rocketmq",
    "What RocketMQ's own clients say: HeartbeatData, and who unregisters.",
    "client",
    (),
    # Said again every 30 s, like beats.
    retention_ms=_DAY_MS,
    max_record_bytes=limits.HEARTBEAT_DATA_BYTES,
)
ASSIGNMENTS: Final[Topic[Assignment]] = Topic(
    "assignments",
    "One member's assignment: hold, give, inherit.",
    "group/member",
    (Assignment,),
    retention_ms=None,
)
GROUPS: Final[Topic[Group]] = Topic(
    "groups", "One group's summary.", "group", (Group,), retention_ms=None
)
BROKERS: Final[Topic[Verdict]] = Topic(
    "brokers", "The verdict on one broker.", "cluster/broker", (Verdict,), retention_ms=None
)
HISTORY: Final[Topic[HistoryRecord]] = Topic(
    "history",
    "What happened and why.",
    "group or cluster",
    (
        RebalanceDone,
        MemberChanged,
        Handover,
        Granted,
        Conflict,
        Hold,
        Claim,
        LeftOut,
        Doubled,
        CommandAnswer,
        PauseEnded,
        Ailment,
        Verdict,
    ),
    retention_ms=90 * _DAY_MS,
)
DEADLETTERS: Final[Topic[DeadLetter]] = Topic(
    "deadletters",
    "Records that could not be read, and why.",
    "topic",
    (DeadLetter,),
    # Two weeks: long enough to come back from a holiday and look.
    retention_ms=14 * _DAY_MS,
)
CONTROLLERS: Final[Topic[ControllersRecord]] = Topic(
    "controllers",
    "How a controller is doing, every few seconds.",
    "controller",
    (Controller, HandOver),
    retention_ms=None,
)

OWN_KEYS: Final[Mapping[type[Record], bytes]] = {
    Tick: TICK_KEY,
    Start: START_KEY,
    Told: TOLD_KEY,
}
"""The controller's own records, which are of a partition and of no group."""

TOPICS: Final[Mapping[str, Topic[Any]]] = {
    topic.name: topic
    for topic in (
        MEMBERS,
        HEARTBEATS,
        RELEASES,
        ROUTES,
        LATENCY,
        COMMANDS,
        ROCKETMQ,
        ASSIGNMENTS,
        GROUPS,
        BROKERS,
        HISTORY,
        DEADLETTERS,
        CONTROLLERS,
    )
}
