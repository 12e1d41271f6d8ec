"""`[policy]`: what an operator may choose about a group.

Defaults and the rules between fields are those of ``groups.model.policy.Policy``, the value that
this section becomes; they are stated there once. Only `standing_heirs` and the budget are not:
tests of the brain leave those off.
"""

import json
from datetime import timedelta
from typing import Annotated, Final, Self

from pydantic import Field, JsonValue, model_validator

from console.settings.section import Section
from console.settings.units import AUTO, AutoDuration, Duration, Wait, milliseconds
from rebalance.groups.model.policy import Compat, Policy, TwinRule
from rebalance.ids import Millis
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
    group, when the controller starts with it."""

    strategy_options: dict[str, JsonValue] = Field(default_factory=dict)
    """Options of the strategy, such as `percent` of CANARY or `queue_weights` of STICKY: see
    docs/strategies.md. They hold for every group, and changing them moves queues once. Give a table
    in the file, or all of them as one JSON object: a single option in a flag is read as text."""

    session_timeout: Duration = _duration(_DEFAULT.session_timeout_ms)
    """How long a member whose join names no session may be silent before it is dead. Members of the
    SDKs always name one (10s, unless told otherwise), and RocketMQ's own clients have 120s: this
    counts for other languages. A shorter one finds a crash sooner, but can evict a member during a
    long garbage collection. Less than 10s needs a shorter session_timeout_min, too."""

    session_timeout_min: Duration = _duration(_DEFAULT.session_timeout_ms_min)
    """The shortest session; a member that asks for less gets this much. It must be at least five
    times controller.max_clock_step. Otherwise a broker's clock that jumps, or a Kafka that stalls,
    ends living sessions. For 3s: max_clock_step 600ms, tick_interval and heartbeat_batch_interval
    300ms, heartbeat_interval 1s. Each tick costs a batch."""

    session_timeout_max: Duration = _duration(_DEFAULT.session_timeout_ms_max)
    """The longest session that a member may ask for. After a crash no member works on the member's
    queues for up to this long."""

    heartbeat_interval: AutoDuration = _duration(_DEFAULT.heartbeat_interval_ms)
    """How often members are told to beat. A shorter interval costs records and gains no speed,
    because a hand-over does not wait for heartbeats. "auto": three times in session_timeout, at
    most every 3s; less often, up to 20 times less, where more members beat than heartbeat_budget
    allows. Their sessions are four intervals long then, so that a crash is noticed later."""

    heartbeat_budget: int = Field(default=10_000, ge=1)
    """With heartbeat_interval "auto": how many beats a second all members together may send."""

    revocation_timeout: Duration = _duration(_DEFAULT.revocation_timeout_ms)
    """How long a holder whose join names no such time may take to finish and release a queue.
    Members of the SDKs always name one (60s, unless told otherwise): this counts for other
    languages. After that the controller fences the holder and the heir starts. Make it longer than
    the longest piece of work; otherwise that work is done twice."""

    revocation_timeout_max: Duration = _duration(_DEFAULT.revocation_timeout_ms_max)
    """The longest revocation timeout that a member may ask for. It limits how long a hand-over can
    take."""

    eager_grace: Wait = _duration(_DEFAULT.eager_grace_ms)
    """How long a member that sends no releases (RocketMQ's own clients) keeps a queue that moves
    away from it. At 0s both may work on the queue until the old owner notices, as in RocketMQ."""

    compat: Compat = _DEFAULT.compat
    """none: each member has its own subscription. rocketmq: as on RocketMQ's brokers, the last
    heartbeat sets the subscription of all members that send no releases; they all lose a topic that
    it does not name."""

    share_number: int = Field(default=_DEFAULT.share_number, ge=-1)
    """A member of mode shared works on its own part of the queues and on the parts of this many
    other members, at most 100. With more, a slow member delays less, and more members ask the same
    broker. -1 or 0: all."""

    share_numbers: dict[str, Annotated[int, Field(ge=-1)]] = Field(default_factory=dict)
    """Exceptions to share_number, by topic ("orders") or by group and topic ("billing/orders").
    They go before a group's own share_number, too. Give a table in the file, or all of them as one
    JSON object."""

    on_twin: TwinRule = _DEFAULT.on_twin
    """What to do when two processes use one member id: fence-older (the newer takes over at once),
    refuse-newer (the newer waits until the older has gone), or separate (both become members)."""

    on_twin_instance: TwinRule = _DEFAULT.on_twin_instance
    """What to do when two members use one instance: as on_twin, or hand-over (the newer inherits
    from the older; for rolling updates that start the new process first)."""

    assignment_interval: Wait = _duration(_DEFAULT.assignment_interval_ms)
    """The least time between two targets of a group. A longer one calms groups that change all the
    time, but each change waits for it."""

    standing_heirs: bool = True
    """Each queue has somebody who takes it over in milliseconds when its owner leaves, drains, or
    dies under a guard, also while the controller is away."""

    blast_percent: int = Field(default=_DEFAULT.blast_percent, ge=0, le=100)
    """While more than this share of a group is silent at once, the controller holds evictions.
    100: never."""

    blast_members: int = Field(default=_DEFAULT.blast_members, ge=1)
    """Evictions of fewer silent members than this are never held."""

    blast_hold: Duration = _duration(_DEFAULT.blast_hold_ms)
    """How long evictions are held before the controller believes the silence. If the members really
    died, their queues have no worker meanwhile."""

    flap_limit: int = Field(default=_DEFAULT.flap_limit, ge=1)
    """After this many departures within about one half-life, a member that returns gets no queues
    for a while."""

    flap_half_life: Duration = _duration(_DEFAULT.flap_half_life_ms)
    """In this time half of a member's departures stop counting."""

    route_damping: Wait = _duration(_DEFAULT.route_damping_ms)
    """How long queues must be missing before their members give them up."""

    route_share_percent: int = Field(default=_DEFAULT.route_share_percent, ge=0, le=100)
    """If a topic lost more than this share of its queues, a second look must confirm it, too."""

    keep_empty: Duration = _duration(_DEFAULT.keep_empty_ms)
    """How long the controller remembers a group without members: its queues, recent departures, the
    last commands. After that it keeps only the epoch, and what an operator has set."""

    max_members: int = Field(default=_DEFAULT.max_members, ge=1)
    """The most members of a group; further joins are refused. It limits the state that a
    misconfigured fleet can create."""

    max_patterns: int = Field(default=_DEFAULT.max_patterns, ge=1, le=limits.PATTERNS_PER_GROUP)
    """The most different topic patterns in a group; joins that would exceed it are refused."""

    max_queues: int = Field(default=_DEFAULT.max_queues, ge=1, le=limits.QUEUES_PER_RECORD)
    """The most queues of a group. Topics that would exceed it are left out: the group's state is
    "starved", and its summary names them. One member may get all queues, and its assignment names
    each, so the size of a record is a second limit where there are very many long names."""

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        try:
            if self.strategy != _DEFAULT.strategy or self.strategy_options:
                from allocators import allocator  # not for commands that only look

                allocator(self.strategy, self.strategy_options)
        except KeyError as error:
            raise ValueError(f"strategy: {error.args[0]}") from error
        except ValueError as error:
            raise ValueError(f"strategy_options: {error.args[0]}") from error
        self.policy(_NO_STEP)  # how long a step may be beside these is ``model``'s to say
        return self

    def _interval_ms(self) -> Millis:
        """The shortest interval, where the controller may choose it."""
        if not isinstance(self.heartbeat_interval, str):
            return _millis(self.heartbeat_interval)
        return _DEFAULT.heartbeat_ms(_millis(self.session_timeout))

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
            heartbeat_interval_ms=self._interval_ms(),
            heartbeat_auto=self.heartbeat_interval == AUTO,
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
            standing_heirs=self.standing_heirs,
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
