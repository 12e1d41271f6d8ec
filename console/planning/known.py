"""What is known of one group without asking its controller: what stands in Kafka.

Its summary and its members' assignments are compacted, so they are always there. How its members
joined, and the queues of its topics, stand in topics that forget after a week: what is gone is
named, because a plan can then only guess.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from console.names import the_group
from console.published import Published
from console.views.sentences import several
from streaming.startup.published import PublishedState
from trimtab.protocol import (
    MEMBERS,
    ROUTES,
    Assignment,
    Drain,
    Group,
    Join,
    LifeRef,
    MemberKey,
    Record,
    Route,
)

_START = "0000000000000-00000000"
"""Which start of a controller this would be, if it were one."""


@dataclass(frozen=True, slots=True)
class Known:
    """One group, as its records say."""

    summary: Group
    assignments: tuple[Assignment, ...]
    joins: dict[LifeRef, Join]
    """The last one of each life that is a member."""
    drains: dict[LifeRef, Drain]
    routes: dict[str, list[Route]]
    """Of each topic, in the order in which a controller reads them."""

    @property
    def published(self) -> list[Record]:
        """What a controller that starts would find."""
        board = PublishedState(_START)
        board.keep_summary(self.summary.group, self.summary)
        for it in self.assignments:
            board.keep_assignment(MemberKey(it.group, it.member), it)
        return [found.record for found in board.found()]

    @property
    def missing(self) -> Iterator[str]:
        """Say what is not known, and what is taken for it."""
        silent = [it.member for it in self.assignments if life_of(it) not in self.joins]
        if silent:
            yield (
                f"how {several(silent)} joined: the plan assumes the topics of their queues, "
                "and no weight, capacity, rack or instance"
            )
        if (told := len(self.assignments)) != self.summary.members:
            yield (
                f"all members: only {told} of {self.summary.members} have an assignment; "
                "if the group is changing, ask again"
            )
        for name, topic in sorted(self.summary.topics.items()):
            there = self.routes.get(name)
            if there is None and not topic.awaited and topic.version:
                yield f"the queues of {name}: only queues with an owner are counted"
            elif there and topic.version and all(it.version > topic.version for it in there):
                yield f"what the group doubts of {name}: its newest queues are taken for all"
        if unnamed := self.summary.unnamed:
            yield (
                f"who drains, rests or is away among the {unnamed} members that the summary does "
                "not name"
            )
        if self.summary.more_topics:
            yield f"the topics beyond the first {len(self.summary.topics)}"


def life_of(record: Assignment | Join | Drain) -> LifeRef:
    """Return the life that a record is about."""
    return LifeRef(record.member, record.incarnation)


def known_of(published: Published, name: str) -> Known:
    """Read all that there is of a group.

    Raises:
        Failure: There is no such group.
    """
    summary = the_group(published, name)
    assignments = tuple(published.assignments(name).values())
    lives = {life_of(it) for it in assignments}
    joins: dict[LifeRef, Join] = {}
    drains: dict[LifeRef, Drain] = {}
    for said in published.records(MEMBERS, name):
        if isinstance(said, Join) and life_of(said) in lives:
            joins[life_of(said)] = said
        elif isinstance(said, Drain) and life_of(said) in lives:
            drains[life_of(said)] = said
    routes: dict[str, list[Route]] = {}
    for route in published.records(ROUTES, name):
        if isinstance(route, Route):
            routes.setdefault(route.topic, []).append(route)
    return Known(summary, assignments, joins, drains, routes)
