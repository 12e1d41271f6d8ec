"""The map: which queues there are.

The route watcher tells each group what became of the topics it subscribes. The brain keeps the
last telling of each and believes a newer version over an older one. What nobody subscribes any more
is forgotten when the next route is observed, so that a stranger's topics cannot fill the state: at
a record, not at the end of a batch, because the log decides and not how it was cut (I7). Until then
it is only ignored, so a group whose members all left and came back starts at once.

Called by ``step``, and by ``target`` and ``summary`` for what is subscribed. Its one rule: a route
with a version that is not higher changes nothing.
"""

from collections.abc import Iterable

from rebalance.causes import Cause, CauseKind
from rebalance.decisions import EventRefused, Refusal
from rebalance.draft import Draft
from rebalance.events import RouteObserved
from rebalance.group import Member, Route
from rebalance.ids import TopicName


def observe(draft: Draft, event: RouteObserved) -> None:
    """Enter what the watcher saw of one topic."""
    known = draft.routes.get(event.topic)
    wanted = subscribed(draft.members.values())
    if event.topic not in wanted or (known and event.version <= known.version):
        return
    for topic in draft.routes.merged().keys() - wanted:
        draft.routes.remove(topic)
    others = sum(len(route.queues) for name, route in draft.routes.items() if name != event.topic)
    if others + len(event.queues) > draft.policy.max_queues:
        detail = f"{event.topic} would bring the group to {others + len(event.queues)} queues"
        draft.notes.append(
            EventRefused(draft.before.name, event.stamp, Refusal.TOO_MANY_QUEUES, detail)
        )
        return
    draft.routes.put(event.topic, Route(event.version, event.exists, event.queues))
    if known is None or (known.exists, known.queues) != (event.exists, event.queues):
        detail = f"{len(event.queues)} queues" if event.exists else "no such topic yet"
        draft.causes.append(Cause(CauseKind.ROUTE, event.topic, event.stamp.position, detail))


def subscribed(members: Iterable[Member]) -> frozenset[TopicName]:
    """Return every topic that some member subscribes."""
    return frozenset[TopicName]().union(*(member.topics for member in members))
