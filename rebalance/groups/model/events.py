"""What can happen to a group: the only input of the brain.

Each event is one decoded record of the log, already known to be well-formed, with the place and the
time at which it was read. The shell makes them (``streaming.wire.translation``); ``step`` folds
them. Names are in the past tense: an event reports, it does not ask.

Everything the brain may know about time or order is in the event's stamp.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rebalance.groups.model.commands import Command
from rebalance.groups.model.overrides import NOTHING_SET, Settings
from rebalance.ids import (
    Epoch,
    Held,
    Incarnation,
    InstanceId,
    Life,
    MemberId,
    Millis,
    Naming,
    OfOneLife,
    Pattern,
    Queue,
    Tenure,
    TopicName,
    start_of,
)
from rebalance.racks import RackRun
from rebalance.stamp import Stamp, Ticked


class Mode(StrEnum):
    """How a member takes part."""

    CLUSTERING = "clustering"
    """It owns what it works on: each queue has one owner."""
    BROADCASTING = "broadcasting"
    """It works on every queue (``commons``)."""
    SHARED = "shared"
    """It works on some, together with others."""


@dataclass(frozen=True, slots=True)
class _OfOneLife(OfOneLife):
    stamp: Stamp
    life: Life


@dataclass(frozen=True, slots=True)
class Joined(_OfOneLife):
    """A member announced itself, or changed what it wants."""

    sequence: int
    topics: frozenset[TopicName]
    session_timeout_ms: Millis | None = None
    revocation_timeout_ms: Millis | None = None
    instance: InstanceId | None = None
    rack: str = ""
    weight: int = 1
    capacity: int | None = None
    mode: Mode = Mode.CLUSTERING
    eager: bool = False
    """It knows no releases."""
    patterns: frozenset[Pattern] = frozenset()
    """What it subscribes beside the topics that it names."""
    last_epoch: Epoch | None = None
    """What the last record said that an earlier life of its process acted on; None: no record."""
    marks: bool = False
    """It will release nothing, to show from where on it reads releases."""
    guarded: bool = False
    """Somebody releases for it when its process is dead."""
    on_hold_alone: bool = False
    """It reads no releases, so it begins nothing before a record says hold."""

    def comes_back_from(self, life: Incarnation) -> bool:
        """Tell whether that was a life of the same process: of the same start."""
        return self.last_epoch is not None and start_of(self.incarnation) == start_of(life)


@dataclass(frozen=True, slots=True)
class Registered(_OfOneLife):
    """A RocketMQ client said what it always says: a join at first, later most often a beat."""

    topics: frozenset[TopicName] | None
    """None: as before."""
    mode: Mode
    session_timeout_ms: Millis
    groups_hash: int = 0
    """A hash of all the groups that it is a member of."""
    doubled: bool = False
    """Its broker has heard two processes under its name."""


@dataclass(frozen=True, slots=True)
class Unregistered(_OfOneLife):
    """A RocketMQ client said that it leaves."""


@dataclass(frozen=True, slots=True)
class BeatSeen(_OfOneLife):
    """A member is still there."""

    sequence: int
    epoch: Epoch
    """The last assignment record the member acted on; 0 when it has seen none."""
    owned: tuple[Held, ...] | None = None
    """What it works on or has not yet let go; None means unchanged since its last beat."""


@dataclass(frozen=True, slots=True)
class DrainAsked(_OfOneLife):
    """A member wants to go and works on until its heirs have taken over."""

    sequence: int


@dataclass(frozen=True, slots=True)
class Left(_OfOneLife):
    """A member has stopped working and is gone."""

    sequence: int
    temporary: bool = False
    """It means to be back before its session ends: its queues are kept for it."""


@dataclass(frozen=True, slots=True)
class Released(_OfOneLife):
    """A life no longer works on queues; each naming names the grant that begins."""

    namings: tuple[Naming, ...]
    own: bool = True
    """It says so itself; or else the controller or a guard says it, who knows that it stopped."""
    sequence: int = -1
    """Its number among all that a life says itself; -1: it is not known, or others say it."""


@dataclass(frozen=True, slots=True)
class RouteObserved:
    """The route watcher saw the queues of a topic; no queues and not ``exists``: no such topic."""

    stamp: Stamp
    topic: TopicName
    version: int
    exists: bool
    queues: tuple[Queue, ...]
    generation: str = ""
    """Which topic of that name, if the watcher can tell."""
    racks: tuple[RackRun, ...] | None = None
    """Where replicas stand; None: the watcher cannot tell now."""


@dataclass(frozen=True, slots=True)
class Commanded:
    """An operator gave a command (``rebalance.groups.model.commands``)."""

    stamp: Stamp
    id: str
    """The same id again is the same command."""
    principal: str
    reason: str
    command: Command
    base_epoch: Epoch | None = None
    """Given in view of this epoch: refused if the group has moved on."""


@dataclass(frozen=True, slots=True)
class Inheritance:
    """A queue that becomes the member's own, at ``epoch``, on one exact release."""

    queue: Queue
    epoch: Epoch
    predecessor: Tenure


@dataclass(frozen=True, slots=True)
class Portion:
    """What one member's record says: every queue that concerns it, sorted."""

    hold: tuple[Naming, ...] = ()
    give: tuple[Naming, ...] = ()
    inherit: tuple[Inheritance, ...] = ()
    shared: tuple[Naming, ...] = ()
    """What one that owns the rest works on together with others."""


@dataclass(frozen=True, slots=True)
class Adopted(_OfOneLife):
    """This stood published, as one member's record, when the controller was started."""

    start: str
    """Which start of a controller it was."""
    epoch: Epoch
    portion: Portion
    session_timeout_ms: Millis
    revocation_timeout_ms: Millis
    mode: Mode = Mode.CLUSTERING
    of: int = 0
    """How many records this start has for the group; 0: not said."""


@dataclass(frozen=True, slots=True)
class Advanced:
    """This stood published of the whole group when the controller was started."""

    stamp: Stamp
    start: str
    epoch: Epoch
    decided: Millis
    """The append time of the last record that was known when that was published."""
    of: int = 0
    settings: Settings = NOTHING_SET
    """What operators had set by then."""
    draining: frozenset[MemberId] | None = None
    """Who drained by then; None: not known."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A controller begins, and all that was there has been read: every session begins anew."""

    stamp: Stamp


MemberEvent = Joined | BeatSeen | DrainAsked | Left
Found = Adopted | Advanced
"""What the driver found published when it started (``adoption``)."""
FOUND: Final = (Adopted, Advanced)
"""The same. A tuple, because it is asked of every beat, and a union is slow to ask."""
STARTING: Final = frozenset({Begun, *FOUND})
"""What is said when a controller starts."""
NOT_APPLIED: Final = (Begun, Ticked, *FOUND)
"""Moments that change nothing by themselves: ``step`` applies none of them."""
Event = MemberEvent | Registered | Unregistered | Released | RouteObserved | Commanded
Moment = Event | Found | Ticked | Begun
"""What a group hears, in the order of the log. Before each, timers do what is due by then."""


def last_found(events: Iterable[Moment]) -> list[Found]:
    """Return what the last start found published; what earlier ones found is older."""
    told = [event for event in events if isinstance(event, FOUND)]
    return [one for one in told if one.start == told[-1].start]
