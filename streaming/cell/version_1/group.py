"""Groups, as version 1 named their fields.

They had no parts, and named each queue and each member wherever it was meant. Used by ``cell``.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from msgspec.structs import asdict, astuple

from rebalance.ids import (
    BrokerName,
    Epoch,
    GroupName,
    Incarnation,
    MemberId,
    Millis,
    Queue,
    TopicName,
)
from streaming.cell.stored.books import BooksForm, GrantForm, PageForm
from streaming.cell.stored.causes import CauseForm
from streaming.cell.stored.form import Places
from streaming.cell.stored.group import AilmentForm, GroupForm, HandoverForm, TargetForm
from streaming.cell.stored.members import DepartureForm, FlapsForm, MembersForm
from streaming.cell.stored.queues import DoubtForm, RouteForm, TopicsForm, queues_form
from streaming.cell.stored.rules import OverridesForm, RulesForm
from streaming.cell.version_1.members import Departure, Flaps, Member

_KINDS: Final = {
    word: number
    for number, word in enumerate(
        (
            *("join", "rejoin", "subscription", "drain", "leave", "expiry", "fence"),
            *("route", "command", "claim", "rest", "adoption", "ailment"),
        ),
        start=1,
    )
}
_HABITS: Final = {None: None, "none": 1, "rocketmq": 2}
_TWINS: Final = {None: None, "fence-older": 1, "refuse-newer": 2, "separate": 3, "hand-over": 4}

_Queue = tuple[TopicName, BrokerName, int]


class _Cause(Struct):
    kind: str
    subject: str
    position: tuple[TopicName, int, int]
    detail: str = ""

    def form(self) -> CauseForm:
        return CauseForm(_KINDS[self.kind], self.subject, *self.position, self.detail)


class _Asked(Struct):
    epoch: Epoch
    at: Millis


class _Grant(Struct):
    member: MemberId
    incarnation: Incarnation
    epoch: Epoch
    asked: _Asked | None = None

    def form(self, names: Places[MemberId]) -> GrantForm:
        return GrantForm(names[self.member], self.incarnation, self.epoch)


class _Ownership(Struct):
    holder: _Grant
    heir: _Grant | None = None

    def form(self, names: Places[MemberId]) -> PageForm:
        heir, asked = self.heir, self.holder.asked
        return PageForm(
            self.holder.form(names),
            [] if heir is None else [heir.form(names)],
            None if heir is None or heir.asked is not None else heir.epoch,
            None if asked is None else (asked.epoch, asked.at),
            None,
        )


class _Route(Struct):
    version: int
    exists: bool
    queues: list[_Queue]
    generation: str = ""
    left_out: int = 0

    def form(self, places: Places[Queue]) -> RouteForm:
        return RouteForm(**asdict(self) | {"queues": _places(self.queues, places)})


class _Doubt(Struct):
    route: _Route
    since: Millis
    confirmed: bool = False

    def form(self, places: Places[Queue]) -> DoubtForm:
        return DoubtForm(self.route.form(places), self.since, self.confirmed)


class _Ailment(Struct):
    reason: str
    tried: Epoch | None = None
    until: Millis | None = None


class _Overrides(Struct, frozen=True):
    session_timeout_ms: Millis | None = None
    session_timeout_ms_min: Millis | None = None
    session_timeout_ms_max: Millis | None = None
    heartbeat_interval_ms: Millis | None = None
    revocation_timeout_ms: Millis | None = None
    revocation_timeout_ms_max: Millis | None = None
    eager_grace_ms: Millis | None = None
    compat: str | None = None
    share_number: int | None = None
    on_twin: str | None = None
    on_twin_instance: str | None = None
    assignment_interval_ms: Millis | None = None
    blast_percent: int | None = None
    blast_members: int | None = None
    blast_hold_ms: Millis | None = None
    flap_half_life_ms: Millis | None = None
    flap_limit: int | None = None
    route_damping_ms: Millis | None = None
    route_share_percent: int | None = None

    def form(self) -> OverridesForm | None:
        if self == _Overrides():
            return None
        twins = {it: _TWINS[getattr(self, it)] for it in ("on_twin", "on_twin_instance")}
        return OverridesForm(**asdict(self) | twins | {"compat": _HABITS[self.compat]})


class Group(Struct):
    """A group, without its beats."""

    name: GroupName
    epoch: Epoch = Epoch(0)
    group_epoch: Epoch = Epoch(0)
    target_epoch: Epoch = Epoch(0)
    members: dict[MemberId, Member] = {}
    routes: dict[TopicName, _Route] = {}
    target: dict[_Queue, MemberId] = {}
    ownership: dict[_Queue, _Ownership] = {}
    loose: list[_Queue] = []
    posted: dict[Epoch, Millis | None] = {}
    reasons: dict[Epoch, _Cause] = {}
    shortage: dict[str, int] = {}
    targeted_at: Millis | None = None
    doubts: dict[TopicName, _Doubt] = {}
    held: dict[MemberId, Millis] = {}
    flaps: dict[str, Flaps] = {}
    departures: dict[MemberId, Departure] = {}
    paused: bool = False
    paused_until: Millis | None = None
    strategy: str | None = None
    overrides: _Overrides = _Overrides()
    commands: tuple[str, ...] = ()
    cause: _Cause | None = None
    occasion: _Cause | None = None
    ailment: _Ailment | None = None
    empty_since: Millis | None = None

    def form(self) -> GroupForm:
        """Return it as version 2 stores it, without its beats."""
        names, places = Places(self.members), Places[Queue](())
        topics = TopicsForm(
            routes={topic: it.form(places) for topic, it in self.routes.items()},
            doubts={topic: it.form(places) for topic, it in self.doubts.items()},
        )
        target = TargetForm(
            queues=_places(self.target, places),
            owners=names.of(self.target.values()),
            epoch=self.target_epoch,
            at=self.targeted_at,
            shortage=self.shortage,
            heired=[],
            heirs=[],
        )
        handover = HandoverForm(
            books=BooksForm(
                pages=[it.form(names) for it in self.ownership.values()],
                queues=_places(self.ownership, places),
                page=[*range(len(self.ownership))],
            ),
            loose=_places(self.loose, places),
            posted=self.posted,
            reasons={epoch: it.form() for epoch, it in self.reasons.items()},
        )
        return GroupForm(
            name=self.name,
            epoch=self.epoch,
            group_epoch=self.group_epoch,
            names=list(names),
            queues=queues_form(places),
            members=self._members(),
            topics=topics,
            target=target,
            handover=handover,
            rules=RulesForm(
                self.paused, self.paused_until, self.strategy, self.overrides.form(), self.commands
            ),
            cause=None if self.cause is None else self.cause.form(),
            occasion=None if self.occasion is None else self.occasion.form(),
            ailment=None if self.ailment is None else AilmentForm(*astuple(self.ailment)),
        )

    def _members(self) -> MembersForm:
        return MembersForm(
            members=[it.form() for it in self.members.values()],
            suspected=self.held,
            flaps={who: FlapsForm(*astuple(it)) for who, it in self.flaps.items()},
            departures={who: DepartureForm(*astuple(it)) for who, it in self.departures.items()},
            empty_since=self.empty_since,
        )


def _places(queues: Iterable[_Queue], places: Places[Queue]) -> list[int]:
    return places.of(
        Queue(topic=topic, broker=broker, id=number) for topic, broker, number in queues
    )
