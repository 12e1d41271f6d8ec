"""The commons: what everybody works on.

A notice that every household gets. A broadcasting member works on every queue of its topics, and so
does its neighbour; nobody owns anything, nothing is handed over, and the books say nothing of it.
Such a member's record is read off the map and the roster: hold everything, under the epoch of its
own joining. It takes no part in the target, so it neither helps nor hinders the members of the same
group that share (fault C19).

Called by ``target``, which leaves these members out, and by ``conclusion`` for their records. Its
one rule: what a member reads depends on its topics and the map, and on no other member.
"""

from collections.abc import Iterable, Mapping

from rebalance.decisions import Portion
from rebalance.draft import Draft
from rebalance.events import Mode
from rebalance.group import Member, Route
from rebalance.ids import MemberId, TopicName
from rebalance.subscriptions import known, topics_of, wants

Routes = Mapping[TopicName, Route]


def shares(member: Member) -> bool:
    """Tell whether a member shares queues with others, rather than having them all."""
    return member.mode is Mode.CLUSTERING


def portion(member: Member, routes: Routes) -> Portion:
    """Return what a broadcasting member works on; one that wants to go gives it all."""
    queues = sorted(
        queue
        for topic in topics_of(member, known(routes))
        if topic in routes
        for queue in routes[topic].queues
    )
    everything = tuple((queue, member.since) for queue in queues)
    return Portion(give=everything) if member.draining else Portion(hold=everything)


def readers(draft: Draft, members: Mapping[MemberId, Member]) -> Iterable[MemberId]:
    """Return the broadcasting members whose portion this step changed."""
    changed = draft.routes.drawn.keys()
    told = draft.members.drawn
    if not changed and not told:
        return []
    now = draft.routes.merged()
    return [
        name
        for name, member in members.items()
        if not shares(member)
        and (name in told or any(wants(member, topic) for topic in changed))
        and portion(member, now) != _before(draft, name)
    ]


def _before(draft: Draft, name: MemberId) -> Portion | None:
    """Return what a member worked on before this step, if it broadcast then."""
    member = draft.before.members.get(name)
    return None if member is None or shares(member) else portion(member, draft.before.routes)
