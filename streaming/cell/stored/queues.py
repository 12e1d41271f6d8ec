"""The stored forms of queues and topics.

A queue is named once in a group, and is its place in that list from then on. Neighbours in the list
share the names of their topic and broker. Part of ``group``.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby, repeat
from operator import itemgetter
from typing import Final

from rebalance.groups.model.route import Doubt, Route
from rebalance.groups.model.topics import Topics
from rebalance.ids import BrokerName, Millis, Queue, TopicName
from rebalance.racks import RackRun
from streaming.cell.stored.form import Form, Place, Places

QueuesForm = list[tuple[TopicName, BrokerName, list[int]]]
"""Topic, broker, and the ids of neighbours that have both in common."""

_HOME: Final = itemgetter(0, 1)
_ID: Final = itemgetter(2)


class RackRunForm(Form):
    """Queues whose replicas stand alike."""

    racks: list[str]
    first: int
    length: int


class RouteForm(Form):
    """A topic as last observed."""

    version: int
    exists: bool
    queues: list[Place]
    generation: str
    left_out: int
    racks: list[RackRunForm] = []  # noqa: RUF012 - msgspec makes one for each


class DoubtForm(Form):
    """What a topic is said to be like."""

    route: RouteForm
    since: Millis
    confirmed: bool


class TopicsForm(Form):
    """Which queues there are."""

    routes: dict[TopicName, RouteForm]
    doubts: dict[TopicName, DoubtForm]


def queues_form(places: Places[Queue]) -> QueuesForm:
    """Return what is stored of the queues themselves, in their places."""
    return [(*home, list(map(_ID, those))) for home, those in groupby(places, key=_HOME)]


def queues(form: QueuesForm) -> list[Queue]:
    """Return the queues that were stored."""
    return [
        Queue._make(named)
        for topic, broker, ids in form
        for named in zip(repeat(topic), repeat(broker), ids, strict=False)
    ]


def chosen(known: Sequence[Queue], places: Iterable[int]) -> tuple[Queue, ...]:
    """Return the queues that stand at some places."""
    return tuple(map(known.__getitem__, places))


def topics_form(topics: Topics, places: Places[Queue]) -> TopicsForm:
    """Return what is stored of the topics."""
    return TopicsForm(
        routes={topic: _route_form(it, places) for topic, it in topics.routes.items()},
        doubts={topic: _doubt_form(it, places) for topic, it in topics.doubts.items()},
    )


def topics(form: TopicsForm, known: Sequence[Queue]) -> Topics:
    """Return the topics that were stored."""
    return Topics(
        routes={topic: _route(it, known) for topic, it in form.routes.items()},
        doubts={topic: _doubt(it, known) for topic, it in form.doubts.items()},
    )


def _route_form(route: Route, places: Places[Queue]) -> RouteForm:
    queues = places.of(route.queues)
    racks = [RackRunForm(sorted(it.racks), it.first, it.length) for it in route.racks]
    return RouteForm(route.version, route.exists, queues, route.generation, route.left_out, racks)


def _route(form: RouteForm, known: Sequence[Queue]) -> Route:
    return Route(
        version=form.version,
        exists=form.exists,
        queues=chosen(known, form.queues),
        generation=form.generation,
        left_out=form.left_out,
        racks=tuple(RackRun(frozenset(it.racks), it.first, it.length) for it in form.racks),
    )


def _doubt_form(doubt: Doubt, places: Places[Queue]) -> DoubtForm:
    return DoubtForm(_route_form(doubt.route, places), doubt.since, doubt.confirmed)


def _doubt(form: DoubtForm, known: Sequence[Queue]) -> Doubt:
    return Doubt(route=_route(form.route, known), since=form.since, confirmed=form.confirmed)
