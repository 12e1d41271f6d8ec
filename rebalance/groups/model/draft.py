"""The draft: the working copy of one step.

A step must not change the state it was given, and copying the state for each event would cost too
much. So it writes into a draft, which has the parts of the state: overlays over its maps
(``overlay``), and notes on what has to follow. Whatever only one module needs for this step is that
module's own (``scratch``).

Its one rule: a draft never outlives the step that made it.
"""

from dataclasses import dataclass, field
from typing import TypeVar, cast

from rebalance.causes import Cause
from rebalance.groups.model.decisions import Ending
from rebalance.groups.model.handover import HandoverDraft
from rebalance.groups.model.membership import MembershipDraft
from rebalance.groups.model.outbox import Outbox, OutboxDraft
from rebalance.groups.model.overrides import Overrides, effective
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.rules import RulesDraft
from rebalance.groups.model.state import Ailment, GroupState
from rebalance.groups.model.target import TargetDraft
from rebalance.groups.model.topics import TopicsDraft
from rebalance.ids import Epoch, Life, Millis

Scratch = TypeVar("Scratch")


@dataclass(slots=True)
class Draft:
    """A group in the middle of a step."""

    before: GroupState
    """The state that the step was given."""
    policy: Policy
    """The controller's, with what the group has of its own."""
    general: Policy = field(init=False)
    """The controller's policy, whatever the group has of its own."""
    membership: MembershipDraft = field(init=False)
    """Who is in the group: the only part that every step writes."""
    _topics: TopicsDraft | None = field(init=False)
    _target: TargetDraft | None = field(init=False)
    _handover: HandoverDraft | None = field(init=False)
    _rules: RulesDraft | None = field(init=False)
    """The other parts; None: nobody has asked for it in this step."""
    ailment: Ailment | None = field(init=False)
    """What could not be done for the group, as in the state."""
    deadline: Millis | None = field(init=False)
    """A lower bound on when silence may next decide something, as in the state."""
    outbox: OutboxDraft = field(default_factory=OutboxDraft)
    """What this step has to say; any module notes in it."""
    ended: dict[Life, Ending] = field(default_factory=dict)
    """Lives that ended. ``members``, ``strangers``, ``omissions`` and ``adoption`` note them, the
    next ``take_back`` takes their grants."""
    heard: dict[Life, Millis] = field(default_factory=dict)
    """When lives that were removed in this step had last been heard."""
    reached: Epoch = Epoch(0)
    """The highest epoch that a release was read to name: a holder may draw one itself."""
    _scratch: dict[type, object] = field(default_factory=dict)
    """What modules keep for this step, each under a class of its own."""

    def __post_init__(self) -> None:
        """Open what every step writes in; any other part is opened when it is asked for."""
        self.general = self.policy
        self._open()

    def _open(self) -> None:
        before = self.before
        self.membership = MembershipDraft(before.membership)
        self._topics = self._target = self._handover = self._rules = None
        self.ailment, self.deadline = before.ailment, before.deadline
        rules = before.rules
        self.policy = effective(self.general, rules.overrides, rules.pace_ms)

    def scratch(self, kind: type[Scratch]) -> Scratch:
        """Return what one module keeps for this step: one of its own class, made when asked for."""
        kept = self._scratch.get(kind)
        if kept is None:
            kept = self._scratch[kind] = kind()
        return cast("Scratch", kept)

    @property
    def topics(self) -> TopicsDraft:
        """Which queues there are."""
        if self._topics is None:
            self._topics = TopicsDraft(self.before.topics)
        return self._topics

    @property
    def target(self) -> TargetDraft:
        """Who should own what."""
        if self._target is None:
            self._target = TargetDraft.of(self.before.target)
        return self._target

    @property
    def handover(self) -> HandoverDraft:
        """Who may work on what."""
        if self._handover is None:
            self._handover = HandoverDraft(self.before.handover)
        return self._handover

    @property
    def rules(self) -> RulesDraft:
        """What operators have commanded."""
        if self._rules is None:
            self._rules = RulesDraft.of(self.before.rules)
        return self._rules

    def closed(
        self, epoch: Epoch, group_epoch: Epoch, outbox: Outbox, deadline: Millis | None
    ) -> GroupState:
        """Return the state with every part as it is now; one that was not opened is as before."""
        assert group_epoch <= epoch, f"the group changed at {group_epoch}, after {epoch}"
        before = self.before
        assert before.outbox.change_cause is None or outbox.change_cause is not None, "no cause"
        topics, target, handover, rules = self._topics, self._target, self._handover, self._rules
        self._check(group_epoch)
        return GroupState(
            name=before.name,
            epoch=epoch,
            group_epoch=group_epoch,
            membership=self.membership.closed(),
            topics=before.topics if topics is None else topics.closed(),
            target=before.target if target is None else target.closed(group_epoch),
            handover=before.handover if handover is None else handover.closed(epoch),
            rules=before.rules if rules is None else rules.closed(),
            outbox=outbox,
            ailment=self.ailment,
            deadline=deadline,
        )

    def _check(self, group_epoch: Epoch) -> None:
        """Check what one part says of another, where one of them may have been written."""
        tried = None if self.ailment is None else self.ailment.tried
        assert tried is None or tried <= group_epoch, f"tried for {tried}, before {group_epoch}"
        flaps, most = self.membership.flaps, self.policy.max_members
        assert len(flaps) <= max(most, len(self.before.membership.flaps)), "flaps are bounded"
        if self._handover is None:
            return
        owners, members = self.target.owners, self.membership.members
        assert all(it in owners for it in self._handover.loose), "a loose queue is meant for nobody"
        for life in self._handover.strangers:
            known = members.get(life.member)
            assert known is None or known.incarnation != life.incarnation, f"{life} is no stranger"

    @property
    def population(self) -> int:
        """How many members there are now."""
        return len(self.membership.members)

    @property
    def next_epoch(self) -> Epoch:
        """The reading that this step draws if it decides anything."""
        return Epoch(max(self.before.epoch, self.reached) + 1)

    @property
    def decided(self) -> bool:
        """Tell whether this step draws an epoch."""
        if self.outbox.changes or self.outbox.touched or self.membership.suspected.written:
            return True
        moved = self._handover is not None and bool(self._handover.books.written)
        return moved or (self._target is not None and self._target.is_new)

    @property
    def is_quiet(self) -> bool:
        """Tell whether this step has nothing to publish, as nearly every step."""
        routed = self._topics is not None and bool(self._topics.routes.written)
        changed = routed or self.membership.members.written or self.decided
        return self.outbox.is_empty() and not changed

    @property
    def is_unfinished(self) -> bool:
        """Tell whether what was noted has still to be carried out in this step."""
        recreated = self._topics is not None and bool(self._topics.recreated)
        urgent = self._target is not None and self._target.urgent
        return bool(self.ended) or recreated or urgent

    @property
    def awaits_target(self) -> bool:
        """Tell whether the target is behind the group."""
        if self.target.is_new:
            return False
        return bool(self.outbox.changes) or self.before.group_epoch > self.before.target.epoch

    def choose(self, overrides: Overrides) -> None:
        """Give the group rules of its own."""
        self.rules.overrides = overrides
        self.policy = effective(self.general, overrides, self.rules.pace_ms)

    def keep_to(self, pace_ms: Millis) -> None:
        """Have members beat as rarely as that; as often as the policy says: 0."""
        self.rules.pace_ms = pace_ms
        self.policy = effective(self.general, self.rules.overrides, pace_ms)

    def wipe(self) -> None:
        """Begin anew with nothing but the epoch, as another group."""
        self.before = GroupState.unknown(self.before.name, self.before.epoch)
        self._open()
        self.unsay()

    def unsay(self) -> None:
        """Forget what was to follow from the events so far; what was said already stands."""
        self.ended.clear()
        self.topics.recreated.clear()
        self.target.urgent = False
        self.handover.served.clear()
        self.outbox.changes.clear()
        self.outbox.other_cause = self.outbox.refused_cause = None
        self._scratch.clear()

    def resume(self, cause: Cause) -> None:
        """End a pause; what it held back is due at once."""
        if self.rules.paused:
            self.rules.end_pause()
            self.outbox.touched = True
            self.outbox.changes.append(cause)
            self.expect_by(Millis(0))

    def expect_by(self, deadline: Millis) -> None:
        """Wake up no later than ``deadline``."""
        self.deadline = deadline if self.deadline is None else min(self.deadline, deadline)
