"""The rules: commands of operators that are still in force.

Written by ``obeying``.
"""

from dataclasses import dataclass

from rebalance.groups.model.overrides import NONE, Overrides
from rebalance.ids import Millis


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

    @property
    def are_the_policys(self) -> bool:
        """Tell whether nothing makes the group unlike others."""
        return not self.paused and self.strategy is None and self.overrides == NONE


@dataclass(slots=True)
class RulesDraft:
    """The rules in the middle of a step."""

    before: Rules
    paused: bool
    paused_until: Millis | None
    strategy: str | None
    overrides: Overrides
    obeyed: tuple[str, ...]

    @classmethod
    def of(cls, before: Rules) -> "RulesDraft":
        """Open them."""
        paused, until = before.paused, before.paused_until
        return cls(before, paused, until, before.strategy, before.overrides, before.obeyed)

    def drop(self) -> None:
        """Forget which commands were obeyed; what they have set stays."""
        self.obeyed = ()

    def closed(self) -> Rules:
        """Return the rules as they are now."""
        assert self.paused or self.paused_until is None, "what is not paused has no end of a pause"
        assert len(set(self.obeyed)) == len(self.obeyed), "no command is obeyed twice"
        return Rules(self.paused, self.paused_until, self.strategy, self.overrides, self.obeyed)
