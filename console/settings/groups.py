"""`[policy]`: what an operator may choose about a group.

Defaults and the rules between fields are those of ``rebalance.policy.Policy``, the value that this
section becomes; they are stated there once.
"""

import json
from datetime import timedelta
from typing import Annotated, Final, Self

from pydantic import Field, JsonValue, model_validator

from allocators import allocator
from console.settings.section import Section
from console.settings.units import Duration, Wait, milliseconds
from rebalance.ids import Millis
from rebalance.policy import Compat, Policy, TwinRule
from trimtab.protocol import limits

_DEFAULT: Final = Policy()
_NO_STEP: Final = timedelta(milliseconds=1)


def _duration(number: Millis) -> timedelta:
    return timedelta(milliseconds=number)


def _millis(duration: timedelta) -> Millis:
    return Millis(milliseconds(duration))


class PolicySettings(Section):
    """Timeouts, limits and the strategy of every group."""

    strategy: str = _DEFAULT.strategy
    """How queues are spread over members. STICKY keeps loads even and moves the fewest queues; AVG
    gives each member one contiguous run, as RocketMQ does. Changing it moves queues once, in every
    group."""

    strategy_options: dict[str, JsonValue] = Field(default_factory=dict)
    """What the strategy is told beside its name, such as `percent` of CANARY or `queue_weights` of
    STICKY: see docs/strategies.md. They hold for every group, and changing them moves queues once.
    Give them as a table in the file, or whole, as a JSON object: one alone, as a flag, is text."""

    session_timeout: Duration = _duration(_DEFAULT.session_timeout_ms)
    """Silence after which a member is taken for dead, for members that ask for none. Shorter finds
    a crash sooner, and takes a member with a long garbage collection for a dead one. Shorter than
    10s needs a shorter session_timeout_min, too."""

    session_timeout_min: Duration = _duration(_DEFAULT.session_timeout_ms_min)
    """The least that a member may ask for; who asks for less gets this much. It must be at least
    five times controller.max_clock_step, or a broker's clock that jumps, or a Kafka that stalls,
    ends living sessions. For 3s: max_clock_step 600ms, tick_interval and heartbeat_batch_interval
    300ms, heartbeat_interval 1s. Each tick costs a batch."""

    session_timeout_max: Duration = _duration(_DEFAULT.session_timeout_ms_max)
    """The most that a member may ask for. It bounds how long the queues of a member that died may
    rest."""

    heartbeat_interval: Duration = _duration(_DEFAULT.heartbeat_interval_ms)
    """How often members are told to beat. Shorter costs records, not speed: a hand-over waits for
    no heartbeat."""

    revocation_timeout: Duration = _duration(_DEFAULT.revocation_timeout_ms)
    """How long a holder may take to finish and release a queue. After it the holder is fenced and
    the heir starts: set it above the longest message that a member works on, or that message is
    worked on twice."""

    revocation_timeout_max: Duration = _duration(_DEFAULT.revocation_timeout_ms_max)
    """The most that a member may ask for; it bounds how long a hand-over can hang."""

    eager_grace: Wait = _duration(_DEFAULT.eager_grace_ms)
    """How long members that know no releases (RocketMQ's own clients) keep a queue that was taken
    from them. At 0s both may work on it until the old one looks, as in RocketMQ."""

    compat: Compat = _DEFAULT.compat
    """rocketmq: members that know no releases have one subscription, that of the last who spoke, as
    on RocketMQ's brokers, and a topic it does not name is gone for all of them. none: each member
    has its own."""

    share_number: int = Field(default=_DEFAULT.share_number, ge=-1)
    """How many members' runs of queues, beside its own, a member of mode shared draws from. More
    leave less behind a slow member, and let more of them ask the same broker; -1: all."""

    share_numbers: dict[str, Annotated[int, Field(ge=-1)]] = Field(default_factory=dict)
    """Other ones, by topic ("orders"), or by group and topic ("billing/orders"). Give them as a
    table in the file, or whole, as a JSON object."""

    on_twin: TwinRule = _DEFAULT.on_twin
    """Two lives of one member: fence-older (a restart takes over at once), refuse-newer (it waits
    until the older one is gone), or separate (each is a member of its own)."""

    on_twin_instance: TwinRule = _DEFAULT.on_twin_instance
    """Two members with one instance: as on_twin, or hand-over (the newer one inherits from the
    older, for rolling updates that start the new process first)."""

    assignment_interval: Wait = _duration(_DEFAULT.assignment_interval_ms)
    """The least time between two targets of a group. More calms groups that never come to rest, and
    makes each change wait."""

    blast_percent: int = Field(default=_DEFAULT.blast_percent, ge=0, le=100)
    """Evictions are held while more than this share of a group is silent at once. 100: never."""

    blast_members: int = Field(default=_DEFAULT.blast_members, ge=1)
    """Fewer silent members than this are never held."""

    blast_hold: Duration = _duration(_DEFAULT.blast_hold_ms)
    """How long held members may stay silent before that is believed. Their queues rest so long, if
    they really died."""

    flap_limit: int = Field(default=_DEFAULT.flap_limit, ge=1)
    """Departures, within about one half-life, after which a member that returns has to rest."""

    flap_half_life: Duration = _duration(_DEFAULT.flap_half_life_ms)
    """In this time half of a member's departures are forgotten."""

    route_damping: Wait = _duration(_DEFAULT.route_damping_ms)
    """How long queues must have vanished before their members give them up."""

    route_share_percent: int = Field(default=_DEFAULT.route_share_percent, ge=0, le=100)
    """A topic that lost more than this share of its queues must be seen so a second time, too."""

    keep_empty: Duration = _duration(_DEFAULT.keep_empty_ms)
    """How long what a group without members has left is kept: its queues, who left lately, the last
    commands. After it only its epoch is, and what an operator has ordered."""

    max_members: int = Field(default=_DEFAULT.max_members, ge=1)
    """Members that a group may have; further joins are refused. It bounds the state that a
    misconfigured fleet can grow."""

    max_patterns: int = Field(default=_DEFAULT.max_patterns, ge=1, le=limits.PATTERNS_PER_GROUP)
    """Different patterns of topics that the members of a group may have, together; joins beyond it
    are refused."""

    max_queues: int = Field(default=_DEFAULT.max_queues, ge=1, le=limits.QUEUES_PER_RECORD)
    """Queues that a group may have; topics that would exceed it are left out, and its summary says
    "starved" and names them. One member may get all queues, and its assignment names each: no more
    than a record may hold, whose size is a limit of its own for very many long names."""

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        try:
            allocator(self.strategy, self.strategy_options)
        except KeyError as error:
            raise ValueError(f"strategy: {error.args[0]}") from error
        except ValueError as error:
            raise ValueError(f"strategy_options: {error.args[0]}") from error
        self.policy(_NO_STEP)  # how long a step may be beside these is ``model``'s to say
        return self

    def policy(self, max_clock_step: timedelta) -> Policy:
        """The policy that the brain reads.

        Raises:
            ValueError: Fields contradict each other.
        """
        return Policy(
            strategy=self.strategy,
            strategy_options=json.dumps(self.strategy_options, sort_keys=True),
            session_timeout_ms=_millis(self.session_timeout),
            session_timeout_ms_min=_millis(self.session_timeout_min),
            session_timeout_ms_max=_millis(self.session_timeout_max),
            heartbeat_interval_ms=_millis(self.heartbeat_interval),
            revocation_timeout_ms=_millis(self.revocation_timeout),
            revocation_timeout_ms_max=_millis(self.revocation_timeout_max),
            max_clock_step_ms=_millis(max_clock_step),
            eager_grace_ms=_millis(self.eager_grace),
            compat=self.compat,
            share_number=self.share_number,
            share_numbers=tuple(sorted(self.share_numbers.items())),
            on_twin=self.on_twin,
            on_twin_instance=self.on_twin_instance,
            assignment_interval_ms=_millis(self.assignment_interval),
            blast_percent=self.blast_percent,
            blast_members=self.blast_members,
            blast_hold_ms=_millis(self.blast_hold),
            flap_limit=self.flap_limit,
            flap_half_life_ms=_millis(self.flap_half_life),
            route_damping_ms=_millis(self.route_damping),
            route_share_percent=self.route_share_percent,
            keep_empty_ms=_millis(self.keep_empty),
            max_members=self.max_members,
            max_patterns=self.max_patterns,
            max_queues=self.max_queues,
        )
