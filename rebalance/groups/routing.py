"""Routing: which queues there are.

The route watcher tells each group about the topics it subscribes. The brain keeps the last route of
each, and a newer version replaces an older one. New queues are believed at once. Missing queues are
doubted first: a broker that has just restarted may not know a topic for a moment, and a record may
have been cut short. A doubt is believed when no newer route has denied it for a while (D1), and if
the loss is large only when it was reported a second time (D6). A topic that was deleted and made
anew has the same queues and other content, so its queues are called back and granted again (D3).

A topic for which there is no room is left out, counted and named (``extent``). The watcher goes on
reporting it, so it is taken in once others have gone.

A topic that no member subscribes any more is forgotten when the next route is observed, so that
foreign topics cannot fill the state. This happens at a record and not at the end of a batch,
because the log decides and not how it was cut (I7). Until then the topic is only ignored, so a
group whose members all left and came back starts at once. A topic that only patterns stand for is
forgotten as soon as it is believed to be gone, because no member waits for it.

Called by ``step`` and ``timers``. Its one rule: a route with a version that is not higher changes
nothing.
"""

from collections.abc import Iterator
from dataclasses import replace

from rebalance.causes import Cause, CauseKind
from rebalance.groups.model.decisions import EventRefused, Refusal, TopicLeftOut
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import RouteObserved
from rebalance.groups.model.extent import LEFT_OUT, RECORD_BYTES, Extent
from rebalance.groups.model.route import NO_ID, Doubt, Route
from rebalance.ids import ANY_QUEUE, Millis, Queue, TopicName
from rebalance.racks import RackRun
from rebalance.stamp import Stamp


def observe(draft: Draft, event: RouteObserved) -> None:
    """Enter what the watcher saw of one topic."""
    if not draft.membership.members.demand.covers(event.topic) or not _is_news(draft, event):
        return
    _forget(draft, event.topic)
    known = draft.topics.routes.get(event.topic)
    route = Route(
        version=event.version,
        exists=event.exists,
        queues=event.queues,
        generation=_generation(event, known),
        racks=_racks(event, known),
    )
    if known is not None and known.generation not in {"", NO_ID, route.generation}:
        draft.topics.recreated.add(event.topic)
        known = replace(known, generation=route.generation)
        write(draft, event.topic, known)
        draft.outbox.changes.append(
            Cause(CauseKind.ROUTE, event.topic, event.stamp.position, "the topic was made anew")
        )
    if known is None or not _lost(known, route):
        draft.topics.doubts.remove(event.topic)
        _grow(draft, event, route)
        return
    _doubt(draft, event, route)
    if known.exists and route.exists and not set(route.queues) <= set(known.queues):
        both = tuple(sorted({*known.queues, *route.queues}))
        _grow(draft, event, replace(route, queues=both))


def _lost(known: Route, route: Route) -> bool:
    """Tell whether queues are gone; what stands for all that a broker has is none of them."""
    return any(it.id != ANY_QUEUE for it in set(known.queues) - set(route.queues))


def _forget(draft: Draft, but: TopicName) -> None:
    """Forget routes that no member asks for any more; look only at what can have changed."""
    demand = draft.membership.members.demand
    doubted = demand.doubted()
    for topic in draft.topics.routes.merged() if doubted is None else doubted:
        route = draft.topics.routes.get(topic)
        if route is None or topic == but or demand.names(topic):
            continue
        if not (route.exists and demand.covers(topic)):
            write(draft, topic, None)
            draft.topics.doubts.remove(topic)


def _generation(event: RouteObserved, known: Route | None) -> str:
    """Return which topic of that name it is; a source that cannot tell contradicts none."""
    before = "" if known is None else known.generation
    return before if before and event.generation in {None, "", NO_ID} else event.generation or ""


def _racks(event: RouteObserved, known: Route | None) -> tuple[RackRun, ...]:
    """Return where its replicas stand; what somebody could tell stays true as well."""
    if event.racks is None:
        return () if known is None else known.racks
    return event.racks


def _is_news(draft: Draft, event: RouteObserved) -> bool:
    """Tell whether a version is new; the same one with another content is refused (D5)."""
    doubt = draft.topics.doubts.get(event.topic)
    known = draft.topics.routes.get(event.topic) if doubt is None else doubt.route
    if known is None or event.version > known.version:
        return True
    if event.version == known.version:
        _refuse_contradiction(draft, event, known)
    return False


def _refuse_contradiction(draft: Draft, event: RouteObserved, known: Route) -> None:
    if not known.left_out and (known.exists, known.queues) != (event.exists, event.queues):
        detail = f"{event.topic}: version {event.version} already said something else"
        draft.outbox.notes.append(
            EventRefused(draft.before.name, event.stamp, Refusal.ROUTES_CONTRADICT, detail)
        )


def _grow(draft: Draft, event: RouteObserved, route: Route) -> None:
    """Enter a route that takes nothing away, or leave it out and say so."""
    if (why := _excess(draft, event.topic, route)) is None:
        _enter(draft, event.topic, route, event.stamp)
    else:
        _leave_out(draft, event.topic, route, event.stamp, why)


def _excess(draft: Draft, topic: TopicName, route: Route) -> str | None:
    """Return why the group has no room for a topic as it is now, if it has none.

    A group that has too many already, because the limit is new, may always get fewer.
    """
    known, most = draft.topics.routes.get(topic), draft.policy.max_queues
    if len(route.queues) <= (0 if known is None else len(known.queues)):
        return None
    extent = _extent(draft).without(topic, known).with_route(topic, route)
    if extent.queues > most:
        return f"{topic}: the group would have {extent.queues} queues; the limit is {most}"
    if extent.size > RECORD_BYTES:
        return (
            f"{topic}: the group would have {extent.size} bytes of names, too many for one record"
        )
    return None


