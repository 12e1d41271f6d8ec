"""Unattached consumers: clients of RocketMQ's own that share a group with those that obey.

Each computes a share by itself, of queues that members have as well. Who takes part in a group is
asked of RocketMQ's brokers; where members have no queue of theirs, nobody is.

Called by `trimtab doctor`. Its one rule: what a server does not say is never taken for an answer.
"""

from collections.abc import Iterable, Mapping

from console.errors import Failure
from console.settings import Settings
from console.settings.places import places
from trimtab.protocol import Assignment
from trimtab.protocol.rocketmq import is_copied


def unattached(
    settings: Settings, told: Mapping[str, Iterable[Assignment]]
) -> dict[str, frozenset[str]]:
    """Return the clients of each group that are no members of it.

    Raises:
        Failure: It is not known.
    """
    members = {group: _attached(those) for group, those in told.items()}
    topics = {group: found for group, those in told.items() if (found := _topics(those))}
    if not topics or settings.routes.name_servers is None:
        return {}
    # Here, because it takes as long as a command whose user has no RocketMQ.
    from streaming.feeds.consumer_lists import clients
    from streaming.feeds.remoting import Garbage

    try:
        there = clients(places(settings.routes.name_servers), topics)
    except (Garbage, OSError, UnicodeError) as error:
        raise Failure(str(error)) from error
    return {group: others for group, those in there.items() if (others := those - members[group])}


def _attached(assignments: Iterable[Assignment]) -> set[str]:
    """Return the members that ask the controller; where all are copies, nobody is missed.

    Who has no life of its own is known by its heartbeats alone, and works as its broker says.
    """
    owning = [it for it in assignments if it.mode is None]
    alive = [it for it in owning if not is_copied(it.incarnation)]
    return {it.member for it in alive or owning}


def _topics(assignments: Iterable[Assignment]) -> frozenset[str]:
    """Of what is held at a broker of RocketMQ's; those of Kafka have no names."""
    return frozenset(row.topic for it in assignments for row in (*it.hold, *it.give) if row.broker)
