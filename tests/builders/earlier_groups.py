"""The full group and cluster as earlier releases could have them: without what was added since.

What is compared with the golden files of those releases. Used by ``test_codec``.
"""

from dataclasses import replace

from rebalance.brokers.cluster import Cluster
from rebalance.groups.model.state import GroupState
from rebalance.ids import Millis, TopicName
from tests.builders.full_cluster import CLUSTER


def before_settings(group: GroupState) -> GroupState:
    """Return a group as it could be before it was kept which settings were in force."""
    target, outbox = replace(group.target, asked=""), replace(group.outbox, share_numbers={})
    return replace(group, target=target, outbox=outbox)


def before_holds(group: GroupState) -> GroupState:
    """Return a group as it could be before it was kept who begins on hold alone."""
    group = before_settings(group)
    people = group.membership.members.items()
    members = {name: replace(it, on_hold_alone=False) for name, it in people}
    return replace(group, membership=replace(group.membership, members=members))


def before_leaves(group: GroupState) -> GroupState:
    """Return a group as it could be before it was kept who wants to go and is dismissed as well."""
    group = before_holds(group)
    people = group.membership.members.items()
    members = {name: replace(it, leaves=False) for name, it in people}
    return replace(group, membership=replace(group.membership, members=members))


def before_drains(group: GroupState) -> GroupState:
    """Return a group as it could be before a drain was kept beyond the life that it was for."""
    group = before_leaves(group)
    return replace(group, rules=replace(group.rules, drained=()))


def before_racks(group: GroupState) -> GroupState:
    """Return a group as it could be before a route said where replicas stand."""
    group = before_drains(group)
    routes = {topic: replace(it, racks=()) for topic, it in group.topics.routes.items()}
    return replace(group, topics=replace(group.topics, routes=routes))


def before_modes(group: GroupState) -> GroupState:
    """Return a group as it could be before an order could have topics shared."""
    group = before_racks(group)
    people = group.membership.members.items()
    members = {name: replace(it, pops=frozenset[TopicName]()) for name, it in people}
    membership = replace(group.membership, members=members)
    return replace(group, membership=membership, rules=replace(group.rules, popped={}))


def before_paces(group: GroupState) -> GroupState:
    """Return a group as it could be before the controller could ask for a pace."""
    return replace(group := before_modes(group), rules=replace(group.rules, pace_ms=Millis(0)))


def before_ends(group: GroupState) -> GroupState:
    """Return a group as it could be before the end of a pause was kept as it was commanded."""
    group = before_paces(group)
    return replace(group, rules=replace(group.rules, pause_ends=None))


def before_idle(group: GroupState) -> GroupState:
    """Return a group as it could be before it was known since when an ended holder did nothing."""
    group = before_ends(group)
    pages = group.handover.books.items()
    books = {
        queue: replace(owned, over=owned.over and replace(owned.over, since=None))
        for queue, owned in pages
    }
    return replace(group, handover=replace(group.handover, books=books))


def before_listeners() -> Cluster:
    """Return a cluster as it could be before a broker's other addresses were kept."""
    brokers = {name: replace(it, elsewhere=()) for name, it in CLUSTER.brokers.items()}
    return replace(CLUSTER, brokers=brokers)


def before_ejects() -> Cluster:
    """Return a cluster as it could be before an eject kept when its broker was heard of."""
    cluster = before_listeners()
    commands = {name: it._replace(heard=Millis(0)) for name, it in cluster.commands.items()}
    return replace(cluster, commands=commands)


def before_callers() -> Cluster:
    """Return a cluster as it could be before it was kept who sends to a broker that is out."""
    cluster = before_ejects()
    brokers = {
        name: replace(it, out=it.out and it.out._replace(callers=()))
        for name, it in cluster.brokers.items()
    }
    return replace(cluster, brokers=brokers)


def before_voters() -> Cluster:
    """Return a cluster as it could be before a verdict named its voters."""
    cluster = before_callers()
    brokers = {
        name: replace(
            it,
            out=it.out and it.out._replace(voters=()),
            spared=it.spared and it.spared._replace(voters=()),
        )
        for name, it in cluster.brokers.items()
    }
    told = {name: replace(it, voters=()) for name, it in cluster.told.items()}
    return replace(cluster, brokers=brokers, told=told)


def before_names(group: GroupState) -> GroupState:
    """Return a group as it could be before a release could name a life."""
    group = before_idle(group)
    pages = group.handover.books.items()
    books = {queue: replace(owned, former=(), begun=False) for queue, owned in pages}
    return replace(group, handover=replace(group.handover, books=books, strangers={}))


def of_version_1(group: GroupState) -> GroupState:
    """Return a group as version 1 could have it.

    It knew no holder that has ended and whose release is not read yet, no standing heirs, no marks,
    no guards. Its heirs were told to let go as well; one of them is promised the queue, not named.
    """
    group = before_names(group)
    pages, people = group.handover.books.items(), group.membership.members.items()
    books = {queue: replace(owned, named=None, over=None) for queue, owned in pages}
    members = {name: replace(member, awaits_mark=False, guarded=False) for name, member in people}
    return replace(
        group,
        membership=replace(group.membership, members=members),
        target=replace(group.target, heirs={}),
        handover=replace(group.handover, books=books),
    )
