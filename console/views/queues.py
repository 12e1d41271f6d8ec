"""Queues: who holds each, who comes next, and which of them nobody holds.

A queue's row is put together from the assignments of all members of its group: what one is told to
hold or to give, others are promised. Shared and broadcast queues have a row for each member.
"""

from collections.abc import Iterable
from typing import NamedTuple

from console.views.sentences import queue_name
from trimtab.protocol import Assignment, Group, HolderRef, QueueRef

Row = dict[str, object]

NARROW = ("queue", "owner", "epoch", "state", "next")
WIDE = ("topic", "broker", "id", "incarnation", "next_epoch", "promised")
LAG = ("committed", "end", "lag")
"""Known only if the cluster's offsets are asked for."""


class Promise(NamedTuple):
    """A member that begins once the queue is released to it."""

    member: str
    epoch: int


def rows(group: Group, assignments: Iterable[Assignment]) -> list[Row]:
    """Describe every queue of a group, in order of topic, broker and number."""
    told = list(assignments)
    promised: dict[QueueRef, list[Promise]] = {}
    for it in told:
        for heir in it.inherit:
            promised.setdefault(heir.queue, []).append(Promise(it.member, heir.epoch))
    held = [
        (grant.queue, _owned(it, grant, state, promised))
        for it in told
        for state, grants in (
            (it.mode or "held", it.hold),
            ("moving", it.give),
            ("shared", it.shared or ()),
        )
        for grant in grants
    ]
    owned = {queue for queue, _ in held}
    waiting = [(queue, _vacant(queue, "waiting", promised)) for queue in promised.keys() - owned]
    vacant = _missing(group, owned | promised.keys())
    orphans = [(queue, _vacant(queue, "unassigned", promised)) for queue in vacant]
    return [row for _, row in sorted(held + waiting + orphans, key=lambda it: it[0])]


def members(group: Group, assignments: Iterable[Assignment]) -> set[str]:
    """Return who may own one: a summary names only some of those that there are."""
    return {it.member for it in group.people} | {it.member for it in assignments}


def _owned(
    of: Assignment, grant: HolderRef, state: str, promised: dict[QueueRef, list[Promise]]
) -> Row:
    heirs = promised.get(grant.queue, [])
    named = next((it.member for it in heirs if it.epoch == grant.next), None)
    return _row(grant.queue, state, heirs) | {
        "owner": of.member,
        "epoch": grant.epoch,
        "incarnation": of.incarnation,
        "next": named or (grant.to.member if grant.to else None),
        "next_epoch": grant.next,
    }


def _vacant(queue: QueueRef, state: str, promised: dict[QueueRef, list[Promise]]) -> Row:
    return _row(queue, state, promised.get(queue, []))


def _row(queue: QueueRef, state: str, heirs: list[Promise]) -> Row:
    return {
        "queue": queue_name(queue),
        "owner": None,
        "epoch": None,
        "state": state,
        "next": None,
        "topic": queue.topic,
        "broker": queue.broker or None,
        "id": queue.id,
        "incarnation": None,
        "next_epoch": None,
        "promised": [f"{member}@{epoch}" for member, epoch in heirs],
        **dict.fromkeys(LAG),
    }


def _missing(group: Group, told: set[QueueRef]) -> set[QueueRef]:
    """Return the queues of Kafka's topics that no record names; those of brokers have no count."""
    named = {queue.topic for queue in told if queue.broker}
    return {
        queue
        for topic, summary in group.topics.items()
        if topic not in named and group.members
        for queue in (QueueRef(topic, "", number) for number in range(summary.queues))
        if queue not in told
    }
