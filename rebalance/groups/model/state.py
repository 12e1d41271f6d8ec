"""The state of one group: a value, replaced and never changed.

It has six parts. Each is written by one folder or module:

- ``membership``: who is in the group, by ``members``;
- ``topics``: which queues there are, by ``routing``;
- ``target``: who should own what, by ``target`` and ``succession``;
- ``handover``: who may work on what, by ``handover``;
- ``rules``: what operators have commanded, by ``obeying``;
- ``outbox``: what was said last, and why, by ``conclusion``.

The exceptions: ``adoption`` replaces nearly everything, once; ``remains`` drops what is left of an
empty group; ``pace`` has members believed in for longer; a pause may end by its time (``timers``);
``obeying`` and ``ailments`` hasten the target; what was sent is noted after the draft is closed
(``unread``, ``notice``). ``tests/architecture/test_writers.py`` knows all writers.

Whatever the brain needs to know about the past is here, or it is gone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rebalance.groups.model.handover import Handover
from rebalance.groups.model.member import Pulse
from rebalance.groups.model.membership import Membership
from rebalance.groups.model.outbox import Outbox
from rebalance.groups.model.rules import Rules
from rebalance.groups.model.target import Target
from rebalance.groups.model.topics import Topics
from rebalance.ids import Epoch, GroupName, MemberId, Millis


@dataclass(frozen=True, slots=True)
class Ailment:
    """Why something could not be done for the group (``ailments``)."""

    reason: str
    tried: Epoch | None = None
    """For which ``group_epoch`` the strategy has failed; None: it was something else. Invariant:
    never greater than that."""
    withheld_until: Millis | None = None
    """Until when, on the log clock, no queue is promised to anybody (``omissions``); None: promises
    are not withheld. A step that fails meanwhile carries it over into its own ailment."""


@dataclass(frozen=True, slots=True)
class GroupState:
    """Everything the brain knows of one group."""

    name: GroupName
    epoch: Epoch = Epoch(0)
    """The group's one counter. Each batch that decides something draws the next reading. Written,
    like ``group_epoch``, by ``conclusion``."""
    group_epoch: Epoch = Epoch(0)
    """When membership, subscriptions or routes last changed. Invariant: not above ``epoch``."""
    membership: Membership = field(default_factory=Membership)
    topics: Topics = field(default_factory=Topics)
    target: Target = field(default_factory=Target)
    handover: Handover = field(default_factory=Handover)
    rules: Rules = field(default_factory=Rules)
    outbox: Outbox = field(default_factory=Outbox)
    ailment: Ailment | None = None
    """Written by ``ailments`` and ``omissions``."""
    deadline: Millis | None = None
    """No timer is due before the clock reads this: a lower bound, so that a tick without a due
    deadline need not even decode the group. None: there is none. Any module may bring it forward
    (``Draft.expect_by``); ``timers`` computes it anew."""

    @classmethod
    def unknown(cls, name: GroupName, floor: Epoch) -> "GroupState":
        """Return a group of which nothing is known but how far epochs have got."""
        return cls(name, floor, group_epoch=floor, target=Target(epoch=floor))

    def with_pulses(self, pulses: Mapping[MemberId, Pulse]) -> "GroupState":
        """Return it with other pulses."""
        return replace(self, membership=replace(self.membership, pulses=pulses))

    def above(self, epoch: Epoch) -> "GroupState":
        """Go on above what a start has found, and leave one epoch out.

        Under that an older controller may still write a batch, which it decided before it could
        read that another one starts (A5). So all that is decided from now on is above.
        """
        return replace(self, epoch=Epoch(epoch + 1))

    @property
    def is_out(self) -> bool:
        """Tell whether what the last step said is known to be out, and nothing has failed."""
        return not (self.outbox.unposted or self.handover.posted or self.ailment)

    @property
    def is_settled(self) -> bool:
        """Tell whether beats alone move nothing: then a step that is quiet moves nothing either.

        No queue waits for its member, and the target is that of the group as it is.
        """
        return not self.handover.loose and self.group_epoch == self.target.epoch

    @property
    def is_unknown(self) -> bool:
        """Tell whether nothing is known of it but its epoch; asked after each step."""
        if self.membership.members:
            return False
        return self == GroupState.unknown(self.name, self.epoch)