def _leave_out(draft: Draft, topic: TopicName, route: Route, stamp: Stamp, why: str) -> None:
    """Keep what is known of a topic, and note how much more there is; say it if that is news."""
    known = draft.topics.routes.get(topic)
    queues = () if known is None else known.queues
    more = len(route.queues) - len(queues)
    if known is not None and known.left_out == more:
        return
    refused = EventRefused(draft.before.name, stamp, Refusal.TOO_MANY_QUEUES, why)
    draft.outbox.notes.append(refused)
    if not queues and _extent(draft).left_out >= LEFT_OUT and not (known and known.left_out):
        return
    write(draft, topic, replace(route, queues=queues, left_out=more))
    cause = Cause(CauseKind.ROUTE, topic, stamp.position, why)
    draft.outbox.notes.append(TopicLeftOut(draft.before.name, topic, more, stamp.appended, cause))
    draft.outbox.touched, draft.outbox.other_cause = True, draft.outbox.other_cause or cause


def write(draft: Draft, topic: TopicName, route: Route | None) -> None:
    """Write what is known of a topic, or that nothing is any more."""
    known = draft.topics.routes.get(topic)
    assert route is None or known is None or route.version >= known.version, f"{topic} goes back"
    if draft.topics.extent is not None:
        draft.topics.extent = draft.topics.extent.without(topic, known)
        draft.topics.extent = (
            draft.topics.extent if route is None else draft.topics.extent.with_route(topic, route)
        )
    if route is None:
        draft.topics.routes.remove(topic)
    else:
        draft.topics.routes.put(topic, route)
        draft.membership.members.demand.doubt(topic)


def _extent(draft: Draft) -> Extent:
    if draft.topics.extent is None:
        draft.topics.extent = Extent()
        for topic, route in draft.topics.routes.items():
            draft.topics.extent = draft.topics.extent.with_route(topic, route)
    return draft.topics.extent


def _enter(draft: Draft, topic: TopicName, route: Route, stamp: Stamp) -> None:
    """Draw a topic on the map."""
    known = draft.topics.routes.get(topic)
    if not route.exists and not draft.membership.members.demand.names(topic):
        _erase(draft, topic, stamp)
        return
    write(draft, topic, route)
    if known is None or _content(known) != _content(route):
        detail = f"{len(route.queues)} queues" if route.exists else "no such topic yet"
        if known is not None and _content(replace(known, racks=route.racks)) == _content(route):
            detail += ", in other racks"
        draft.outbox.changes.append(Cause(CauseKind.ROUTE, topic, stamp.position, detail))


def _erase(draft: Draft, topic: TopicName, stamp: Stamp) -> None:
    """Forget a topic that does not exist and that no member asks for by name."""
    if draft.topics.routes.get(topic) is not None:
        write(draft, topic, None)
        draft.topics.recreated.add(
            topic
        )  # it may come back before a member has been told to let go
        draft.outbox.changes.append(
            Cause(CauseKind.ROUTE, topic, stamp.position, "no such topic any more")
        )


def _doubt(draft: Draft, event: RouteObserved, route: Route) -> None:
    """Keep in mind what would take queues away; believe it if it is an old story by now."""
    doubt = draft.topics.doubts.get(event.topic)
    if doubt is None or _content(doubt.route) != _content(route):
        doubt = Doubt(route, event.stamp.heard)
    else:
        doubt = replace(doubt, route=route, confirmed=True)
    draft.topics.doubts.put(event.topic, doubt)
    draft.expect_by(_is_old_at(draft, doubt))


def _content(route: Route) -> tuple[bool, tuple[Queue, ...], int, tuple[RackRun, ...]]:
    return route.exists, route.queues, route.left_out, route.racks


def believe(draft: Draft, stamp: Stamp) -> None:
    """Believe the doubts that have lasted."""
    for topic, doubt in list(draft.topics.doubts.items()):
        if _may_be_believed(draft, topic, doubt) and stamp.clock >= _is_old_at(draft, doubt):
            draft.topics.doubts.remove(topic)
            _enter(draft, topic, _fitting(draft, topic, doubt.route), stamp)


def _fitting(draft: Draft, topic: TopicName, route: Route) -> Route:
    """Return what the group has room for of a topic that has lost queues: what it had before."""
    known = draft.topics.routes.get(topic)
    if known is None or _excess(draft, topic, route) is None:
        return route
    had = set(known.queues)
    kept = tuple(queue for queue in route.queues if queue in had)
    return replace(route, queues=kept, left_out=len(route.queues) - len(kept))


def deadlines(draft: Draft) -> Iterator[Millis]:
    """Return when doubts are believed by time alone."""
    for topic, doubt in draft.topics.doubts.items():
        if _may_be_believed(draft, topic, doubt):
            yield _is_old_at(draft, doubt)


def _is_old_at(draft: Draft, doubt: Doubt) -> Millis:
    return Millis(doubt.since + draft.policy.route_damping_ms)


def _may_be_believed(draft: Draft, topic: TopicName, doubt: Doubt) -> bool:
    known = draft.topics.routes.get(topic)
    if doubt.confirmed or known is None:
        return True
    lost = len(set(known.queues) - set(doubt.route.queues))
    return 100 * lost <= draft.policy.route_share_percent * len(known.queues)


def confirm(draft: Draft) -> int:
    """Believe every doubt at its next deadline, which is now; return how many there are."""
    doubts = list(draft.topics.doubts.items())
    for topic, doubt in doubts:
        since = Millis(doubt.since - draft.policy.route_damping_ms)
        draft.topics.doubts.put(topic, replace(doubt, since=since, confirmed=True))
    return len(doubts)
