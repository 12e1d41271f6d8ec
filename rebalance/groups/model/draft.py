"""The draft: the working copy of one step.

A step must not change the state it was given, and copying the state for each event would cost too
much. So it writes into a draft: an overlay over each map of the state (``overlay``) and notes on
what has to follow. All parts of the step write on it; ``conclusion`` reads it once and drops it.

Its one rule: a draft never outlives the step that made it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from rebalance.causes import Cause
from rebalance.groups.model.books import Ledger
from rebalance.groups.model.decisions import Decision, Ending
from rebalance.groups.model.extent import Extent
from rebalance.groups.model.member import Departure, Flaps, Pulse
from rebalance.groups.model.overlay import Overlay
from rebalance.groups.model.overrides import Overrides, effective
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.roster import Roll
from rebalance.groups.model.state import Ailment, Doubt, GroupState, Route
from rebalance.ids import (
    Epoch,
    InstanceId,
    Life,
    MemberId,
    Millis,
    Queue,
    TopicName,
)

"""One life of one member: what is fenced when it ends."""


@dataclass(frozen=True, slots=True)
class Vacancy:
    """A queue that its holder is done with."""

    giver: MemberId
    ending: Ending
    waited_ms: Millis
    """On the log clock, since the holder was told to let go; 0 when it was not told."""
    reason: Cause | None = None
    """Why it was told that; None: it was not, or it did not come to it."""


Way = tuple[MemberId, MemberId, Ending, Cause | None]
"""From whom to whom, how the one was done, and why it was asked."""


@dataclass(slots=True)
class Passage:
    """Queues that went from one member to another in this step, all for the same reason."""

    queues: list[Queue] = field(default_factory=list)
    duration_ms: Millis = Millis(0)


@dataclass(slots=True)
class Draft:
    """A group in the middle of a step."""

    before: GroupState
    policy: Policy
    """The controller's, with what the group has of its own."""
    members: Roll = field(init=False)
    pulses: Overlay[MemberId, Pulse] = field(init=False)
    routes: Overlay[TopicName, Route] = field(init=False)
    ownership: Ledger = field(init=False)
    doubts: Overlay[TopicName, Doubt] = field(init=False)
    held: Overlay[MemberId, Millis] = field(init=False)
    flaps: Overlay[str, Flaps] = field(init=False)
    departures: Overlay[MemberId, Departure] = field(init=False)
    target: Mapping[Queue, MemberId] = field(init=False)
    posted: Mapping[Epoch, Millis | None] = field(init=False)
    """None: no later step has shown yet that it is out."""
    reasons: Mapping[Epoch, Cause] = field(init=False)
    shortage: Mapping[str, int] = field(init=False)
    targeted_at: Millis | None = field(init=False)
    paused: bool = field(init=False)
    paused_until: Millis | None = field(init=False)
    strategy: str | None = field(init=False)
    overrides: Overrides = field(init=False)
    general: Policy = field(init=False)
    """The controller's policy, whatever the group has of its own."""
    commands: tuple[str, ...] = field(init=False)
    ailment: Ailment | None = field(init=False)
    empty_since: Millis | None = field(init=False)
    deadline: Millis | None = field(init=False)
    """A lower bound on when silence may next decide something, as in the state."""

    unsure: set[MemberId] = field(default_factory=set)
    """Who has joined by a record with a wrong time: its first beat shows when, if not later."""
    causes: list[Cause] = field(default_factory=list)
    """What changed the group in this step, in order. Not empty means: it needs a new target."""
    occasion: Cause | None = None
    """What has to be said though it changed nothing about who is to own what."""
    served: set[Epoch] = field(default_factory=set)
    """Whose records were acted on in this step."""
    why: Cause | None = None
    """What this step decides is laid to, once ``attribution`` has found it."""
    targeted: bool = False
    """The target was computed in this step."""
    aimed: Collection[Queue] = ()
    """Queues whose owner in the new target is another one, or none."""
    loads: Mapping[MemberId, int] | None = None
    """How many queues the target means for each, once ``baton`` has asked for it."""
    loose: Collection[Queue] = ()
    """As in the state, once ``baton.settle`` has looked."""
    urgent: bool = False
    """An operator does not want to wait for the interval between targets."""
    deferred: bool = False
    """The target has to wait for the next step, which is due at once: the strategy changed."""
    touched: bool = False
    """An operator changed something that the summary shows."""
    extent: Extent | None = None
    """How much the routes are, once ``routing`` has asked for it."""
    recreated: set[TopicName] = field(default_factory=set)
    """Topics whose queues are others than before, under the same names."""
    instances: dict[InstanceId, MemberId] | None = None
    """Who has which instance, once ``twins`` has asked for it."""
    heirs: dict[MemberId, list[MemberId]] = field(default_factory=dict)
    """Whom each successor succeeded in this step (``twins``)."""
    succeeded: set[MemberId] = field(default_factory=set)
    """All of those."""
    namesakes: dict[str, MemberId] | None = None
    """Who came last of those that call themselves by a name, once ``twins`` has asked for it."""
    answered: set[MemberId] = field(default_factory=set)
    """Members that must be sent their record even if it says nothing new."""
    retold: set[Epoch] = field(default_factory=set)
    """What somebody is told again in this step to let go (``notice``)."""
    reminded: set[MemberId] = field(default_factory=set)
    """Members that are sent it again, because they seem not to have read it (``unread``)."""
    gone: set[MemberId] = field(default_factory=set)
    """Members that must be told that the group does not know them."""
    fenced: dict[Life, Ending] = field(default_factory=dict)
    """Lives that ended; their grants are taken back at the next ``baton.fence``."""
    weeded: Millis | None = None
    """When ``flapping`` last looked through its book, which is full."""
    mute: int | None = None
    """At least so many members look dead, once ``mass_silence`` has counted them in this step."""
    calm: bool = False
    """Most members are heard again, and ``mass_silence`` has drawn its conclusions in this step."""
    asked: dict[Life, list[tuple[Queue, Epoch, Epoch]]] | None = None
    """Who was told to give what, once ``baton.repair`` has asked for it."""
    vacant: dict[Queue, Vacancy] = field(default_factory=dict)
    """Queues whose holder is done and that had no heir; ``baton.settle`` fills them."""
    passages: dict[Way, Passage] = field(default_factory=dict)
    notes: list[Decision] = field(default_factory=list)
    """Decisions that stand already: history and refusals."""

    def __post_init__(self) -> None:
        """Lay the tracing paper."""
        self.general = self.policy
        self._trace()

    def _trace(self) -> None:
        self.members = Roll(self.before.members)
        self.pulses = Overlay(self.before.pulses)
        self.routes, self.extent = Overlay(self.before.routes), None
        self.ownership = Ledger(self.before.ownership)
        self.doubts = Overlay(self.before.doubts)
        self.held = Overlay(self.before.held)
        self.flaps = Overlay(self.before.flaps)
        self.departures = Overlay(self.before.departures)
        self.target = self.before.target
        self.posted = self.before.posted
        self.reasons = self.before.reasons
        self.shortage = self.before.shortage
        self.targeted_at = self.before.targeted_at
        self.paused = self.before.paused
        self.paused_until = self.before.paused_until
        self.strategy = self.before.strategy
        self.commands = self.before.commands
        self.ailment = self.before.ailment
        self.empty_since = self.before.empty_since
        self.deadline = self.before.deadline
        self.choose(self.before.overrides)

    @property
    def population(self) -> int:
        """How many members there are now."""
        return len(self.members)

    @property
    def next_epoch(self) -> Epoch:
        """The reading that this step draws if it decides anything."""
        return Epoch(self.before.epoch + 1)

    @property
    def decided(self) -> bool:
        """Tell whether this step draws an epoch."""
        changed = self.causes or self.targeted or self.touched
        return bool(changed or self.ownership.drawn or self.held.drawn)

    @property
    def is_quiet(self) -> bool:
        """Tell whether nobody has to be told anything: in nearly every step all is as it was."""
        told = self.notes or self.answered or self.reminded or self.gone
        changed = self.members.drawn or self.routes.drawn or self.decided
        return not (told or changed)

    @property
    def awaits_target(self) -> bool:
        """Tell whether the target is behind the group."""
        if self.targeted:
            return False
        return bool(self.causes) or self.before.group_epoch > self.before.target_epoch

    def choose(self, overrides: Overrides) -> None:
        """Give the group rules of its own."""
        self.overrides, self.policy = overrides, effective(self.general, overrides)

    def wipe(self) -> None:
        """Begin anew, with nothing but the epoch: what is read from here on is of another group."""
        self.before = GroupState.unknown(self.before.name, self.before.epoch)
        self._trace()
        self.unsay()
        self.deferred = False

    def unsay(self) -> None:
        """Forget what was to follow from the events so far; what was said already stands."""
        for notes in (self.causes, self.recreated, self.fenced, self.vacant, self.heirs):
            notes.clear()
        for marks in (self.served, self.succeeded):
            marks.clear()
        self.instances = self.namesakes = self.asked = self.mute = None
        self.urgent, self.calm, self.occasion = False, False, None

    def resume(self, cause: Cause) -> None:
        """End a pause; what it held back is due at once."""
        if self.paused:
            self.paused, self.paused_until = False, None
            self.touched = True
            self.causes.append(cause)
            self.expect_by(Millis(0))

    def expect_by(self, deadline: Millis) -> None:
        """Wake up no later than ``deadline``."""
        self.deadline = deadline if self.deadline is None else min(self.deadline, deadline)
