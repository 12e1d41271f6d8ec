"""A rehearsal: a group is stepped by the brain, and nobody is told.

No time passes, so nobody expires and no hand-over is late: who is lost is taken to have been silent
for its session already. A target that would wait for its interval does not.
"""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from console.errors import Failure
from rebalance.allocation import Allocator
from rebalance.errors import BrokenInvariant
from rebalance.groups.model.decisions import Decision
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Moment
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import GroupState
from rebalance.groups.step import step
from rebalance.groups.target import question
from rebalance.ids import MemberId, Millis, TopicName
from rebalance.realms import Apart
from rebalance.stamp import Stamp
from streaming.cell.containment import strategy_of

_STEPS = 4
"""A new strategy is asked a step later than it is chosen; no change takes more steps than that."""
_CONFIRMED = Millis(0)
"""From when on a silence that is confirmed is not doubted (``mass_silence``)."""


@dataclass(slots=True)
class Rehearsal:
    """A group as it would be."""

    state: GroupState
    policy: Policy
    general: Allocator
    """The strategy of groups without one of their own."""
    now: Stamp

    def hear(self, events: Sequence[Moment] = ()) -> Sequence[Decision]:
        """Take one step; return what is decided.

        Raises:
            Failure: The step fails, as it would in the controller.
        """
        strategy = strategy_of(self.state, self.general)
        try:
            after = step(self.state, events, self.now, self.policy, strategy)
        except BrokenInvariant as error:
            raise Failure(f"the step of {self.state.name} fails: {error}") from error
        self.state = after.state
        return after.decisions

    def settle(self) -> None:
        """Step until the target is that of the group as it is."""
        for _ in range(_STEPS):
            if self.state.target.epoch == self.state.group_epoch:
                return
            self.state = replace(self.state, target=replace(self.state.target, at=None))
            self.hear()

    def reach(self) -> Mapping[MemberId, AbstractSet[TopicName]]:
        """Return what each member may own: topics, or realms if the strategy keeps some apart."""
        strategy = strategy_of(self.state, self.general)
        request = question(Draft(self.state, self.policy))
        asked = strategy.realms(request) if isinstance(strategy, Apart) else request
        return {name: one.topics for name, one in asked.candidates.items()}

    def silence(self, names: Collection[MemberId]) -> Sequence[Decision]:
        """Have members be silent for longer than they may; return what is decided then."""
        membership = self.state.membership
        pulses = dict(membership.pulses)
        for name in names:
            session_ms = self.policy.silence_ms(membership.members[name].session_timeout_ms)
            pulses[name] = replace(pulses[name], seen=Millis(self.now.clock - session_ms))
        self.state = replace(self.state.with_pulses(pulses), deadline=_CONFIRMED)
        return self.hear()

    def confirm(self) -> None:
        """Let the silence of members be believed, as after a while or by `approve`."""
        membership = self.state.membership
        suspected = dict.fromkeys(membership.suspected, _CONFIRMED)
        membership = replace(membership, suspected=suspected)
        self.state = replace(self.state, membership=membership, deadline=_CONFIRMED)
        self.hear()

    def resume(self) -> None:
        """End a pause."""
        rules = replace(self.state.rules, paused=False, paused_until=None)
        self.state = replace(self.state, rules=rules)
