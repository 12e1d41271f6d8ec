"""The outbox: what has to be said of a step, and its cause.

Each module notes in it what it has decided; ``conclusion`` sends it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rebalance.causes import Cause
from rebalance.groups.model.decisions import Decision, Ending
from rebalance.ids import Epoch, MemberId, Millis, Queue, TopicName


@dataclass(frozen=True, slots=True)
class Outbox:
    """What was said last."""

    change_cause: Cause | None = None
    """What last changed ``group_epoch`` (``attribution``). Invariant: once set, never None."""
    epoch_cause: Cause | None = None
    """The cause of the present epoch, if it was noted; that need not be a change."""
    unposted: tuple[MemberId, ...] = ()
    """Members whose record of the last step is not known to be published yet (``unread``).
    Invariant: members of the group as that step left it."""
    share_numbers: Mapping[TopicName, int] = field(default_factory=dict)
    """The share numbers by which members were told what to draw from (``commons``); of a topic that
    is not named each draws from all queues. Invariant: all are positive."""


Way = tuple[MemberId, MemberId, Epoch, Ending, Cause | None]
"""From whom to whom, under which epoch, how the one was done, and the cause of asking it."""


@dataclass(slots=True)
class Passage:
    """Queues that went from one member to another in this step, all for the same cause."""

    queues: list[Queue] = field(default_factory=list)
    duration_ms: Millis = Millis(0)
    idle_ms: Millis | None = None
    """At most how long nobody worked on them; None: not known."""


@dataclass(slots=True)
class OutboxDraft:
    """What a step has to say so far."""

    changes: list[Cause] = field(default_factory=list)
    """The causes that changed the group in this step, in order. If there is one, the group needs a
    new target."""
    other_cause: Cause | None = None
    """Why the group's record is published although the target did not change."""
    refused_cause: Cause | None = None
    """Why it is published although nothing happened but a refusal."""
    cause_of_step: Cause | None = None
    """The cause of what this step decides, once ``attribution`` has found it."""
    touched: bool = False
    """Something changed that the summary shows, and no epoch of the group."""
    answered: set[MemberId] = field(default_factory=set)
    """Members that must be sent their record even if it says nothing new."""
    reminded: set[MemberId] = field(default_factory=set)
    """Members that are sent it again, because they seem not to have read it (``unread``)."""
    gone: set[MemberId] = field(default_factory=set)
    """Members that must be told that the group does not know them."""
    notes: list[Decision] = field(default_factory=list)
    """Decisions that stand already: history and refusals."""
    passages: dict[Way, Passage] = field(default_factory=dict)
    """What went from whom to whom, for the history."""

    def is_empty(self) -> bool:
        """Tell whether there is nothing to publish."""
        return not (self.notes or self.answered or self.reminded or self.gone)
