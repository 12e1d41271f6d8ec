"""Members and their pulses, as version 1 named their fields.

Enums were stored as words; the numbers are those of version 2. Used by ``group`` and ``cell``.
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import asdict, astuple

from rebalance.ids import Epoch, Incarnation, InstanceId, MemberId, Millis, Pattern, TopicName
from streaming.cell.stored.beats import BeatsForm, UnreadForm
from streaming.cell.stored.members import DoubledForm, MemberForm, SayingForm

_MODES: Final = {"clustering": 1, "broadcasting": 2, "shared": 3}

_Said = tuple[list[TopicName], str, int]


class _Doubled(Struct):
    beats: tuple[Millis, ...] = ()
    epoch: Epoch = Epoch(0)
    said: _Said | None = None
    before: _Said | None = None
    swaps: int = 0
    swapped_at: Millis = Millis(0)
    noted_at: Millis | None = None

    def form(self) -> DoubledForm:
        said, before = (
            None if it is None else SayingForm(sorted(it[0]), _MODES[it[1]], it[2])
            for it in (self.said, self.before)
        )
        return DoubledForm(**asdict(self) | {"said": said, "before": before})


class Member(Struct):
    """A member."""

    incarnation: Incarnation
    sequence: int
    topics: list[TopicName]
    session_timeout_ms: Millis
    revocation_timeout_ms: Millis
    instance: InstanceId | None = None
    rack: str = ""
    weight: int = 1
    capacity: int | None = None
    mode: str = "clustering"
    eager: bool = False
    since: Epoch = Epoch(0)
    draining: bool = False
    dismissed: bool = False
    away: bool = False
    resting_until: Millis | None = None
    challenger: tuple[MemberId, Incarnation] | None = None
    patterns: list[Pattern] = []
    presumed: bool = False
    company: int = 0
    doubled: _Doubled | None = None

    def form(self) -> MemberForm:
        """Return it as version 2 stores it."""
        return MemberForm(
            **asdict(self)
            | {
                "topics": sorted(self.topics),
                "patterns": sorted(self.patterns),
                "mode": _MODES[self.mode],
                "awaits_mark": False,
                "doubled": None if self.doubled is None else self.doubled.form(),
            }
        )


class _Unread(Struct):
    epoch: Epoch
    since: Millis | None = None
    times: int = 0


class Pulse(Struct):
    """A pulse."""

    seen: Millis
    sequence: int
    unread: _Unread | None = None


class Flaps(Struct):
    """A member that came and went."""

    count: int
    since: Millis


class Departure(Struct):
    """A member that left."""

    incarnation: Incarnation
    sequence: int
    at: Millis


def beats(pulses: dict[MemberId, Pulse], unposted: tuple[MemberId, ...]) -> BeatsForm:
    """Return what every beat changes, as version 2 stores it."""
    each = list(pulses.values())
    return BeatsForm(
        seen=[it.seen for it in each],
        sequences=[it.sequence for it in each],
        unread={
            place: UnreadForm(*astuple(it.unread))
            for place, it in enumerate(each)
            if it.unread is not None
        },
        unposted=unposted,
        names=list(pulses),
    )
