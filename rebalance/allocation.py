"""The contract between the brain and a strategy.

A strategy answers one question: given these members, these queues and the present owners, who
should own what? It sees a read-only request and returns a plan; it knows nothing of epochs,
hand-overs or time. The strategies live in ``allocators``, one file each; ``target`` calls them.

An allocator is a deterministic function of its request.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from rebalance.errors import BrokenInvariant
from rebalance.ids import MemberId, Queue, TopicName
from rebalance.racks import RackRun

NOBODY_SUBSCRIBES = "no member subscribes the topic"
"""Why a queue stays without an owner, whatever the strategy."""
TO_NOBODY = "the strategy gives it to nobody"
"""Why one does, if the strategy does not say."""


class Candidate(Protocol):
    """What a strategy may know about a member; the group's own entry will do (``model.member``)."""

    @property
    def topics(self) -> frozenset[TopicName]:
        """What it subscribes."""

    @property
    def weight(self) -> int:
        """How large a share it should have."""

    @property
    def capacity(self) -> int | None:
        """How many queues it can have at most."""

    @property
    def rack(self) -> str:
        """Where it is."""

    @property
    def instance(self) -> str | None:
        """What a static member keeps over its restarts; RANGE orders by it, as Kafka's does."""


Candidates = Mapping[MemberId, Candidate]
"""By name."""


class Applicant(NamedTuple):
    """A candidate that is nothing else."""

    topics: frozenset[TopicName]
    weight: int = 1
    capacity: int | None = None
    rack: str = ""
    instance: str | None = None


@dataclass(frozen=True, slots=True)
class AllocationRequest:
    """The question: all members that may own something, and all queues."""

    candidates: Candidates
    queues: Mapping[TopicName, tuple[Queue, ...]]
    current: Mapping[Queue, MemberId] = field(default_factory=dict)
    """Who is meant to own each queue now; may name members that are no candidates any more."""
    racks: Mapping[TopicName, tuple[RackRun, ...]] = field(default_factory=dict)
    """Where replicas of queues stand, of the topics of which that is known."""


@dataclass(frozen=True, slots=True)
class AllocationPlan:
    """The answer. A queue without an owner is left out and may be given a reason."""

    owners: Mapping[Queue, MemberId]
    unassigned: Mapping[Queue, str] = field(default_factory=dict)
    changed: Collection[Queue] | None = None
    """The queues whose owner, or the lack of one, is not as in the request's ``current``, if the
    strategy knows; None: the caller has to compare."""
    heeds_capacity: bool = False
    """The strategy gives no member more than it can carry; if not set, the brain counts."""
    refusal: str = ""
    """Why it could not answer for some topics, where owners stay as they are; empty: it could."""


class Allocator(Protocol):
    """A strategy."""

    def __call__(self, request: AllocationRequest, /) -> AllocationPlan:
        """Answer the request."""
        ...


def check_wanted(request: AllocationRequest, given: Iterable[tuple[Queue, MemberId]]) -> None:
    """See that a queue goes only to members that asked for it, whatever the strategy says (I10).

    Raises:
        BrokenInvariant: One does not.
    """
    for queue, owner in given:
        candidate = request.candidates.get(owner)
        if candidate is None:
            raise BrokenInvariant(f"{queue} was given to {owner}, which is no candidate")
        if queue.topic not in candidate.topics:
            raise BrokenInvariant(f"{queue} was given to {owner}, which does not subscribe it")


def check_known(request: AllocationRequest, owners: Mapping[Queue, MemberId]) -> None:
    """See that there is such a queue, whatever the strategy says.

    Raises:
        BrokenInvariant: There is not.
    """
    known = {queue for queues in request.queues.values() for queue in queues}
    for queue, owner in owners.items():
        if queue not in known:
            raise BrokenInvariant(f"{queue} was given to {owner}, but there is no such queue")


def first_of(place: int, members: int, queues: int) -> int:
    """Return where a member's run begins if queues are cut into even runs, longer ones first."""
    run, longer = divmod(queues, members)
    return place * run + min(place, longer)
