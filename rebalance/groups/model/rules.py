"""The rules: commands of operators that are still in force.

Written by ``obeying``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rebalance.groups.model.drained import Drained
from rebalance.groups.model.overrides import NONE, Overrides
from rebalance.ids import Life, Millis, TopicName


@dataclass(frozen=True, slots=True)
class Rules:
    """What makes the group unlike others, by command."""

    paused: bool = False
    """Its target and its evictions wait."""
    paused_until: Millis | None = None
    """On the log clock; None: until a resume. Invariant: None unless it is paused."""
    strategy: str | None = None
    """The group's own; None: the policy's."""
    overrides: Overrides = NONE
    """The group's own rules."""
    obeyed: tuple[str, ...] = ()
    """Ids of the last commands, so that none is obeyed twice. Invariant: no id twice."""
    pace_ms: Millis = Millis(0)
    """How rarely its members were asked to beat (``pace``). 0: as often as the policy says."""
    pause_ends: Millis | None = None
    """The same as ``paused_until`` by the clock of people, for people: as it was commanded.
    Invariant: None unless it is paused."""
    popped: Mapping[TopicName, int | None] = field(default_factory=dict)
    """Topics whose queues its RocketMQ clients share, with the share number of each; None: the
    policy's."""

    drained: tuple[Life, ...] = ()
    """Lives that were commanded to drain: later ones of the same process are to drain as well.
    Invariant: no name twice."""

    @property
    def are_the_policys(self) -> bool:
        """Tell whether nothing makes the group unlike others."""
        own = self.paused or self.strategy is not None or self.overrides != NONE or self.popped
        return not own


@dataclass(slots=True)
class RulesDraft:
    """The rules in the middle of a step."""

    before: Rules
    paused: bool
    paused_until: Millis | None
    strategy: str | None
    overrides: Overrides
    obeyed: tuple[str, ...]
    pace_ms: Millis
    pause_ends: Millis | None
    popped: Mapping[TopicName, int | None]
    drained: Drained

    @classmethod
    def of(cls, before: Rules) -> "RulesDraft":
        """Open them."""
        paused, until, own = before.paused, before.paused_until, before.overrides
        pace, ends = before.pace_ms, before.pause_ends
        popped, drained = before.popped, Drained(before.drained)
        return cls(
            before, paused, until, before.strategy, own, before.obeyed, pace, ends, popped, drained
        )

    def pause(self, until: Millis | None, ends: Millis | None) -> None:
        """Begin a pause, or give it another end: on the log clock, and by that of people."""
        self.paused, self.paused_until, self.pause_ends = True, until, ends

    def end_pause(self) -> None:
        """Go on."""
        self.paused, self.paused_until, self.pause_ends = False, None, None

    def drop(self) -> None:
        """Forget which commands were obeyed; what they have set stays."""
        self.obeyed, self.drained = (), Drained(())

    def closed(self) -> Rules:
        """Return the rules as they are now."""
        ends = self.paused_until if self.pause_ends is None else self.pause_ends
        assert self.paused or ends is None, "what is not paused has no end of a pause"
        assert len(set(self.obeyed)) == len(self.obeyed), "no command is obeyed twice"
        return Rules(
            paused=self.paused,
            paused_until=self.paused_until,
            strategy=self.strategy,
            overrides=self.overrides,
            obeyed=self.obeyed,
            pace_ms=self.pace_ms,
            pause_ends=self.pause_ends,
            popped=self.popped,
            drained=self.drained.lives,
        )
